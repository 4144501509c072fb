// What an edit of a notebook would do to its cell, by lines of the cell: the file's JSON is not what a person reads.

import { isRecord } from "@quarterdeck/protocol";
import type { RequestPreview } from "@quarterdeck/session/bridge";
import { hunksBetween } from "./hunks.ts";

type Cells = readonly Readonly<Record<string, unknown>>[];

export const ofNotebookEdit = (
  path: string,
  before: string | undefined,
  input: Readonly<Record<string, unknown>>,
): RequestPreview => {
  const unreadable = (reason: string): RequestPreview => ({ kind: "unreadable", path, reason, hunks: [] });
  if (before === undefined) return unreadable("The file is not there.");
  const cells = cellsOf(before);
  if (cells === undefined) return unreadable("The file is not a notebook.");
  const { new_source: source, cell_id: id, edit_mode: mode = "replace" } = input;
  if (typeof source !== "string" && mode !== "delete") return unreadable("The input has no source.");
  const now = typeof source === "string" ? source : "";
  if (mode === "insert") return { kind: "diff", path, hunks: hunksBetween("", now) };
  const cell = cellWith(cells, id);
  if (cell === undefined) return unreadable("The notebook has no such cell.");
  return { kind: "diff", path, hunks: hunksBetween(sourceOf(cell), mode === "delete" ? "" : now) };
};

const cellsOf = (text: string): Cells | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && Array.isArray(value["cells"]) ? value["cells"].filter(isRecord) : undefined;
  } catch {
    // Not JSON, so no notebook.
    return undefined;
  }
};

/** By its id, or as the CLI names cells without one: `cell-3`, from 0. Without a name: the first. */
const cellWith = (cells: Cells, id: unknown): Cells[number] | undefined => {
  if (typeof id !== "string") return cells[0];
  const index = /^cell-(\d{1,6})$/.exec(id)?.[1];
  return cells.find((cell) => cell["id"] === id) ?? (index === undefined ? undefined : cells[Number(index)]);
};

const sourceOf = ({ source }: Cells[number]): string =>
  typeof source === "string"
    ? source
    : Array.isArray(source)
      ? source.filter((one) => typeof one === "string").join("")
      : "";
