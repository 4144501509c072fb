// What every surface needs to know about a row kind: how a search finds it, what the search reads, what a person copies, and a
// sentence for the terminal and for exports. A new kind without an entry does not compile. It imports almost nothing, because
// the writer's thread of the store loads it.

import type { PromptContent } from "./event.ts";
import type { Row } from "./row.ts";
import { searchKindOfTool } from "./search-kind.ts";
import type { SearchKind } from "./search-kind.ts";

interface RowKind<R extends Row> {
  /** The kind of search that finds it. `tool`: its name decides further. */
  readonly found: SearchKind;
  /** Search reads every text inside these values. */
  readonly searched: (row: R) => readonly unknown[];
  /** The row's own text. Without it there is nothing to copy. */
  readonly copied?: (row: R) => string | PromptContent | undefined;
  /** One line for surfaces that have no form of their own for it. Undefined: each of these surfaces has to name the kind. */
  readonly note: ((row: R) => string) | undefined;
}

type RowKinds = { readonly [K in Row["kind"]]: RowKind<Extract<Row, { kind: K }>> };

const textOf = (row: { readonly text: string }): string => row.text;

const ROW_KINDS = {
  prompt: {
    found: "prompt",
    searched: (row) => [row.content, row.reason],
    copied: (row) => row.content,
    note: undefined,
  },
  text: { found: "answer", searched: (row) => [row.text], copied: textOf, note: undefined },
  thinking: { found: "thinking", searched: (row) => [row.text], copied: textOf, note: undefined },
  tool: {
    found: "tool",
    searched: (row) => [row.name, row.input, row.result?.text, row.result?.error, row.result?.detail],
    copied: (row) => row.result?.text,
    note: undefined,
  },
  block: { found: "other", searched: (row) => [row.block], note: undefined },
  turn: { found: "other", searched: (row) => [row.reason, row.errors, row.structuredOutput], note: undefined },
  error: { found: "other", searched: (row) => [row.text], copied: textOf, note: textOf },
  command: { found: "command", searched: (row) => [row.name, row.text], copied: textOf, note: undefined },
  compaction: { found: "other", searched: (row) => [row.summary, row.failed], note: undefined },
  mark: { found: "other", searched: (row) => [row.text], note: textOf },
  hook: { found: "other", searched: (row) => [row.name, row.output], note: undefined },
  request: { found: "other", searched: (row) => [row.text], note: textOf },
  notice: { found: "other", searched: (row) => [row.topic, row.text], copied: textOf, note: textOf },
  retry: {
    found: "other",
    searched: (row) => [row.error],
    note: ({ attempt, of, delayMs, status, error }) =>
      `API: ${status ?? "no answer"}, ${error}; retry ${attempt}/${of} in ${(delayMs / 1000).toFixed(1)} s`,
  },
  unknown: { found: "other", searched: (row) => [row.value], note: () => "(a line that this version does not know)" },
  noise: { found: "other", searched: () => [], note: () => "(a line that is not JSON)" },
} satisfies RowKinds;

type NotedKind = { [K in Row["kind"]]: (typeof ROW_KINDS)[K]["note"] extends undefined ? never : K }[Row["kind"]];

/** A row whose kind has a sentence. A surface that takes only these for its other kinds cannot forget a kind. */
export type NotedRow = Extract<Row, { kind: NotedKind }>;

/** Each entry takes rows of its own kind, which the types cannot follow through the lookup. */
const kindOf = (row: Row): RowKind<Row> => ROW_KINDS[row.kind] as RowKind<Row>;

export const searchKindOf = (row: Row): SearchKind =>
  row.kind === "tool" ? searchKindOfTool(row.name) : ROW_KINDS[row.kind].found;
/** For a store that filters rows without reading them. */
export const rowKindsFoundAs = (kind: SearchKind): readonly Row["kind"][] =>
  (Object.keys(ROW_KINDS) as Row["kind"][]).filter((each) => ROW_KINDS[each].found === kind);
export const searchedValues = (row: Row): readonly unknown[] => kindOf(row).searched(row);
export const copiedContent = (row: Row): string | PromptContent | undefined => kindOf(row).copied?.(row);
export const noteOf = (row: NotedRow): string => kindOf(row).note!(row);
