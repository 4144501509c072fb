// Chooses the card of a tool call.

import { memo, useMemo, type ComponentType } from "react";
import type { Draft, ToolRow } from "@quarterdeck/client";
import { knownTool, toolTitle, type KnownTool } from "@quarterdeck/client/content";
import { useDraft } from "../drafts.ts";
import { later, type Later } from "../../parts/later.tsx";
import { BashCard } from "./bash.tsx";
import { ReadCard } from "./read.tsx";
import { callOfDraft, callOfRow } from "./tool-call.ts";
import { ToolCard, type CardProps } from "./tool-card.tsx";

/** As high as a closed card. */
const TitleCard = ({ call }: CardProps) => <ToolCard call={call} title={toolTitle(call.name)} />;

type MoreCards = typeof import("./more-cards.ts");
type EditCards = typeof import("./edit-cards.ts");
const more = (pick: (cards: MoreCards) => ComponentType<CardProps>): Later<CardProps> =>
  later(async () => pick(await import("./more-cards.ts")), TitleCard);
const edit = (pick: (cards: EditCards) => ComponentType<CardProps>): Later<CardProps> =>
  later(async () => pick(await import("./edit-cards.ts")), TitleCard);

const EditCard = edit((cards) => cards.EditCard);
const OtherCard = more((cards) => cards.OtherCard);
/** Loaded with the first call that needs one of them, or soon after the first screen. */
const LATER_CARDS: Partial<Readonly<Record<KnownTool, Later<CardProps>>>> = {
  Agent: more((cards) => cards.AgentCard),
  AskUserQuestion: more((cards) => cards.QuestionCard),
  Edit: EditCard,
  EnterPlanMode: more((cards) => cards.EnterPlanCard),
  ExitPlanMode: more((cards) => cards.PlanCard),
  Glob: more((cards) => cards.GlobCard),
  Grep: more((cards) => cards.GrepCard),
  Monitor: more((cards) => cards.MonitorCard),
  MultiEdit: EditCard,
  NotebookEdit: edit((cards) => cards.NotebookEditCard),
  Skill: more((cards) => cards.SkillCard),
  TaskCreate: more((cards) => cards.TaskCreateCard),
  TaskGet: more((cards) => cards.TaskGetCard),
  TaskList: more((cards) => cards.TaskListCard),
  TaskOutput: more((cards) => cards.TaskOutputCard),
  TaskStop: more((cards) => cards.TaskStopCard),
  TaskUpdate: more((cards) => cards.TaskUpdateCard),
  TodoWrite: more((cards) => cards.TodoWriteCard),
  WebFetch: more((cards) => cards.WebFetchCard),
  WebSearch: more((cards) => cards.WebSearchCard),
  Write: edit((cards) => cards.WriteCard),
};
const CARDS: Partial<Readonly<Record<KnownTool, ComponentType<CardProps>>>> = {
  ...LATER_CARDS,
  Bash: BashCard,
  PowerShell: BashCard,
  Read: ReadCard,
};

export const prefetchCards = (): void => {
  for (const card of [OtherCard, ...Object.values(LATER_CARDS)]) card.prefetch();
};

export interface ToolViewProps {
  /** Absent while its input is being written. */
  readonly row: ToolRow | undefined;
  readonly draft: Pick<Draft, "id" | "at" | "name" | "toolUseId"> | undefined;
}

export const ToolView = memo(({ row, draft }: ToolViewProps) => {
  const live = useDraft(row === undefined ? draft?.id : undefined);
  const text = live?.text ?? "";
  const call = useMemo(
    () => (row === undefined ? callOfDraft({ ...draft!, text }) : callOfRow(row)),
    [row, draft, text],
  );
  const tool = knownTool(call.name);
  const Card = (tool === undefined ? undefined : CARDS[tool]) ?? OtherCard;
  return <Card call={call} />;
});
