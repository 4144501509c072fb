import fc from "fast-check";
import type { JsonValue } from "@quarterdeck/protocol";
import { describe, expect, it } from "vitest";
import { roundsOf } from "@quarterdeck/test-kit/how-much";
import { createFold } from "./fold.ts";
import { replacedHunks } from "./replaced-hunks.ts";
import type { ReplacedHunk } from "./replaced-hunks.ts";

const linesOf = (text: string): string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

/** What the hunks make of the lines. Throws if a hunk does not fit. */
const apply = (before: readonly string[], hunks: readonly ReplacedHunk[]): string[] => {
  const after: string[] = [];
  let at = 0;
  for (const { oldStart, oldLines, newStart, newLines, lines } of hunks) {
    const start = oldLines === 0 ? oldStart : oldStart - 1;
    after.push(...before.slice(at, start));
    expect(after.length).toBe(newLines === 0 ? newStart : newStart - 1);
    at = start;
    for (const line of lines) {
      if (!line.startsWith("+")) expect(before[at++]).toBe(line.slice(1));
      if (!line.startsWith("-")) after.push(line.slice(1));
    }
    expect(at - start).toBe(oldLines);
  }
  return [...after, ...before.slice(at)];
};

describe("the hunks of a replacement", () => {
  it("make the new text of the old one, whatever is replaced", () => {
    const piece = fc.constantFrom("a", "b", "\n", "ab", "a\n", "\nb", "aa");
    const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));
    const some = fc.array(piece, { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(text, some, fc.oneof(some, fc.constant("")), fc.boolean(), (before, from, to, all) => {
        const after = all ? before.replaceAll(from, () => to) : before.replace(from, () => to);
        expect(apply(linesOf(before), replacedHunks(before, from, to, all))).toEqual(linesOf(after));
      }),
      { numRuns: roundsOf(2000) },
    );
  });

  it("[G2] are computed for an edit of 3,002 lines whose patch the CLI left empty", () => {
    const original = Array.from({ length: 3002 }, (_, at) => `const value${at} = old(${at});\n\n`).join("");
    const path = "/w/long.ts";
    const input = { file_path: path, old_string: "old(", new_string: "fresh(", replace_all: true };
    const fold = createFold();
    const say = (seq: number, message: unknown): void =>
      fold.apply({ seq, at: seq, type: "received", message: message as JsonValue });
    say(1, {
      type: "assistant",
      message: { id: "m", role: "assistant", content: [{ type: "tool_use", id: "t", name: "Edit", input }] },
      uuid: "u1",
      session_id: "s",
      parent_tool_use_id: null,
    });
    say(2, {
      type: "user",
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "The file was updated." }] },
      tool_use_result: {
        filePath: path,
        oldString: "old(",
        newString: "fresh(",
        originalFile: original,
        structuredPatch: [],
        userModified: false,
        replaceAll: true,
      },
      uuid: "u2",
      session_id: "s",
      parent_tool_use_id: null,
    });
    expect(fold.head.files[path]).toMatchObject({ edits: 1, added: 3002, removed: 3002 });
    const row = fold.row("tool/t") as { result?: { structured?: { structuredPatch: ReplacedHunk[] } } };
    const hunks = row.result!.structured!.structuredPatch;
    expect(apply(linesOf(original), hunks)).toEqual(linesOf(original.replaceAll("old(", "fresh(")));
    expect(hunks).toHaveLength(1);
  });
});
