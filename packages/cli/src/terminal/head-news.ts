// Changes in the head of a session, as short notes for a terminal. Rows show the rest.

import type { Head, Task, Todo, ToolRow } from "@quarterdeck/session";
import { clip } from "./terminal.ts";
import type { Paint } from "./terminal.ts";
import { oneLine } from "./tool-lines.ts";
import type { Looks } from "./tool-lines.ts";

export interface HeadNote {
  readonly text: string;
  readonly style: Parameters<Paint>[0];
}

/** Finds the row of a call. The call of a foreground task still waits for its result. */
type CallOf = (toolUseId: string) => ToolRow | undefined;

export const headNews = (before: Head, after: Head, callOf: CallOf): HeadNote[] =>
  before === after
    ? []
    : [
        ...compacting(before, after),
        ...renamed(before, after),
        ...limited(before, after),
        ...endedTasks(before, after, callOf),
        ...withdrawn(before, after),
        ...stderr(before, after),
        ...ended(before, after),
      ];

const note = (text: string, style: HeadNote["style"] = "dim"): HeadNote[] => [{ text, style }];

const compacting = (before: Head, after: Head): HeadNote[] =>
  after.phase === "compacting" && before.phase !== "compacting" ? note("compacting the conversation ...") : [];

const renamed = (before: Head, after: Head): HeadNote[] =>
  after.title === undefined || after.title === before.title
    ? []
    : note(`the session is called: ${oneLine(after.title)}`);

/** A reached limit has its own row. */
const limited = ({ limit: before }: Head, { limit }: Head): HeadNote[] =>
  limit === undefined || limit.status === "rejected" || JSON.stringify(limit) === JSON.stringify(before)
    ? []
    : note(`rate limit: ${limit.status}`, "yellow");

const endedTasks = (before: Head, after: Head, callOf: CallOf): HeadNote[] => {
  if (before.tasks === after.tasks) return [];
  const isTold = new Set(before.tasks.filter(hasReported).map(({ id }) => id));
  return after.tasks
    .filter((task) => hasReported(task) && !isTold.has(task.id) && isInBackground(task, callOf))
    .flatMap(({ status, summary }) => note(`background task ${status}: ${oneLine(summary ?? "")}`));
};
/** A task that is only missing from the live list has status "ended". Its report may follow. */
const hasReported = ({ endedAt, status, summary }: Task): boolean =>
  endedAt !== undefined && status !== "ended" && summary !== undefined;

/** Older CLIs do not report which tasks run in the background. */
const isInBackground = ({ background, toolUseId }: Task, callOf: CallOf): boolean => {
  const call = toolUseId === undefined ? undefined : callOf(toolUseId);
  return background && (call === undefined || call.result !== undefined);
};

const withdrawn = (before: Head, after: Head): HeadNote[] => {
  if (before.closedRequests === after.closedRequests) return [];
  const isTold = new Set(before.closedRequests.map(({ id }) => id));
  return after.closedRequests
    .filter(({ id, fate }) => fate === "cancelled" && !isTold.has(id))
    .flatMap(() => note("the request is withdrawn"));
};

const stderr = (before: Head, after: Head): HeadNote[] => {
  const text = addedTo(before.stderr, after.stderr);
  return text.trim() === "" ? [] : note(text, "yellow");
};

const MOST_OVERLAP = 256;

/** The part of `after` that is not in `before`. The beginning of `before` may be missing in `after`. */
export const addedTo = (before: string, after: string): string => {
  if (after.startsWith(before)) return after.slice(before.length);
  const end = before.slice(-MOST_OVERLAP);
  const at = after.lastIndexOf(end);
  return at === -1 ? after : after.slice(at + end.length);
};

/** A process that died has its own row. */
const ended = (before: Head, { process, phase }: Head): HeadNote[] => {
  if (before.process?.running !== true || process?.running !== false || phase === "died") return [];
  const how = process.code === 0 ? "" : ` (${process.signal ?? String(process.code)})`;
  return note(`The process has ended${how}.`);
};

/** The task list, with completed tasks. */
export const todoLines = (todos: readonly Todo[], { paint, width }: Looks): string[] => {
  const done = todos.filter(({ status }) => status === "completed").length;
  return [
    paint("bold", `Tasks  ${done}/${todos.length}`),
    ...todos.map(({ id, subject, status }) => {
      const text = clip(oneLine(subject === "" ? `task ${id}` : subject), width - 2);
      if (status === "completed") return `${paint("green", "☑")} ${paint("dim", text)}`;
      return status === "in_progress" ? `${paint("yellow", "▶")} ${paint("bold", text)}` : `☐ ${text}`;
    }),
  ];
};
