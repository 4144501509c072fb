import { expect, it } from "vitest";
import { DraftPieces, draftOfPart, draftsOf, partOfPiece } from "./draft-pieces.ts";
import type { DraftWrites } from "./draft-pieces.ts";
import { seeded } from "./seeded.fixture.ts";

/** As a volume keeps them. */
const keep = (parts: Map<string, string>, { forget, pieces }: DraftWrites): void => {
  for (const part of parts.keys()) if (forget?.includes(draftOfPart(part)) ?? true) parts.delete(part);
  for (const { name, n, body } of pieces) parts.set(partOfPiece(name, n), body);
};
const read = (parts: ReadonlyMap<string, string>) =>
  draftsOf([...parts].map(([name, body]) => ({ name, body })).toSorted((a, b) => (a.name < b.name ? -1 : 1)));

it("[D13] writes what a draft grew by, and no more", () => {
  const pieces = new DraftPieces();
  expect(pieces.next("s", { a: "Once" })).toEqual({ forget: undefined, pieces: [{ name: "a", n: 0, body: "Once" }] });
  expect(pieces.next("s", { a: "Once upon", b: "{" })).toEqual({
    forget: [],
    pieces: [
      { name: "a", n: 1, body: " upon" },
      { name: "b", n: 0, body: "{" },
    ],
  });
  expect(pieces.next("s", { a: "Once upon", b: "[" })).toEqual({
    forget: [],
    pieces: [{ name: "b", n: 0, body: "[" }],
  });
  expect(pieces.next("s", { a: "Twice" })).toEqual({
    forget: ["b", "a"],
    pieces: [{ name: "a", n: 0, body: "Twice" }],
  });
  expect(pieces.next("s", {})).toEqual({ forget: ["a"], pieces: [] });
});

it("[D13] gives back the latest of any drafts that was written, also after some that were not", () => {
  const random = seeded(7);
  const names = ["a", "a 5", "a 000001", "b/0"];
  const pieces = new DraftPieces();
  const parts = new Map<string, string>();
  let drafts: Record<string, string> = {};
  let kept: Record<string, string> = {};
  for (let step = 0; step < 400; step++) {
    const next: Record<string, string> = {};
    const grown: Record<string, string> = {};
    for (const name of names) {
      const chance = random();
      if (chance < 0.2) continue;
      const old = drafts[name] ?? "";
      next[name] = chance < 0.3 ? `${step}` : chance < 0.5 ? old : `${old}${step} `;
      // As a recorder tells it: of one that began anew it is all.
      if (random() < 0.5) grown[name] = chance < 0.3 ? next[name] : next[name].slice(old.length);
    }
    drafts = next;
    const writes = pieces.next("s", next, grown);
    const fails = random() < 0.1;
    if (fails) {
      // The one behind it was on its way already, and is not written either.
      if (random() < 0.5) pieces.next("s", { ...drafts, a: `${drafts["a"] ?? ""}and on` });
      pieces.lose("s");
    } else {
      keep(parts, writes);
      kept = next;
    }
    expect(read(parts)).toEqual(kept);
  }
});

it("reads what versions before wrote", () => {
  expect(draftsOf([{ name: "drafts", body: '{"m2/0":"an unfinished answer"}' }])).toEqual({
    "m2/0": "an unfinished answer",
  });
});
