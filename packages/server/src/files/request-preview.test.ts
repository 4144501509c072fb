import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { containedPaths } from "./contained-path.ts";
import { previewOf } from "./request-preview.ts";

const bench = (text?: string) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "preview-")));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "file.txt");
  if (text !== undefined) writeFileSync(path, text);
  const named = containedPaths({ roots: ["/"], isHidden: (asked) => asked.startsWith(join(folder, "hidden")) });
  const preview = (tool: string, input: Record<string, unknown>) =>
    previewOf(
      {
        subtype: "can_use_tool",
        tool_name: tool,
        tool_use_id: "t",
        input: { file_path: path, ...input },
      },
      named,
    );
  return { folder, path, preview };
};

describe("[Q4] a preview", () => {
  it("of an edit is exactly what the edit would do", async () => {
    const { path, preview } = bench("a $& b\nc\n");
    expect(await preview("Edit", { old_string: "$&", new_string: "$1$$" })).toEqual({
      kind: "diff",
      path,
      before: "a $& b\nc\n",
      text: "a $1$$ b\nc\n",
      hunks: [{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines: ["-a $& b", "+a $1$$ b", " c"] }],
    });
  });

  it("of a notebook's cell shows the lines of the cell", async () => {
    const cells = [
      { id: "a1", cell_type: "markdown", source: ["# Tide\n", "low"] },
      { cell_type: "code", source: "print(1)" },
    ];
    const { path, preview } = bench(JSON.stringify({ cells }));
    const edit = (input: Record<string, unknown>) => preview("NotebookEdit", { notebook_path: path, ...input });
    expect(await edit({ cell_id: "a1", new_source: "# Tide\nhigh" })).toEqual({
      ...{ kind: "diff", path },
      hunks: [{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines: [" # Tide", "-low", "+high"] }],
    });
    expect(await edit({ cell_id: "cell-1", new_source: "", edit_mode: "delete" })).toMatchObject({
      hunks: [{ lines: ["-print(1)"] }],
    });
    expect(await edit({ cell_id: "a1", new_source: "new", edit_mode: "insert" })).toMatchObject({
      hunks: [{ lines: ["+new"] }],
    });
    expect(await edit({ cell_id: "none", new_source: "x" })).toMatchObject({ kind: "unreadable" });
    const other = bench("no");
    const wrong = { notebook_path: other.path, new_source: "x" };
    expect(await other.preview("NotebookEdit", wrong)).toMatchObject({ kind: "unreadable" });
  });

  it("of a replacement in very many places shows only the lines that change", async () => {
    const { preview } = bench(`${"same\n".repeat(10)}old\n`.repeat(2000));
    const { hunks } = await preview("Edit", { old_string: "old", new_string: "new", replace_all: true });
    expect(hunks).toHaveLength(2000);
    expect(hunks[1]).toMatchObject({
      oldStart: 19,
      lines: [" same", " same", " same", "-old", "+new", " same", " same", " same"],
    });
  });

  it("of several edits applies them one after the other", async () => {
    const { preview } = bench("one two two\n");
    const edits = [
      { old_string: "one", new_string: "1" },
      { old_string: "two", new_string: "2", replace_all: true },
      { old_string: "1 2", new_string: "done" },
    ];
    expect(await preview("MultiEdit", { edits })).toMatchObject({ kind: "diff", text: "done 2\n" });
  });

  it("says why it is not possible", async () => {
    const { preview, folder } = bench("x x\n");
    const reason = async (tool: string, input: Record<string, unknown>) => (await preview(tool, input)).reason;
    expect(await reason("Edit", { old_string: "y", new_string: "z" })).toContain("not in the file");
    expect(await reason("Edit", { old_string: "x", new_string: "z" })).toContain("2 times");
    expect(await reason("Edit", { old_string: "", new_string: "z" })).toContain("names nothing");
    expect(await reason("Edit", { old_string: 1 })).toContain("not an edit");
    expect(await reason("Write", {})).toContain("no content");
    const none = join(folder, "none");
    expect(await reason("Edit", { file_path: none, old_string: "a", new_string: "b" })).toContain("not there");
    const hidden = join(folder, "hidden");
    writeFileSync(hidden, "secret");
    const shown = await preview("Write", { file_path: hidden, content: "x" });
    expect(shown).toMatchObject({ kind: "unreadable" });
    expect(JSON.stringify(shown)).not.toContain("secret");
  });

  it("of a new file is the file, and other tools have none", async () => {
    const { preview, path } = bench();
    expect(await preview("Write", { content: "new" })).toMatchObject({ kind: "new-file", path, text: "new" });
    expect(await preview("Edit", { old_string: "", new_string: "new" })).toMatchObject({
      kind: "new-file",
      text: "new",
    });
    expect(await preview("Bash", { command: "ls" })).toEqual({ kind: "none", hunks: [] });
  });
});
