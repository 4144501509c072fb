// The model's task list as a list and a board.

import type { Todo } from "@quarterdeck/client";
import { byKey } from "../../words/by-key.ts";
import { WORDS } from "./words.ts";

const TASK_STATES = ["in_progress", "pending", "completed"] as const;

/** A state in words. A newer CLI may have others. */
export const stateTitle = (status: string): string => byKey(WORDS.states, status).replaceAll("_", " ");
const stateWords = (status: string): string => byKey(WORDS.stateWords, status).replaceAll("_", " ");

export interface TaskLane {
  readonly status: string;
  readonly title: string;
  readonly tasks: readonly Todo[];
}

/** A lane for each known state, and one for each state that a newer CLI may bring. */
export const taskLanes = (tasks: readonly Todo[]): readonly TaskLane[] => {
  const known = new Set<string>(TASK_STATES);
  const others = [...new Set(tasks.map(({ status }) => status).filter((status) => !known.has(status)))];
  return [...TASK_STATES, ...others].map((status) => ({
    status,
    title: stateTitle(status),
    tasks: tasks.filter((task) => task.status === status),
  }));
};

/** Tasks that must be done first. Either side of a dependency may name it. Tasks that are done block nothing. */
export const blockersOf = (task: Todo, tasks: readonly Todo[]): readonly Todo[] =>
  tasks.filter(
    ({ id, status, blocks }) =>
      id !== task.id && status !== "completed" && (task.blockedBy.includes(id) || blocks.includes(task.id)),
  );

/** Tasks that wait for this one. */
export const waitingFor = (task: Todo, tasks: readonly Todo[]): readonly Todo[] =>
  tasks.filter(
    ({ id, status, blockedBy }) =>
      id !== task.id && status !== "completed" && (task.blocks.includes(id) || blockedBy.includes(task.id)),
  );

type Change = NonNullable<Todo["history"]>[number];

/** A change of a task in words. */
export const changeWords = ({ what, from, to }: Change, tasks: readonly Todo[]): string => {
  const named = `${to} ${tasks.find(({ id }) => id === to)?.subject ?? ""}`.trim();
  switch (what) {
    case "created":
      return WORDS.change.created;
    case "status":
      return from === undefined ? stateWords(to) : `${stateWords(from)} → ${stateWords(to)}`;
    case "owner":
      return WORDS.change.owner(to);
    case "subject":
      return WORDS.change.subject(to);
    case "description":
      return WORDS.change.description;
    case "blocks":
      return WORDS.change.blocks(named);
    case "blockedBy":
      return WORDS.change.blockedBy(named);
  }
};
