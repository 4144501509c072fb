// Cards that the first screen can do without. One file, because many small files compress worse.

export { AgentCard } from "./agent.tsx";
export { MonitorCard, TaskOutputCard, TaskStopCard } from "./background.tsx";
export { OtherCard } from "./other.tsx";
export { EnterPlanCard, PlanCard } from "./plan.tsx";
export { QuestionCard } from "./question.tsx";
export { GlobCard, GrepCard } from "./search.tsx";
export { SkillCard } from "./skill.tsx";
export { TaskCreateCard, TaskGetCard, TaskListCard, TaskUpdateCard, TodoWriteCard } from "./tasks.tsx";
export { WebFetchCard, WebSearchCard } from "./web.tsx";
