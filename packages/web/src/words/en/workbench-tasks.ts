// The tab of the model's task list.

import { plural } from "../format.ts";

export const english = {
  tasks: "Tasks",
  none: "Claude has no task list here. For longer work it makes one by itself.",
  done: "{count} done",
  ofAll: (part: number, all: number) => `${part} of ${all}`,
  form: "Form",
  forms: { list: "List", board: "Board", graph: "Dependencies" },
  tasksDone: (done: number, all: number) => `${done} of ${all} tasks done`,
  states: { in_progress: "In progress", pending: "To do", completed: "Done" },
  stateWords: { in_progress: "in progress", pending: "to do", completed: "done" },
  notConfirmed: "not confirmed yet",
  waitsFor: (names: string) => `waits for ${names}`,
  then: (names: string) => `then ${names}`,
  changes: (count: number) => plural(count, "change"),
  changesOf: (count: number, task: string) => `${plural(count, "change")} of ${task}`,
  isNew: "new",
  noneWaits: "No task waits for another.",
  dependencies: (count: number, sentences: readonly string[]) => `${count} dependencies: ${sentences.join("; ")}`,
  dependency: (task: string, first: string) => `${task} waits for ${first}`,
  change: {
    created: "created",
    owner: (name: string) => `owner ${name}`,
    subject: (name: string) => `renamed to “${name}”`,
    description: "new description",
    blocks: (task: string) => `must come before ${task}`,
    blockedBy: (task: string) => `waits for ${task}`,
  },
};
