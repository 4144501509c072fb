// Cards of tool calls that many first screens have.

import { plural } from "../format.ts";

/** What decided about a call. */
export interface Decided {
  readonly isAllowed: boolean;
  readonly decider: string | undefined;
  readonly policy: string | undefined;
  readonly rule: string | undefined;
  readonly mode: string | undefined;
  /** Somebody answered. */
  readonly isAnswered: boolean;
}

export const english = {
  question: "Question",
  openFile: "Open file",
  goTo: (tool: string) => `${tool} needs you: go to the request`,
  reason: (reason: string) => `Reason: ${reason}`,
  said: (device: string | undefined, reason: string) => `${device ?? "You"} said: ${reason}`,
  error: "Error",
  states: {
    writing: "writing",
    asking: "needs you",
    running: "running",
    failed: "failed",
    denied: "denied",
    interrupted: "stopped",
    unfinished: "no result",
  },
  edited: "edited before running",
  answers: {
    AskUserQuestion: { allow: "answered", deny: "dismissed" },
    ExitPlanMode: { allow: "approved", deny: "kept planning" },
  } as Readonly<Record<string, { readonly allow: string; readonly deny: string }>>,
  allowed: "allowed",
  on: (answer: string, device: string) => `${answer} on ${device}`,
  you: (answer: string) => `You ${answer}`,
  youAllowed: "You allowed this",
  youDenied: "You denied this",
  /** Undefined: the shared package has the words. */
  decided: undefined as ((decided: Decided) => string) | undefined,
  // Commands.
  inBackground: "in the background",
  exit: (code: number) => `exit ${code}`,
  claim: "Claude says:",
  output: "output",
  timedOut: (seconds: number) => `Timed out after ${seconds} s.`,
  timesOut: (seconds: number) => `Times out after ${seconds} s.`,
  saved: (size: string | undefined) =>
    `The full output${size === undefined ? "" : ` (${size})`} is in {path}. This is the start.`,
  copyPath: "Copy path",
  runs: "Running in the background",
  background: (status: string) => `In the background: ${status}`,
  ended: "ended",
  /** By the wire's name. */
  statuses: {} as Readonly<Record<string, string>>,
  showOutput: "Show output",
  endOf: (size: string) => `The end of ${size} of output.`,
  noOutputYet: "no output yet",
  // Agents.
  calls: (calls: number) => plural(calls, "tool call"),
  of: (description: string | undefined) => `Conversation of ${description ?? "an agent"}`,
  report: "Report",
  // Files.
  replaceAll: "replace all",
  changed: "changed by you",
  notApplied: "Not applied",
  requested: "Requested edit (line numbers are relative)",
  newFile: "new file",
  pages: (pages: string) => ` pages ${pages}`,
  fromLine: (line: number) => ` from line ${line}`,
  lines: (from: number, to: number) => ` lines ${from} to ${to}`,
  read: (lines: number, all: number | undefined) =>
    all === undefined ? plural(lines, "line") : `${lines} of ${all} lines`,
  image: "image",
  cells: (cells: number) => plural(cells, "cell"),
  pageCount: (pages: number) => plural(pages, "page"),
  empty: "The file is empty.",
  asImages: (pages: number, first: number | undefined) =>
    `${plural(pages, "page")}${first === undefined ? "" : ` from page ${first}`}, as images in {folder}`,
  pdf: (size: string | undefined) => `PDF${size === undefined ? "" : `, ${size}`}.`,
  open: "Open",
  download: "Download",
  // Searches.
  files: (files: number, isCut: boolean) =>
    files === 0 ? "no files" : `${plural(files, "file")}${isCut ? ", truncated" : ""}`,
  matches: (matches: number, isCut: boolean) =>
    matches === 0 ? "no matches" : `${plural(matches, "match", "matches")}${isCut ? ", truncated" : ""}`,
  in: " in ",
  inType: (type: string) => ` in ${type} files`,
  ignoreCase: " (ignore case)",
  tasks: { completed: "done", in_progress: "in progress", pending: "to do", deleted: "deleted" },
  doneOf: (done: number, all: number) => `${done} of ${all}`,
  taskList: "Task list",
};
