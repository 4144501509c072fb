// The words of a row in an export, for every format: a heading, prose, and literal blocks.

import { toolTitle } from "@quarterdeck/protocol";
import { decisionWords, fieldsBesideDiff, noteOf, placeOfRule, promptParts, sourcesOf } from "@quarterdeck/session";
import type { NotedRow, Row, TextRow, ToolDecision } from "@quarterdeck/session";
import { toolDiffOf } from "./tool-diff.ts";

export interface WordBlock {
  readonly name: string;
  readonly text: string;
  /** Lines of a diff. */
  readonly isDiff?: true;
  /** What a tool returned, and when. */
  readonly isResult?: true;
  readonly at?: number;
}

/** What an export can leave out. */
export type ExportPart = "thinking" | "tools" | "results" | "agents" | "notes";

export interface RowWords {
  /** When the row began. */
  readonly at: number;
  /** Who or what speaks. */
  readonly who: string;
  readonly kind: "person" | "model" | "thinking" | "tool" | "note" | "error";
  /** Markdown by the speaker. */
  readonly prose?: string;
  /** Literal text, each block with a name. */
  readonly blocks: readonly WordBlock[];
  /** Part of a subagent's conversation. */
  readonly isInner: boolean;
}

const PART_OF_KIND: Readonly<Partial<Record<RowWords["kind"], ExportPart>>> = {
  thinking: "thinking",
  tool: "tools",
  note: "notes",
};

/** The words of a row without the parts that a person left out. */
export const chosenWords = (row: Row, without: ReadonlySet<ExportPart>): RowWords | undefined => {
  const words = rowWordsOf(row);
  if (words === undefined || (words.isInner && without.has("agents"))) return undefined;
  const part = PART_OF_KIND[words.kind];
  if (part !== undefined && without.has(part)) return undefined;
  return without.has("results")
    ? { ...words, blocks: words.blocks.filter(({ isResult }) => isResult !== true) }
    : words;
};

const sourceBlocks = ({ citations }: TextRow): WordBlock[] => {
  const lines = sourcesOf(citations).map(
    ({ title, url }, at) => `${String(at + 1)}. ${title}${url === undefined ? "" : ` ${url}`}`,
  );
  return lines.length === 0 ? [] : [{ name: "Sources", text: lines.join("\n") }];
};

/** Undefined if readers do not need the row. */
const rowWordsOf = (row: Row): RowWords | undefined => {
  const base = { at: row.at, blocks: [], isInner: row.parent !== undefined };
  switch (row.kind) {
    case "prompt":
      if (row.state === "cancelled" || row.state === "discarded") return undefined;
      return { ...base, who: row.by?.name ?? "You", kind: "person", prose: promptParts(row.content).join("\n\n") };
    case "text":
      return { ...base, blocks: sourceBlocks(row), who: "Claude", kind: "model", prose: row.text };
    case "thinking":
      return row.text === "" ? undefined : { ...base, who: "Thinking", kind: "thinking", prose: row.text };
    case "tool": {
      const result = row.result?.text ?? "";
      const diff = toolDiffOf(row);
      const beside = inputText(diff === undefined ? row.input : fieldsBesideDiff(row.name, row.input));
      const decided = row.decision === undefined ? "" : decidedWords(row.decision);
      return {
        ...base,
        who: `${toolTitle(row.name, row.input)}${decided}`,
        kind: "tool",
        blocks: [
          ...(diff !== undefined && beside === "" ? [] : [{ name: "input", text: beside }]),
          ...(diff === undefined ? [] : [{ name: "diff", text: diff, isDiff: true as const }]),
          ...(result === ""
            ? []
            : [
                {
                  name: row.result?.ok === false ? "error" : "result",
                  text: result,
                  isResult: true as const,
                  ...(row.endedAt !== undefined && { at: row.endedAt }),
                },
              ]),
        ],
      };
    }
    case "command":
      return {
        ...base,
        who: row.name === undefined ? "Command" : `/${row.name}`,
        kind: "note",
        blocks: [{ name: "output", text: row.text }],
      };
    case "error":
      return { ...base, who: "Error", kind: "error", prose: row.text };
    case "mark":
    case "notice":
      return { ...base, who: row.kind === "mark" ? row.what : row.topic, kind: "note", prose: row.text };
    case "compaction":
      return { ...base, who: "Compaction", kind: "note", prose: row.summary ?? "The conversation was compacted." };
    case "request":
      return { ...base, who: `Question${by(row.by)}`, kind: "note", prose: row.text };
    // Readers of an export do not need these.
    case "block":
    case "turn":
    case "hook":
    case "retry":
    case "unknown":
    case "noise":
      return undefined;
    default:
      return otherWords(row, base);
  }
};

/** A kind without a special form here uses the sentence of `row-kinds.ts`. */
const otherWords = (row: NotedRow, base: Pick<RowWords, "at" | "blocks" | "isInner">): RowWords => ({
  ...base,
  who: "Note",
  kind: "note",
  prose: noteOf(row),
});

/** A reader wants to know who allowed a call, but not that each file was read without a question. */
const decidedWords = (decision: ToolDecision): string => {
  const { behavior, decider, rule } = decision;
  if (behavior === "allow" && (decider === undefined || decider === "read-only")) return "";
  return ` (${decisionWords(decision)}${rule === undefined ? "" : `, ${placeOfRule(rule)}`})`;
};

const by = (actor: { readonly id: string; readonly name?: string } | undefined): string =>
  actor === undefined ? "" : ` by ${actor.name ?? actor.id}`;

const inputText = (input: Readonly<Record<string, unknown>>): string =>
  Object.entries(input)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value, null, 2)}`)
    .join("\n");
