// What the parts of the fold share: the timeline, and the memory between events. All of it is plain data, so a fold can be
// saved at any point.

import type { ModelUsage } from "@quarterdeck/protocol";
import type { Todo } from "./head.ts";
import type { Row, RowBase } from "./row.ts";
import type { NewRow, Timeline } from "./timeline.ts";

export interface Memory {
  seq: number;
  /** The next block index of each API message. */
  blocks: Record<string, number>;
  /** Rows of recent assistant messages by uuid, for `supersedes` and retractions. */
  rowsOfMessage: Record<string, string[]>;
  /** The number of assistant messages. */
  messages: number;
  /** Tool calls without a result. */
  openTools: Record<string, true>;
  /** Subtypes of our unanswered requests, by id. */
  asked: Record<string, string>;
  /** What unanswered requests would set, by id. Only what every role may see. */
  askedSettings: Record<string, Readonly<Record<string, string | number | boolean | null>>>;
  /** Rows of prompts by uuid. Rows of prompts without a uuid, in the order of sending. */
  unnamedPrompts: string[];
  /** Prompts that the running turn answers, and whether it has produced anything. */
  turn: { prompts: string[]; wokeItself: boolean; spoke: boolean } | null;
  /** Prompts that were sent during a turn. They are placed where they start, not where they were typed. */
  sentWhileBusy: Record<string, true>;
  /** The compaction whose summary is next. */
  compactionRow: string | null;
  lastTurn: { ok: boolean; interrupted: boolean } | null;
  /** Cumulative cost as the running process counts it. */
  processCost: number | null;
  /** The past was copied from another session. The CLI's first total includes what that one cost. */
  isFork: boolean;
  /** Cumulative use of each model, as the running process counts it. */
  processModels: Record<string, ModelUsage>;
  initialized: boolean;
  compacting: boolean;
  /** The current retry. */
  retryRow: string | null;
  /** The CLI's estimate for the current thinking. */
  thinkingTokens: number | null;
  hookRows: Record<string, string>;
  /** The task list, as results have confirmed it. */
  todos: readonly Todo[];
  /** Rows of calls that will change the list, by the id of the call. */
  awaitedTodos: Record<string, string>;
  /** How the host asked the process to end, if it did. */
  ending: boolean;
  /** Recent raw stderr. The head shows it without secrets, and a secret may come in two parts. */
  stderr: string;
  /** The end of what the last process wrote to stderr. */
  ownStderr: string;
}

export const newMemory = (): Memory => ({
  seq: 0,
  blocks: {},
  rowsOfMessage: {},
  messages: 0,
  openTools: {},
  asked: {},
  askedSettings: {},
  unnamedPrompts: [],
  turn: null,
  sentWhileBusy: {},
  compactionRow: null,
  lastTurn: null,
  processCost: null,
  isFork: false,
  processModels: {},
  initialized: false,
  compacting: false,
  retryRow: null,
  thinkingTokens: null,
  hookRows: {},
  todos: [],
  awaitedTodos: {},
  ending: false,
  stderr: "",
  ownStderr: "",
});

export interface Folding {
  readonly timeline: Timeline;
  readonly memory: Memory;
  /** The current event. */
  at: number;
  seq: number;
  /** The state of the stream. Not saved, because drafts are not facts. */
  streaming: { messageId: string } | null;
  readonly openDrafts: Map<number, string>;
}

type Rest<R> = R extends NewRow ? Omit<R, "id" | "at" | "seqs"> : never;

/** A row of this event only. If the wire has no id, the row is named after the event. */
export const toolRowId = (toolUseId: string): string => `tool/${toolUseId}`;
export const blockRowId = (messageId: string, index: number): string => `${messageId}/${index}`;

export const addRow = (folding: Folding, row: Rest<NewRow>, id?: string): string => {
  const base = { at: folding.at, seqs: [folding.seq] } satisfies Partial<RowBase>;
  let unique = id ?? `e${folding.seq}`;
  for (let n = 2; folding.timeline.row(unique) !== undefined; n++) unique = `${id ?? `e${folding.seq}`}~${n}`;
  folding.timeline.insert({ ...row, ...base, id: unique });
  return unique;
};

export const rowOf = <K extends Row["kind"]>(
  folding: Folding,
  id: string,
  kind: K,
): Extract<Row, { kind: K }> | undefined => {
  const row = folding.timeline.row(id);
  return row?.kind === kind ? (row as Extract<Row, { kind: K }>) : undefined;
};

/** Calls that will get no result. */
export const leaveTools = (
  folding: Folding,
  state: "interrupted" | "unfinished",
  which: (parent?: string) => boolean,
): void => {
  for (const id of Object.keys(folding.memory.openTools)) {
    const row = rowOf(folding, `tool/${id}`, "tool");
    if (row !== undefined && !which(row.parent)) continue;
    delete folding.memory.openTools[id];
    if (row !== undefined && row.result === undefined) folding.timeline.update(row, { state, endedAt: folding.at });
  }
};

const REMEMBERED = 1000;

/** Forgets data about old messages now and then, so a long session costs no more to save than a short one. */
export const forgetOldMessages = ({ memory }: Folding): void => {
  memory.messages++;
  if (memory.messages % REMEMBERED !== 0) return;
  for (const record of [memory.blocks, memory.rowsOfMessage]) {
    for (const key of Object.keys(record).slice(0, -REMEMBERED)) delete record[key];
  }
};

export const parentOf = (message: { parent_tool_use_id?: string | null | undefined }): { parent?: string } =>
  typeof message.parent_tool_use_id === "string" ? { parent: message.parent_tool_use_id } : {};
