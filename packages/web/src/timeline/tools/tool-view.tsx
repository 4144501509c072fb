// Chooses the card of a tool call.

import { memo, useMemo, type ComponentType } from "react";
import type { Draft, ToolRow } from "@quarterdeck/client";
import { knownTool, type KnownTool } from "@quarterdeck/client/content";
import { useDraft } from "../drafts.ts";
import { AgentCard } from "./agent.tsx";
import { MonitorCard, TaskOutputCard, TaskStopCard } from "./background.tsx";
import { BashCard } from "./bash.tsx";
import { EditCard, WriteCard } from "./edit.tsx";
import { NotebookEditCard } from "./notebook.tsx";
import { OtherCard } from "./other.tsx";
import { EnterPlanCard, PlanCard } from "./plan.tsx";
import { QuestionCard } from "./question.tsx";
import { ReadCard } from "./read.tsx";
import { GlobCard, GrepCard } from "./search.tsx";
import { SkillCard } from "./skill.tsx";
import { TaskCreateCard, TaskGetCard, TaskListCard, TaskUpdateCard, TodoWriteCard } from "./tasks.tsx";
import { callOfDraft, callOfRow } from "./tool-call.ts";
import type { CardProps } from "./tool-card.tsx";
import { WebFetchCard, WebSearchCard } from "./web.tsx";

const CARDS: Partial<Readonly<Record<KnownTool, ComponentType<CardProps>>>> = {
  Agent: AgentCard,
  AskUserQuestion: QuestionCard,
  Bash: BashCard,
  Edit: EditCard,
  EnterPlanMode: EnterPlanCard,
  ExitPlanMode: PlanCard,
  Glob: GlobCard,
  Grep: GrepCard,
  Monitor: MonitorCard,
  MultiEdit: EditCard,
  NotebookEdit: NotebookEditCard,
  PowerShell: BashCard,
  Read: ReadCard,
  Skill: SkillCard,
  TaskCreate: TaskCreateCard,
  TaskGet: TaskGetCard,
  TaskList: TaskListCard,
  TaskOutput: TaskOutputCard,
  TaskStop: TaskStopCard,
  TaskUpdate: TaskUpdateCard,
  TodoWrite: TodoWriteCard,
  WebFetch: WebFetchCard,
  WebSearch: WebSearchCard,
  Write: WriteCard,
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
