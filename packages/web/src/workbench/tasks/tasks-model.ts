// The model's task list as a list and a board.

import type { Head } from "@quarterdeck/client";

export type Task = Head["todos"][number];

export const STATES = [
  ["in_progress", "In progress"],
  ["pending", "To do"],
  ["completed", "Done"],
] as const;

export interface Lane {
  readonly status: string;
  readonly title: string;
  readonly tasks: readonly Task[];
}

/** A lane for each known state, and one for each state that a newer CLI may bring. */
export const lanesOf = (tasks: readonly Task[]): readonly Lane[] => {
  const known = new Set<string>(STATES.map(([status]) => status));
  const others = [...new Set(tasks.map(({ status }) => status).filter((status) => !known.has(status)))];
  return [...STATES, ...others.map((status) => [status, status.replaceAll("_", " ")] as const)].map(
    ([status, title]) => ({ status, title, tasks: tasks.filter((task) => task.status === status) }),
  );
};

/** Tasks that must be done first. Either side of a dependency may name it. Tasks that are done block nothing. */
export const blockersOf = (task: Task, tasks: readonly Task[]): readonly Task[] =>
  tasks.filter(
    ({ id, status, blocks }) =>
      id !== task.id && status !== "completed" && (task.blockedBy.includes(id) || blocks.includes(task.id)),
  );

/** Tasks that wait for this one. */
export const waitingFor = (task: Task, tasks: readonly Task[]): readonly Task[] =>
  tasks.filter(
    ({ id, status, blockedBy }) =>
      id !== task.id && status !== "completed" && (task.blocks.includes(id) || blockedBy.includes(task.id)),
  );
