// What the parts of the fold share: the timeline they write to, and what must be remembered between events. All of it is
// plain data, so that a fold can be saved at any point.

import type { ModelUsage } from "@quarterdeck/protocol";
import type { Row, RowBase } from "./row.ts";
import type { NewRow, Timeline } from "./timeline.ts";

export interface Memory {
  seq: number;
  /** Next block of each message of the API. */
  blocks: Record<string, number>;
  /** Rows of the newest assistant messages, by their uuid: what `supersedes` and retractions take back. */
  rowsOfMessage: Record<string, string[]>;
  /** How many assistant messages there were. */
  messages: number;
  /** Tool calls without a result. */
  openTools: Record<string, true>;
  /** Requests of ours that wait for their answer, by id: their subtype. */
  asked: Record<string, string>;
  /** Rows of prompts by uuid, and of those without one in the order in which they were sent. */
  unnamedPrompts: string[];
  /** Prompts that the running turn answers, and whether anything has been said in it. */
  turn: { prompts: string[]; wokeItself: boolean; spoke: boolean } | null;
  /** Prompts that were sent while a turn ran: they stand where they begin, not where they were typed. */
  sentWhileBusy: Record<string, true>;
  /** The compaction whose summary comes next. */
  compactionRow: string | null;
  lastTurn: { ok: boolean; interrupted: boolean } | null;
  /** Cumulative cost as the running process counts it. */
  processCost: number | null;
  /** Cumulative use of each model, as the running process counts it. */
  processModels: Record<string, ModelUsage>;
  initialized: boolean;
  compacting: boolean;
  /** The retry that is not over yet. */
  retryRow: string | null;
  /** The CLI's estimate for the thinking that goes on. */
  thinkingTokens: number | null;
  hookRows: Record<string, string>;
  /** How the process was asked to end, if it was. */
  ending: boolean;
  /** The newest of stderr as it came. The head shows it without secrets, and a secret may come in two parts. */
  stderr: string;
}

export const newMemory = (): Memory => ({
  seq: 0,
  blocks: {},
  rowsOfMessage: {},
  messages: 0,
  openTools: {},
  asked: {},
  unnamedPrompts: [],
  turn: null,
  sentWhileBusy: {},
  compactionRow: null,
  lastTurn: null,
  processCost: null,
  processModels: {},
  initialized: false,
  compacting: false,
  retryRow: null,
  thinkingTokens: null,
  hookRows: {},
  ending: false,
  stderr: "",
});

export interface Folding {
  readonly timeline: Timeline;
  readonly memory: Memory;
  /** Of the event at hand. */
  at: number;
  seq: number;
  /** Where the stream stands. Not saved: drafts are not facts. */
  streaming: { messageId: string } | null;
  readonly openDrafts: Map<number, string>;
}

type Rest<R> = R extends NewRow ? Omit<R, "id" | "at" | "seqs"> : never;

/** A row that this event alone makes. Without an id of the wire it is named for the event. */
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

/** Calls that will get no result any more. */
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

/** What concerns messages long past is forgotten now and then, so that a long session costs no more to save than a short one. */
export const forgetOldMessages = ({ memory }: Folding): void => {
  memory.messages++;
  if (memory.messages % REMEMBERED !== 0) return;
  for (const record of [memory.blocks, memory.rowsOfMessage]) {
    for (const key of Object.keys(record).slice(0, -REMEMBERED)) delete record[key];
  }
};

export const parentOf = (message: { parent_tool_use_id?: string | null | undefined }): { parent?: string } =>
  typeof message.parent_tool_use_id === "string" ? { parent: message.parent_tool_use_id } : {};
