// What scenes are made of: rows, tool calls and some texts.

import type { Row } from "@quarterdeck/client";
import type { ToolResult } from "@quarterdeck/protocol";
import { readToolResult } from "@quarterdeck/protocol";
import type { FoldView } from "../fold-view.ts";

export type Scene = (view: FoldView, query: URLSearchParams) => Promise<void> | void;

let order = 100_000;
export const AT = new Date(2026, 1, 3, 9, 41).getTime();
export const row = (fields: object): Row => {
  order++;
  return { id: `row/${order}`, order, rev: order, at: AT + order, seqs: [], ...fields } as unknown as Row;
};
export const tool = (
  name: string,
  input: object,
  given: { structured?: unknown; content?: unknown; error?: true } | undefined,
  more: object = {},
): Row => {
  const id = `toolu_${order}`;
  const result: ToolResult | undefined =
    given === undefined
      ? undefined
      : readToolResult(name, given.structured, { content: given.content ?? "", is_error: given.error === true }, input);
  const at = AT + order;
  return row({
    kind: "tool",
    messageId: "m",
    toolUseId: id,
    name,
    input,
    state: result === undefined ? "running" : result.ok ? "done" : "failed",
    ...(result !== undefined && { result, endedAt: at + 1400 }),
    ...more,
  });
};

export const patch = [
  {
    oldStart: 41,
    oldLines: 3,
    newStart: 41,
    newLines: 5,
    lines: [
      "   async putPart(part: Part): Promise<Etag> {",
      "-    return this.s3.send(part)",
      "+    return retry(() => this.s3.send(part), {",
      "+      attempts: 5, base: 200, jitter: true, on: isTransient,",
      "+    })",
      "   }",
    ],
  },
  {
    oldStart: 90,
    oldLines: 4,
    newStart: 92,
    newLines: 4,
    lines: [" export const LIMITS = {", "-  parts: 10_000,", "+  parts: 1_000,", "   bytes: 5 * 1024 ** 4,", " };"],
  },
];

export const TS =
  'import { readFile } from "node:fs/promises";\n\n// Reads a file and counts its lines.\nexport const countLines = async (path: string): Promise<number> => {\n  const text = await readFile(path, "utf8");\n  return text.split("\\n").length;\n};\n';

export const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==";
