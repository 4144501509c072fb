// Cards of tool calls that most first screens do not have.

import { plural } from "../format.ts";

export const english = {
  // Background.
  outputTitle: "Background output",
  waits: " (waiting for it to finish)",
  stop: "Stop",
  stopped: "stopped",
  watching: "watching",
  // Notebooks.
  code: "code",
  cellOutput: "Cell output",
  aCellOutput: "cell output",
  changed: {
    replace: "cell replaced",
    insert: "cell inserted",
    delete: "cell deleted",
  } as Readonly<Record<string, string>>,
  planned: {
    replace: "replace a cell",
    insert: "insert a cell",
    delete: "delete a cell",
  } as Readonly<Record<string, string>>,
  deletes: (cell: string) => `Deletes cell ${cell}.`,
  // Other tools.
  done: "done",
  input: "Input",
  result: "Result",
  resource: "Resource: {link}",
  // Plans and questions.
  plan: "Plan",
  edited: "changed by you",
  approved: "approved",
  wants: (tool: string, purpose: string) => `wants to use ${tool} to ${purpose}`,
  planMode: "Plan mode",
  planModeAbout: "reads and plans, changes nothing",
  entered: "entered",
  questions: (questions: number) => (questions > 1 ? plural(questions, "question") : "Question"),
  answered: "answered",
  chosen: "chosen: ",
  note: (note: string) => `Note: ${note}`,
  notAnswered: "not answered",
  // Policies.
  off: (policy: string) => `“${policy}” is off.`,
  byPolicy: (isAllowed: boolean, hasRule: boolean) =>
    `${isAllowed ? "Allowed" : "Denied"} by your policy “{name}”${hasRule ? " ({rule})" : ""}.${isAllowed ? "" : " To run it, turn the policy off and ask Claude again."}`,
  isOff: "Policy is off",
  turnOff: "Turn off policy",
  // Searches and the web.
  results: "Results",
  all: (count: number) => `Show all ${count}`,
  inAgent: "ran in an agent",
  loaded: "loaded",
  prompt: "Prompt:",
  source: "Source: {link}",
  only: (sites: string) => ` only ${sites}`,
  without: (sites: string) => ` without ${sites}`,
  hits: (hits: number) => plural(hits, "result"),
  // Tasks.
  newTask: "New task",
  task: "Task",
  whileRunning: (form: string) => `While it runs: ${form}`,
  owner: (owner: string) => `owner ${owner}`,
  after: (ids: string) => `after ${ids}`,
  before: (ids: string) => `before ${ids}`,
  description: "description",
  noTasks: "no tasks",
  blockedBy: (ids: string) => `blocked by ${ids}`,
  blockedByTasks: (tasks: number, ids: string) => `Blocked by ${plural(tasks, "task")}: ${ids}`,
  notFound: "not found",
};
