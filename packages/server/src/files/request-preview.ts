// What the path of an open request would become, shown before a person answers. It uses the current file and the exact
// input of the request. Only that one path is read, wherever it is. An uncertain result is "unreadable", with a reason.

import { WRITING_TOOLS } from "@quarterdeck/permissions/words";
import { isRecord } from "@quarterdeck/protocol";
import type { CliRequest } from "@quarterdeck/protocol";
import { replacedHunks } from "@quarterdeck/session";
import type { RequestPreview } from "@quarterdeck/session/bridge";
import type { ContainedPaths } from "./contract.ts";
import { readText } from "./file-contents.ts";
import { hunksBetween } from "./hunks.ts";
import { ofNotebookEdit } from "./notebook-preview.ts";

const MOST_BYTES = 4_000_000;

interface Edit {
  readonly from: string;
  readonly to: string;
  readonly all: boolean;
}

export const previewOf = async (request: CliRequest, named: ContainedPaths): Promise<RequestPreview> => {
  if (request.subtype !== "can_use_tool") return none;
  const { tool_name: tool, input } = request;
  const path = input[tool === "NotebookEdit" ? "notebook_path" : "file_path"];
  if (typeof path !== "string" || !WRITING_TOOLS.includes(tool)) return none;
  const read = await readText(named, path, MOST_BYTES).catch((error: unknown) => {
    if ((error as { code?: unknown }).code === "not-found") return undefined;
    return { unreadable: error instanceof Error ? error.message : String(error) };
  });
  if (read !== undefined && "unreadable" in read)
    return { kind: "unreadable", path, reason: read.unreadable, hunks: [] };
  const before = read?.text;
  if (tool === "NotebookEdit") return ofNotebookEdit(path, before, input);
  if (tool === "Write") return ofWrite(path, before, input["content"]);
  const edits = tool === "Edit" ? [input] : Array.isArray(input["edits"]) ? input["edits"] : [];
  return ofEdits(path, before, edits);
};

const none: RequestPreview = { kind: "none", hunks: [] };

const ofWrite = (path: string, before: string | undefined, content: unknown): RequestPreview => {
  if (typeof content !== "string") return { kind: "unreadable", path, reason: "The input has no content.", hunks: [] };
  if (before === undefined) return { kind: "new-file", path, hunks: hunksBetween("", content), text: content };
  return { kind: "diff", path, hunks: hunksBetween(before, content), text: content, before };
};

const ofEdits = (path: string, before: string | undefined, edits: readonly unknown[]): RequestPreview => {
  const unreadable = (reason: string): RequestPreview => ({ kind: "unreadable", path, reason, hunks: [] });
  let text = before ?? "";
  let only: Edit | undefined;
  for (const [index, given] of edits.entries()) {
    const edit = editOf(given);
    if (edit === undefined) return unreadable("The input is not an edit that we know.");
    if (edit.from === "") {
      // An empty text creates a file. If the file has content, the CLI refuses it.
      if (text !== "" || index > 0) return unreadable("The edit names nothing that it would replace.");
      text = edit.to;
      continue;
    }
    if (before === undefined && index === 0) return unreadable("The file is not there.");
    const count = text.split(edit.from).length - 1;
    if (count === 0) return unreadable("The text that the edit would replace is not in the file.");
    if (count > 1 && !edit.all)
      return unreadable(`The text that the edit would replace is in the file ${count} times.`);
    only = edits.length === 1 ? edit : undefined;
    text = edit.all ? text.replaceAll(edit.from, () => edit.to) : text.replace(edit.from, () => edit.to);
  }
  if (before === undefined) return { kind: "new-file", path, hunks: hunksBetween("", text), text };
  // A replacement in very many places is found by itself: comparing the texts would give one hunk with every line.
  const isMany = only?.all === true && before.split(only.from).length > MANY;
  const hunks = isMany ? replacedHunks(before, only!.from, only!.to, true) : hunksBetween(before, text);
  return { kind: "diff", path, hunks, text, before };
};
const MANY = 100;

const editOf = (given: unknown): Edit | undefined => {
  if (!isRecord(given)) return undefined;
  const { old_string: from, new_string: to, replace_all: all } = given;
  return typeof from === "string" && typeof to === "string" ? { from, to, all: all === true } : undefined;
};
