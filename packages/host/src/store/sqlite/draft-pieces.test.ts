import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Blobs, BLOBS_FOLDER } from "./blobs.ts";
import { DraftPieces, draftsOf } from "./draft-pieces.ts";
import type { DraftWrites } from "./draft-pieces.ts";
import { LARGEST_BODY } from "./sealed.ts";
import { seeded } from "@quarterdeck/test-kit/seeded";
import { VolumeReader } from "./volume-reader.ts";
import { VolumeWriter } from "./volume-writer.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "quarterdeck-drafts-"));
  mkdirSync(join(folder, BLOBS_FOLDER));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const volume = () => {
  const blobs = new Blobs(folder);
  const writer = new VolumeWriter(folder, 1, blobs);
  const reader = new VolumeReader(folder, 1, blobs);
  let isNew = true;
  return {
    keep: (drafts: DraftWrites): void => {
      const { unneeded } = writer.write([
        { key: 1, id: "s", isNew, events: undefined, folds: [], drafts: [drafts], parts: {} },
      ]);
      for (const { space, hash } of unneeded) blobs.remove(space, hash);
      isNew = false;
    },
    read: () => reader.drafts(1, "s"),
    close: () => {
      reader.close();
      writer.close();
    },
  };
};

it("[D13] writes only the text that a draft grew by", () => {
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

it("[D13] returns the latest written drafts, also after writes that failed", () => {
  const random = seeded(7);
  const names = ["a", "a 5", "a 000001", "b/0", "b 😀"];
  const pieces = new DraftPieces();
  const { keep, read, close } = volume();
  let drafts: Record<string, string> = {};
  let kept: Record<string, string> = {};
  for (let step = 0; step < 400; step++) {
    const next: Record<string, string> = {};
    for (const name of names) {
      const chance = random();
      if (chance < 0.2) continue;
      const old = drafts[name] ?? "";
      next[name] = chance < 0.3 ? `${step}` : chance < 0.5 ? old : `${old}${step} `;
    }
    drafts = next;
    const writes = pieces.next("s", next);
    const fails = random() < 0.1;
    if (fails) {
      // A write that was already queued behind the lost one fails too.
      if (random() < 0.5) pieces.next("s", { ...drafts, a: `${drafts["a"] ?? ""}and on` });
      pieces.lose("s");
    } else {
      keep(writes);
      kept = next;
    }
    expect(read()).toEqual(kept);
  }
  close();
});

it("[D13] keeps a character that a checkpoint cut in two", () => {
  const pieces = new DraftPieces();
  const { keep, read, close } = volume();
  keep(pieces.next("s", { a: "so \uD83D" }));
  expect(read()).toEqual({ a: "so " });
  keep(pieces.next("s", { a: "so \uD83D\uDE00 it goes" }));
  expect(read()).toEqual({ a: "so 😀 it goes" });
  close();
});

it("deletes the blobs of a long draft", () => {
  const pieces = new DraftPieces();
  const { keep, read, close } = volume();
  const long = "x".repeat(LARGEST_BODY + 1);
  const blobs = (): readonly string[] =>
    readdirSync(join(folder, BLOBS_FOLDER), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);
  for (const drafts of [{ a: long }, { a: `y${long}` }, { a: `y${long}and${long}` }]) {
    keep(pieces.next("s", drafts));
    expect(read()).toEqual(drafts);
  }
  expect(blobs()).toHaveLength(2);
  keep(pieces.next("s", {}));
  expect(blobs()).toEqual([]);
  close();
});

it("reads drafts that older versions wrote", () => {
  expect(draftsOf([{ name: "drafts", body: '{"m2/0":"an unfinished answer"}' }])).toEqual({
    "m2/0": "an unfinished answer",
  });
});
