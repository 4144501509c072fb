// Work in progress: background tasks, progress of tools, changed files.

import type { MessageOf, SystemMessage, ToolResult } from "@quarterdeck/protocol";
import { leaveTools, rowOf } from "./folding.ts";
import type { Folding } from "./folding.ts";
import type { Head, Task, TouchedFile } from "./head.ts";
import type { ToolRow } from "./row.ts";
import { foldTodos } from "./todos.ts";

const putTask = (folding: Folding, id: string, patch: Partial<Task>): void => {
  const { timeline } = folding;
  const { tasks } = timeline.head;
  const at = tasks.findIndex((task) => task.id === id);
  const base: Task = tasks[at] ?? { id, description: "", status: "running", background: false, startedAt: folding.at };
  const task = { ...base, ...patch };
  timeline.setHead({ tasks: at === -1 ? [...keptTasks(tasks), task] : tasks.with(at, task) });
  // An agent that was stopped during a call sends no result for it.
  const { toolUseId } = task;
  if (patch.endedAt !== undefined && toolUseId !== undefined)
    leaveTools(folding, "unfinished", (parent) => parent === toolUseId);
};

/** Keeps running tasks and the most recent ended ones, because a long session starts thousands. */
const keptTasks = (tasks: readonly Task[]): readonly Task[] => {
  if (tasks.length < TASKS_KEPT) return tasks;
  const oldest = tasks.find((task) => task.endedAt !== undefined);
  return oldest === undefined ? tasks : tasks.filter((task) => task !== oldest);
};
const TASKS_KEPT = 100;

export const foldTaskStarted = (folding: Folding, message: SystemMessage<"task_started">): void => {
  putTask(folding, message.task_id, {
    description: message.description,
    background: message.is_backgrounded ?? true,
    startedAt: folding.at,
    ...(message.tool_use_id !== undefined && { toolUseId: message.tool_use_id }),
    ...(message.task_type !== undefined && { type: message.task_type }),
    ...(message.subagent_type !== undefined && { agentType: message.subagent_type }),
  });
  const row = message.tool_use_id === undefined ? undefined : rowOf(folding, `tool/${message.tool_use_id}`, "tool");
  if (row !== undefined) folding.timeline.update(row, { taskId: message.task_id });
};

export const foldTaskProgress = (folding: Folding, message: SystemMessage<"task_progress">): void =>
  putTask(folding, message.task_id, {
    activity: message.description,
    tokens: message.usage.total_tokens,
    toolUses: message.usage.tool_uses,
    ...(message.last_tool_name !== undefined && { lastTool: message.last_tool_name }),
    ...(message.summary !== undefined && { summary: message.summary }),
  });

export const foldTaskUpdated = (folding: Folding, message: SystemMessage<"task_updated">): void => {
  const { status, description, end_time: endTime, is_backgrounded: background } = message.patch;
  putTask(folding, message.task_id, {
    ...(status !== undefined && { status }),
    ...(description !== undefined && { description }),
    ...(endTime !== undefined && { endedAt: folding.at }),
    ...(background !== undefined && { background }),
  });
};

export const foldTaskNotification = (folding: Folding, message: SystemMessage<"task_notification">): void =>
  putTask(folding, message.task_id, {
    status: message.status,
    summary: message.summary,
    endedAt: folding.at,
    ...(message.output_file !== undefined && message.output_file !== "" && { outputFile: message.output_file }),
    ...(message.usage !== undefined && { tokens: message.usage.total_tokens, toolUses: message.usage.tool_uses }),
  });

/** Full list of live tasks. A running task that is missing has ended. */
export const foldTaskLevel = (folding: Folding, message: SystemMessage<"background_tasks_changed">): void => {
  const live = new Set(message.tasks.map((task) => task.task_id));
  for (const task of message.tasks) {
    putTask(folding, task.task_id, {
      description: task.description,
      type: task.task_type,
      background: true,
      ...(task.subagent_type !== undefined && { agentType: task.subagent_type }),
    });
  }
  for (const task of folding.timeline.head.tasks) {
    if (task.background && !live.has(task.id) && task.endedAt === undefined && task.status === "running") {
      putTask(folding, task.id, { status: "ended", endedAt: folding.at });
    }
  }
};

export const endTasks = (folding: Folding): void => {
  for (const task of folding.timeline.head.tasks) {
    if (task.endedAt === undefined) putTask(folding, task.id, { status: "ended", endedAt: folding.at });
  }
};

export const foldToolProgress = (folding: Folding, message: MessageOf<"tool_progress">): void => {
  // A heartbeat has its own id and names the call as its parent.
  const ids = [message.tool_use_id, message.parent_tool_use_id].flatMap((id) => (typeof id === "string" ? [id] : []));
  for (const id of ids) {
    const row = rowOf(folding, `tool/${id}`, "tool");
    if (row !== undefined && row.result === undefined) {
      folding.timeline.update(row, { elapsedSeconds: message.elapsed_time_seconds });
      return;
    }
  }
};

export const foldToolEffect = (folding: Folding, row: ToolRow, result: ToolResult): void => {
  switch (result.tool) {
    case "TodoWrite":
    case "TaskCreate":
    case "TaskUpdate":
    case "TaskList":
    case "TaskGet":
      if (row.parent === undefined) foldTodos(folding, row, result);
      break;
    case "Edit":
    case "Write":
    case "NotebookEdit":
      touchFile(folding, result);
      break;
  }
};

const touchFile = (
  folding: Folding,
  result: Extract<ToolResult, { tool: "Edit" | "Write" | "NotebookEdit" }>,
): void => {
  const { timeline } = folding;
  const done = result.structured as
    | {
        filePath?: string;
        notebook_path?: string;
        type?: string;
        content?: string;
        structuredPatch?: { lines: string[] }[];
      }
    | undefined;
  const path = done?.filePath ?? done?.notebook_path;
  if (done === undefined || path === undefined) return;
  const created = done.type === "create";
  const lines = (done.structuredPatch ?? []).flatMap((hunk) => hunk.lines);
  const added = created ? lineCount(done.content ?? "") : lines.filter((line) => line.startsWith("+")).length;
  const removed = lines.filter((line) => line.startsWith("-")).length;
  const before: TouchedFile = timeline.head.files[path] ?? { path, created, edits: 0, added: 0, removed: 0 };
  const after = { ...before, edits: before.edits + 1, added: before.added + added, removed: before.removed + removed };
  const { gauges } = timeline.head;
  timeline.setHead({
    files: keptFiles(timeline.head.files, after),
    gauges: { ...gauges, linesAdded: gauges.linesAdded + added, linesRemoved: gauges.linesRemoved + removed },
  });
};

/** The newest last. A session that changes thousands of files shows the rest in its rows. */
const keptFiles = (files: Head["files"], touched: TouchedFile): Head["files"] => {
  const others = Object.entries(files).filter(([path]) => path !== touched.path);
  return Object.fromEntries([...others.slice(1 - FILES_KEPT), [touched.path, touched]]);
};
const FILES_KEPT = 500;

const lineCount = (text: string): number => (text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0));
