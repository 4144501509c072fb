// Chooses the card of a tool call.

import { memo, useMemo, type ComponentType } from "react";
import type { Draft, ToolRow } from "@quarterdeck/client";
import { knownTool, type KnownTool } from "@quarterdeck/client/content";
import { useDraft } from "../drafts.ts";
import { later, type Later } from "../../parts/later.tsx";
import { AgentCard } from "./agent.tsx";
import { BashCard } from "./bash.tsx";
import { TodoWriteCard } from "./checklist.tsx";
import { EditCard, WriteCard } from "./edit.tsx";
import { ReadCard } from "./read.tsx";
import { GlobCard, GrepCard, prefetchResults } from "./search.tsx";
import { callOfDraft, callOfRow } from "./tool-call.ts";
import { toolHeading, ToolCard, type CallCardProps } from "./tool-card.tsx";

/** As high as a closed card. */
const TitleCard = ({ call }: CallCardProps) => <ToolCard call={call} title={toolHeading(call.name)} />;

type RareCards = typeof import("./rare-cards.ts");
const rare = (pick: (cards: RareCards) => ComponentType<CallCardProps>): Later<CallCardProps> =>
  later(async () => pick(await import("./rare-cards.ts")), TitleCard);

const OtherCard = rare((cards) => cards.OtherCard);
/** Loaded with the first call that needs one of them, or soon after the first screen. */
const RARE_CARDS: Partial<Readonly<Record<KnownTool, Later<CallCardProps>>>> = {
  AskUserQuestion: rare((cards) => cards.QuestionToolCard),
  EnterPlanMode: rare((cards) => cards.EnterPlanCard),
  ExitPlanMode: rare((cards) => cards.PlanToolCard),
  Monitor: rare((cards) => cards.MonitorCard),
  NotebookEdit: rare((cards) => cards.NotebookEditCard),
  Skill: rare((cards) => cards.SkillCard),
  TaskCreate: rare((cards) => cards.TaskCreateCard),
  TaskGet: rare((cards) => cards.TaskGetCard),
  TaskList: rare((cards) => cards.TaskListCard),
  TaskOutput: rare((cards) => cards.TaskOutputCard),
  TaskStop: rare((cards) => cards.TaskStopCard),
  TaskUpdate: rare((cards) => cards.TaskUpdateCard),
  WebFetch: rare((cards) => cards.WebFetchCard),
  WebSearch: rare((cards) => cards.WebSearchCard),
};
const CARDS: Partial<Readonly<Record<KnownTool, ComponentType<CallCardProps>>>> = {
  ...RARE_CARDS,
  Agent: AgentCard,
  Bash: BashCard,
  Edit: EditCard,
  Glob: GlobCard,
  Grep: GrepCard,
  MultiEdit: EditCard,
  PowerShell: BashCard,
  Read: ReadCard,
  TodoWrite: TodoWriteCard,
  Write: WriteCard,
};

export const prefetchCards = (): void => {
  prefetchResults();
  for (const card of [OtherCard, ...Object.values(RARE_CARDS)]) card.prefetch();
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
