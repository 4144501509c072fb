// What a tool call changes in a file, as lines of a diff. From the CLI's own patch if it reported one, else from the input.

import { isRecord } from "@quarterdeck/protocol";
import type { ToolRow } from "@quarterdeck/session";

/** Lines that start with a space, `+`, `-` or `@@`. Undefined if the call changes no text that we know. */
export const toolDiffOf = ({ name, input, result }: ToolRow): string | undefined => {
  const reported = patchOf(result);
  if (reported !== undefined) return reported;
  if (name === "Write") return added(input["content"]);
  if (name === "NotebookEdit") return added(input["new_source"]);
  if (name === "Edit") return replaced(input);
  if (name !== "MultiEdit" || !Array.isArray(input["edits"])) return undefined;
  const parts = input["edits"].flatMap((edit: unknown) => (isRecord(edit) ? (replaced(edit) ?? []) : []));
  return parts.length === 0 ? undefined : parts.join("\n@@\n");
};

const patchOf = (result: ToolRow["result"]): string | undefined => {
  const structured: unknown = result !== undefined && "structured" in result ? result.structured : undefined;
  const hunks = isRecord(structured) ? structured["structuredPatch"] : undefined;
  if (!Array.isArray(hunks) || hunks.length === 0) return undefined;
  const lines = hunks.flatMap((hunk: unknown) => {
    if (!isRecord(hunk) || !Array.isArray(hunk["lines"])) return [];
    const { oldStart, oldLines, newStart, newLines } = hunk;
    const head = `@@ -${String(oldStart)},${String(oldLines)} +${String(newStart)},${String(newLines)} @@`;
    return [head, ...hunk["lines"].filter((line) => typeof line === "string")];
  });
  return lines.join("\n");
};

const added = (text: unknown): string | undefined => (typeof text === "string" ? marked("+", text) : undefined);

const replaced = (edit: Readonly<Record<string, unknown>>): string | undefined => {
  const { old_string: from, new_string: to } = edit;
  if (typeof from !== "string" || typeof to !== "string") return undefined;
  return [...(from === "" ? [] : [marked("-", from)]), ...(to === "" ? [] : [marked("+", to)])].join("\n");
};

const marked = (mark: string, text: string): string =>
  text
    .replace(/\n$/u, "")
    .split("\n")
    .map((line) => mark + line)
    .join("\n");
