import { describe, expect, it } from "vitest";
import { fieldsBesideDiff, hasDiff } from "./beside-diff.ts";

describe("[S60] fields next to a diff", () => {
  it.each([
    ["Write", { file_path: "/a", content: "x", mode: 0o777 }, { file_path: "/a", mode: 0o777 }],
    [
      "Edit",
      { file_path: "/a", old_string: "a", new_string: "b", replace_all: true },
      { file_path: "/a", replace_all: true },
    ],
    ["MultiEdit", { file_path: "/a", edits: [{ old_string: "a", new_string: "b" }] }, { file_path: "/a" }],
    [
      "MultiEdit",
      { edits: [{ old_string: "a", new_string: "b" }, { old_string: "c", new_string: "d", replace_all: true }, "x"] },
      { edits: [{}, { replace_all: true }, "x"] },
    ],
    ["MultiEdit", { edits: "none" }, { edits: "none" }],
    [
      "NotebookEdit",
      { notebook_path: "/a", cell_id: "c", new_source: "x", cell_type: "code" },
      { notebook_path: "/a", cell_id: "c", cell_type: "code" },
    ],
    ["constructor", { content: "x" }, { content: "x" }],
    ["mcp__files__Write", { content: "x" }, { content: "x" }],
  ])("[S60] %s keeps every field that the diff does not show", (tool, input, rest) => {
    expect(fieldsBesideDiff(tool, input)).toEqual(rest);
  });

  it("[S60] only the tools of files have a diff", () => {
    const tools = ["Write", "Edit", "MultiEdit", "NotebookEdit", "Bash", "toString"];
    expect(tools.filter(hasDiff)).toEqual(["Write", "Edit", "MultiEdit", "NotebookEdit"]);
  });
});
