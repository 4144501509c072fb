import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFold, FOLD_VERSION } from "@quarterdeck/session";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openSqliteStore } from "../sqlite-store.ts";
import { converse, facts, said, typed } from "../store-facts.fixture.ts";

let root: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "quarterdeck-full-"));
  folder = join(root, "data");
});
afterEach(() => rmSync(root, { recursive: true }));

const FULL = { name: "StoreError", code: "disk-full" };

it("[D12] refuses data that does not fit, keeps acknowledged data, and continues when there is room", async () => {
  let store = await openSqliteStore(folder, { maxPages: 60 });
  const fold = createFold();
  await converse(store, "s", fold, typed("p", "a question"));
  const saved = store.loadFold("s", FOLD_VERSION);
  await expect(store.append("s", facts(said("m1", "x".repeat(250_000))))).rejects.toMatchObject(FULL);
  await expect(store.append("new", facts(said("m1", "x".repeat(250_000))))).rejects.toMatchObject(FULL);
  const larger = createFold(saved?.fold);
  larger.apply({ seq: 2, at: 2, ...said("m2", "y".repeat(250_000)) });
  await expect(store.saveFold("s", { seq: 2, fold: larger.save() })).rejects.toMatchObject(FULL);
  expect([store.lastSeq("s"), store.lastSeq("new")]).toEqual([1, 0]);
  expect(store.loadFold("s", FOLD_VERSION)).toEqual(saved);
  // Small facts still fit, and `seq` has no gap.
  const [event] = await store.append("s", facts(typed("p2", "small")));
  expect(event?.seq).toBe(2);
  expect(store.check()).toEqual([]);
  await store.close();

  store = await openSqliteStore(folder);
  expect((await store.append("s", facts(said("m1", "x".repeat(250_000)))))[0]?.seq).toBe(3);
  expect((await store.append("new", facts(said("m1", "x"))))[0]?.seq).toBe(1);
  expect(store.check()).toEqual([]);
  await store.close();
});

it("[D2] refuses the facts that wait behind a refused fact", async () => {
  const store = await openSqliteStore(folder, { maxPages: 60 });
  await store.append("s", facts(typed("p", "first")));
  const outcomes = await Promise.allSettled([
    store.append("s", facts(said("m1", "x".repeat(250_000)))),
    store.append("s", facts(typed("p1", "behind it"))),
    store.append("s", facts(...Array.from({ length: 600 }, (_, n) => typed(`q${n}`, "far behind it")))),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(store.read("s", 0, 9)).toHaveLength(1);
  expect((await store.append("s", facts(typed("p2", "passed in again"))))[0]?.seq).toBe(2);
  await store.close();
});
