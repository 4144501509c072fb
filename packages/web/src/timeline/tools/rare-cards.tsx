// Cards that most first screens can do without. One file, because many small files compress worse.

import type { ComponentType } from "react";
import { knownTool, type KnownTool } from "@quarterdeck/client/content";
import { MonitorCard, TaskOutputCard, TaskStopCard } from "./background.tsx";
import { NotebookEditCard } from "./notebook.tsx";
import { OtherCard } from "./other.tsx";
import { EnterPlanCard, PlanToolCard } from "./plan.tsx";
import { QuestionToolCard } from "./question.tsx";
import { SkillCard } from "./skill.tsx";
import { TaskCreateCard, TaskGetCard, TaskListCard, TaskUpdateCard } from "./tasks.tsx";
import type { CallCardProps } from "./tool-card.tsx";
import { WebFetchCard, WebSearchCard } from "./web.tsx";

const RARE_CARDS: Partial<Readonly<Record<KnownTool, ComponentType<CallCardProps>>>> = {
  AskUserQuestion: QuestionToolCard,
  EnterPlanMode: EnterPlanCard,
  ExitPlanMode: PlanToolCard,
  Monitor: MonitorCard,
  NotebookEdit: NotebookEditCard,
  Skill: SkillCard,
  TaskCreate: TaskCreateCard,
  TaskGet: TaskGetCard,
  TaskList: TaskListCard,
  TaskOutput: TaskOutputCard,
  TaskStop: TaskStopCard,
  TaskUpdate: TaskUpdateCard,
  WebFetch: WebFetchCard,
  WebSearch: WebSearchCard,
};

export const RareCard = ({ call }: CallCardProps) => {
  const tool = knownTool(call.name);
  const Card = (tool === undefined ? undefined : RARE_CARDS[tool]) ?? OtherCard;
  return <Card call={call} />;
};
