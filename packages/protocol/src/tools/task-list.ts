// Reads the texts of TaskCreate, TaskUpdate, TaskList and TaskGet, for results without a structured form (inside a
// subagent, in a batch). The texts are the same in 2.1.38 and 2.1.325.

import type { ListedTask } from "./result-shapes.ts";
import type { ToolResults } from "./tool-results.ts";

const idsOf = (text: string | undefined): string[] => text?.match(/(?<=#)[^\s,#\]]+/g) ?? [];

/**
 * An owner is printed as "(name)" after the subject. A subject may end like that too, so the text stays in the subject.
 */
const listedTask = (line: string): ListedTask | undefined => {
  const match = /^#(\S+) \[([a-z_]+)\] (.*)$/.exec(line);
  if (match?.[1] === undefined || match[2] === undefined || match[3] === undefined) return undefined;
  const cut = match[3].endsWith("]") ? match[3].lastIndexOf(" [blocked by #") : -1;
  const subject = cut === -1 ? match[3] : match[3].slice(0, cut);
  return { id: match[1], subject, status: match[2], blockedBy: cut === -1 ? [] : idsOf(match[3].slice(cut)) };
};

const readTaskList = (text: string): ToolResults["TaskList"] | undefined => {
  if (text.trim() === "No tasks found") return { tasks: [] };
  const tasks = text.split("\n").map(listedTask);
  return tasks.every((task) => task !== undefined) ? { tasks } : undefined;
};

const readTaskGet = (text: string): ToolResults["TaskGet"] | undefined => {
  if (text.trim() === "Task not found") return { task: null };
  const head = /^Task #(\S+): ([^\n]*)\nStatus: ([a-z_]+)\nDescription: /.exec(text);
  if (head?.[1] === undefined || head[2] === undefined || head[3] === undefined) return undefined;
  const tail = /(?:\nBlocked by: (#[^\n]*))?(?:\nBlocks: (#[^\n]*))?$/.exec(text);
  return {
    task: {
      id: head[1],
      subject: head[2],
      description: text.slice(head[0].length, tail?.index ?? text.length),
      status: head[3],
      blocks: idsOf(tail?.[2]),
      blockedBy: idsOf(tail?.[1]),
    },
  };
};

const readTaskCreate = (text: string): ToolResults["TaskCreate"] | undefined => {
  const match = /^Task #(\S+) created successfully: ([^\n]*)/.exec(text);
  return match?.[1] === undefined || match[2] === undefined ? undefined : { task: { id: match[1], subject: match[2] } };
};

const readTaskUpdate = (text: string): ToolResults["TaskUpdate"] | undefined => {
  const done = /^Updated task #(\S+) ([^\n]*)/.exec(text);
  if (done?.[1] !== undefined && done[2] !== undefined) {
    return { success: true, taskId: done[1], updatedFields: done[2].split(", ").filter((field) => field !== "") };
  }
  const missing = /^Task #(\S+) not found/.exec(text)?.[1];
  return missing === undefined ? undefined : { success: false, taskId: missing, updatedFields: [], error: text };
};

export const TASK_TEXTS = {
  TaskCreate: readTaskCreate,
  TaskUpdate: readTaskUpdate,
  TaskList: readTaskList,
  TaskGet: readTaskGet,
} as const;
