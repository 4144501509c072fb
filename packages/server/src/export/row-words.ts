// The words of a row in an export, for every format: a heading, prose, and literal blocks.

import { toolTitle } from "@quarterdeck/protocol";
import { decisionWords, placeOfRule, promptParts } from "@quarterdeck/session";
import type { Row, ToolDecision } from "@quarterdeck/session";

export interface RowWords {
  /** Who or what speaks. */
  readonly who: string;
  readonly kind: "person" | "model" | "thinking" | "tool" | "note" | "error";
  /** Markdown by the speaker. */
  readonly prose?: string;
  /** Literal text, each block with a name. */
  readonly blocks: readonly { readonly name: string; readonly text: string }[];
  /** Part of a subagent's conversation. */
  readonly isInner: boolean;
}

/** Undefined if readers do not need the row. */
export const wordsOf = (row: Row): RowWords | undefined => {
  const base = { blocks: [], isInner: row.parent !== undefined };
  switch (row.kind) {
    case "prompt":
      if (row.state === "cancelled" || row.state === "discarded") return undefined;
      return { ...base, who: row.by?.name ?? "You", kind: "person", prose: promptParts(row.content).join("\n\n") };
    case "text":
      return { ...base, who: "Claude", kind: "model", prose: row.text };
    case "thinking":
      return row.text === "" ? undefined : { ...base, who: "Thinking", kind: "thinking", prose: row.text };
    case "tool": {
      const result = row.result?.text ?? "";
      const decided = row.decision === undefined ? "" : decidedWords(row.decision);
      return {
        ...base,
        who: `${toolTitle(row.name, row.input)}${decided}`,
        kind: "tool",
        blocks: [
          { name: "input", text: inputText(row.input) },
          ...(result === "" ? [] : [{ name: row.result?.ok === false ? "error" : "result", text: result }]),
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
      row satisfies never;
      return undefined;
  }
};

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
