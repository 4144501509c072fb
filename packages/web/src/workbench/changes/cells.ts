// The cells of a notebook before and after, side by side by what they are. Pure.

import { isRecord } from "@quarterdeck/client/content";
import { linesText } from "../../content/fields.ts";

export interface CellText {
  readonly id: string | undefined;
  readonly type: string;
  readonly source: string;
}

export type CellChange =
  | { readonly kind: "same"; readonly count: number }
  | {
      readonly kind: "added" | "removed" | "changed";
      readonly type: string;
      /** From 1, in the new notebook; of a removed cell in the old one. */
      readonly number: number;
      readonly old: string;
      readonly new: string;
    };

/** Undefined if it is not a notebook. */
export const cellsOf = (text: string): readonly CellText[] | undefined => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value) || !Array.isArray(value["cells"])) return undefined;
  return value["cells"].filter(isRecord).map((cell) => ({
    id: typeof cell["id"] === "string" ? cell["id"] : undefined,
    type: typeof cell["cell_type"] === "string" ? cell["cell_type"] : "code",
    source: linesText(cell["source"]),
  }));
};

export const cellChanges = (before: readonly CellText[], after: readonly CellText[]): readonly CellChange[] => {
  const changes: CellChange[] = [];
  const same = (): void => {
    const last = changes.at(-1);
    if (last?.kind === "same") changes[changes.length - 1] = { kind: "same", count: last.count + 1 };
    else changes.push({ kind: "same", count: 1 });
  };
  const mates = matesOf(before, after);
  let at = 0;
  const removeUpTo = (end: number): void => {
    for (; at < end; at++) {
      if (mates.taken.has(at)) continue;
      const { type, source } = before[at]!;
      changes.push({ kind: "removed", type, number: at + 1, old: source, new: "" });
    }
  };
  for (const [index, cell] of after.entries()) {
    const mate = mates.of.get(index);
    if (mate === undefined) {
      changes.push({ kind: "added", type: cell.type, number: index + 1, old: "", new: cell.source });
      continue;
    }
    removeUpTo(mate);
    at = Math.max(at, mate + 1);
    const old = before[mate]!;
    if (old.source === cell.source && old.type === cell.type) same();
    else changes.push({ kind: "changed", type: cell.type, number: index + 1, old: old.source, new: cell.source });
  }
  removeUpTo(before.length);
  return changes;
};

/** Each new cell's old one: by id, else by the same source, else by the same place between such. */
const matesOf = (
  before: readonly CellText[],
  after: readonly CellText[],
): { readonly of: ReadonlyMap<number, number>; readonly taken: ReadonlySet<number> } => {
  const of = new Map<number, number>();
  const taken = new Set<number>();
  const pair = (index: number, mate: number): void => {
    of.set(index, mate);
    taken.add(mate);
  };
  const free = (fits: (cell: CellText) => boolean): number =>
    before.findIndex((cell, place) => !taken.has(place) && fits(cell));
  for (const [index, { id }] of after.entries()) {
    const mate = id === undefined ? -1 : free((cell) => cell.id === id);
    if (mate !== -1) pair(index, mate);
  }
  for (const [index, { source, type }] of after.entries()) {
    if (of.has(index)) continue;
    const mate = free((cell) => cell.source === source && cell.type === type);
    if (mate !== -1) pair(index, mate);
  }
  for (const [index, { id, type }] of after.entries()) {
    const place = (of.get(index - 1) ?? -1) + 1;
    const old = before[place];
    const fits =
      old !== undefined && !taken.has(place) && old.type === type && (id === undefined || old.id === undefined);
    if (!of.has(index) && fits) pair(index, place);
  }
  return { of, taken };
};
