// Cards that most first screens can do without. One file, because many small files compress worse.

export { MonitorCard, TaskOutputCard, TaskStopCard } from "./background.tsx";
export { NotebookEditCard } from "./notebook.tsx";
export { OtherCard } from "./other.tsx";
export { EnterPlanCard, PlanToolCard } from "./plan.tsx";
export { QuestionToolCard } from "./question.tsx";
export { SkillCard } from "./skill.tsx";
export { TaskCreateCard, TaskGetCard, TaskListCard, TaskUpdateCard } from "./tasks.tsx";
export { WebFetchCard, WebSearchCard } from "./web.tsx";
