import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createFold, FOLD_VERSION } from "@quarterdeck/session";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openSqliteStore } from "../sqlite-store.ts";
import { converse, facts, recordOf, said, typed } from "../store-facts.fixture.ts";
import { fileOfVolume } from "./volume.ts";

let root: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "quarterdeck-cost-"));
  folder = join(root, "data");
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(root, { recursive: true });
});

it("[D14] reads through an index, without scans or sorts", async () => {
  const store = await openSqliteStore(folder);
  const fold = createFold();
  await converse(store, "s", fold, typed("p1", "first"), said("m1", "answer"), said("m2", "more"));
  await store.putSession(recordOf("s"));
  await store.close();

  const prepare = vi.spyOn(DatabaseSync.prototype, "prepare");
  const again = await openSqliteStore(folder);
  again.list();
  again.loadHead("s", FOLD_VERSION);
  again.rowsBefore("s", Infinity, 2);
  again.rowsAfter("s", 0, 2);
  again.rowsAround("s", "m1/0", 1);
  again.row("s", "m1/0");
  again.changesSince("s", FOLD_VERSION, 1, 2);
  again.read("s", 1, 1);
  again.loadDrafts("s");
  const statements = new Set(
    prepare.mock.calls.map(([sql]) => sql).filter((sql) => / FROM (event|row|part) /.test(sql)),
  );
  await again.close();
  expect(statements.size).toBeGreaterThanOrEqual(7);

  const database = new DatabaseSync(join(folder, fileOfVolume(1)));
  const plans = [...statements].map((sql) => {
    const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[];
    return [sql, ...steps.map(({ detail }) => detail)];
  });
  database.close();
  for (const [sql, ...steps] of plans) {
    expect([sql, steps.length, steps[0]]).toEqual([sql, 1, expect.stringMatching(/^SEARCH .* USING /)]);
  }
});

it("[D13] saving drafts does not block", async () => {
  const store = await openSqliteStore(folder);
  await store.append("s", facts(typed("p", "text")));
  expect(store.saveDrafts("s", { "m1/0": "Once" })).toBeUndefined();
  expect(store.loadDrafts("s")).toEqual({ "m1/0": "Once" });
  await store.close();
  const again = await openSqliteStore(folder);
  expect(again.loadDrafts("s")).toEqual({ "m1/0": "Once" });
  await again.close();
});

it("[D11] saving the same data again does not change the size, also beyond ASCII", async () => {
  const store = await openSqliteStore(folder);
  const used = (): number => store.usage().sessions["s"] ?? 0;
  await store.append("s", facts(said("m1", "日本".repeat(100))));
  const named = recordOf("s", { title: "北京".repeat(200) });
  await store.putSession(named);
  const once = used();
  for (let again = 0; again < 5; again++) await store.putSession(named);
  expect(used()).toBe(once);
  await store.close();
});

it("[D11] reports the size of a session as it grows and shrinks, and the size of the folder", async () => {
  const store = await openSqliteStore(folder);
  const used = (): number => store.usage().sessions["s"] ?? 0;
  await store.append("s", facts(said("m1", "x".repeat(10_000))));
  const one = used();
  expect(one).toBeGreaterThan(10_000);
  await store.append("s", facts(said("m2", "x".repeat(400_000))));
  expect(used()).toBeGreaterThan(one + 400_000);
  expect(store.usage().total).toBeGreaterThan(used());
  const before = used();
  await store.putSession(recordOf("s", { title: "y".repeat(50_000) }));
  expect(used()).toBeGreaterThan(before + 50_000);
  store.saveDrafts("s", { draft: "y".repeat(50_000) });
  await store.putSession(recordOf("s"));
  expect(used()).toBeLessThan(before + 1000);
  await store.deleteSession("s");
  expect(store.usage().sessions).toEqual({});
  await store.close();
});
