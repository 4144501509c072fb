// The entries of the list: rows, long texts in several parts, days between them, drafts at the end, and queued prompts below.
// If nothing changed, the entry is the same object.

import type { Draft, Head, Row, TextRow } from "@quarterdeck/client";
import { isResting, waitsForTurn, worksUnseen } from "@quarterdeck/client/content";
import { blocksOf } from "../content/markdown/block-splitter.ts";
import type { FlowingText } from "../content/markdown/flowing-text.ts";
import { textPartsOf, type TextPart } from "../content/markdown/text-parts.ts";

export type Entry = { readonly key: string } & (
  | { readonly kind: "row"; readonly row: Exclude<Row, TextRow> }
  /** A part of a text. It has no row while the text is being written. */
  | { readonly kind: "text"; readonly row: TextRow | undefined; readonly part: TextPart; readonly isLast: boolean }
  /** The last part of a text that is being written. */
  | { readonly kind: "flowing"; readonly text: FlowingText }
  | { readonly kind: "draft"; readonly draft: Pick<Draft, "id" | "kind" | "name" | "toolUseId" | "at"> }
  | { readonly kind: "day"; readonly at: number }
  /** What is happening while nothing has come yet. */
  | { readonly kind: "tail"; readonly tail: Tail }
);

/** `turn`: a turn runs and has written nothing since its last row. `start`: a message waits for the process. */
export type Tail = "turn" | "start";

const partKey = (id: string, index: number): string => (index === 0 ? id : `${id}~${index}`);

/** The index of a row's first entry. */
export const keyOfRow = (rowId: string): string => rowId;

const entriesOfRow = new WeakMap<Row, readonly Entry[]>();

const entriesOf = (row: Row): readonly Entry[] => {
  const known = entriesOfRow.get(row);
  if (known !== undefined) return known;
  const entries = row.kind === "text" ? entriesOfText(row) : [{ key: row.id, kind: "row", row } as const];
  entriesOfRow.set(row, entries);
  return entries;
};

const entriesOfText = (row: TextRow): readonly Entry[] => {
  const parts = textPartsOf(blocksOf(row.text));
  if (parts.length === 0) return [];
  return parts.map((part, index) => ({
    key: partKey(row.id, index),
    kind: "text",
    row,
    part,
    isLast: index === parts.length - 1,
  }));
};

const entriesOfPart = new WeakMap<TextPart, Entry>();
const entriesOfFlowing = new WeakMap<FlowingText, Entry & { readonly kind: "flowing" }>();

const entriesOfFlow = (text: FlowingText): readonly Entry[] => {
  const full = text.full.map((part, index) => {
    const known = entriesOfPart.get(part);
    const entry = known ?? { key: partKey(text.id, index), kind: "text", row: undefined, part, isLast: false };
    entriesOfPart.set(part, entry);
    return entry;
  });
  const key = partKey(text.id, full.length);
  const known = entriesOfFlowing.get(text);
  const last = known?.key === key ? known : ({ key, kind: "flowing", text } as const);
  entriesOfFlowing.set(text, last);
  return [...full, last];
};

const TAILS: Readonly<Record<Tail, Entry>> = {
  turn: { key: "tail", kind: "tail", tail: "turn" },
  start: { key: "tail", kind: "tail", tail: "start" },
};

/** Whether a line says what is happening. Streamed text, a running tool and a retry show that themselves. */
export const tailOf = ({ phase, queue }: Pick<Head, "phase" | "queue">, drafts: number): Tail | undefined => {
  if (drafts === 0 && worksUnseen(phase)) return "turn";
  return queue.length > 0 && (phase === "starting" || isResting(phase)) ? "start" : undefined;
};

/** A prompt that has not started is below the text that is being written. */
const waits = (row: Row): boolean => row.kind === "prompt" && waitsForTurn(row.state);

const dayOf = (at: number): number => {
  const date = new Date(at);
  return date.getFullYear() * 400 + date.getMonth() * 32 + date.getDate();
};

/** Makes entries. After a change, only those from the first changed row on are made again. */
export class EntryBook {
  #rows: readonly Row[] = [];
  /** The number of entries before row i. */
  #starts: number[] = [];
  #days: number[] = [];
  #settled: Entry[] = [];
  #waiting: readonly Entry[] = [];
  #all: readonly Entry[] = [];
  readonly #isShown: (row: Row) => boolean;

  /** `isShown`: false for rows of an agent's conversation, which are in its card. */
  constructor(isShown: (row: Row) => boolean = () => true) {
    this.#isShown = isShown;
  }

  entries(rows: readonly Row[], drafts: readonly (FlowingText | Draft)[], tail?: Tail): readonly Entry[] {
    const before = this.#all;
    const hasSameRows = rows === this.#rows;
    if (!hasSameRows) this.#take(rows);
    const flowing = drafts.flatMap((draft) => (isFlowing(draft) ? entriesOfFlow(draft) : entryOfDraft(draft)));
    const all = [...this.#settled, ...flowing];
    if (tail === "turn") all.push(TAILS.turn);
    all.push(...this.#waiting);
    if (tail === "start") all.push(TAILS.start);
    const first = hasSameRows ? this.#settled.length : 0;
    if (all.length === before.length && isSameFrom(first, all, before)) return before;
    this.#all = all;
    return all;
  }

  #take(rows: readonly Row[]): void {
    let same = 0;
    while (same < rows.length && rows[same] === this.#rows[same]) same++;
    this.#settled.length = this.#starts[same] ?? this.#settled.length;
    this.#starts.length = same;
    this.#days.length = same;
    let day = this.#days.at(-1) ?? 0;
    for (const row of rows.slice(same)) {
      this.#starts.push(this.#settled.length);
      if (this.#isShown(row) && !waits(row)) {
        const today = dayOf(row.at);
        if (day !== 0 && today !== day) this.#settled.push({ key: `day/${row.id}`, kind: "day", at: row.at });
        day = today;
        this.#settled.push(...entriesOf(row));
      }
      this.#days.push(day);
    }
    this.#waiting = rows.filter((row) => waits(row) && this.#isShown(row)).flatMap(entriesOf);
    this.#rows = rows;
  }
}

const isSameFrom = (first: number, some: readonly Entry[], others: readonly Entry[]): boolean => {
  for (let at = first; at < some.length; at++) if (some[at] !== others[at]) return false;
  return true;
};

const isFlowing = (draft: FlowingText | Draft): draft is FlowingText => "full" in draft;

const draftEntries = new Map<string, Entry>();
const DRAFTS_KEPT = 64;
/** A draft grows without a new entry. Its component follows it. */
const entryOfDraft = ({ id, kind, name, toolUseId, at }: Draft): readonly Entry[] => {
  let entry = draftEntries.get(id);
  if (entry === undefined) {
    const draft = { id, kind, at, ...(name !== undefined && { name }), ...(toolUseId !== undefined && { toolUseId }) };
    entry = { key: id, kind: "draft", draft };
    draftEntries.set(id, entry);
    if (draftEntries.size > DRAFTS_KEPT) draftEntries.delete(draftEntries.keys().next().value!);
  }
  return [entry];
};
