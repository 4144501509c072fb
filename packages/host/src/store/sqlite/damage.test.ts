import { cpSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createFold, FOLD_VERSION } from "@quarterdeck/session";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openSqliteStore } from "../sqlite-store.ts";
import { fileOfVolume, eventPlaceOf } from "./volume.ts";
import { converse, everythingOf, facts, recordOf, said, typed } from "../store-facts.fixture.ts";

let root: string;
let sound: string;
let folder: string;
let copies = 0;
let whole: unknown;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "quarterdeck-damage-"));
  sound = join(root, "sound");
  const store = await openSqliteStore(sound);
  for (const session of ["a", "b"]) {
    const fold = createFold();
    await converse(store, session, fold, typed("p1", "first"), said("m1", "second"), said("m2", "third"));
    await converse(store, session, fold, said("m3", "fourth ".repeat(60_000)), said("m4", "fifth"));
    await store.putSession(recordOf(session));
  }
  whole = everythingOf(store, "b");
  await store.close();
});
afterAll(() => rmSync(root, { recursive: true }));
beforeEach(() => {
  folder = join(root, `copy-${++copies}`);
  cpSync(sound, folder, { recursive: true });
});

/** Runs SQL on the closed store. Session `a` has key 1. */
const damage = (sql: string): void => {
  const database = new DatabaseSync(join(folder, fileOfVolume(1)));
  database.exec(sql);
  database.close();
};
const place = eventPlaceOf(1, 3);

describe("damage is reported, and undamaged data can still be read", () => {
  it.each([
    ["another text", `UPDATE event SET body = replace(body, 'third', 'thirt') WHERE place = ${place}`],
    ["no JSON", `UPDATE event SET body = '' WHERE place = ${place}`],
    ["another time", `UPDATE event SET at = at + 1 WHERE place = ${place}`],
    ["another checksum", `UPDATE event SET sum = sum + 1 WHERE place = ${place}`],
    ["a hole", `DELETE FROM event WHERE place = ${place}`],
    [
      "two swapped records",
      `UPDATE event SET place = 99 WHERE place = ${place};
       UPDATE event SET place = ${place} WHERE place = ${eventPlaceOf(2, 3)};
       UPDATE event SET place = ${eventPlaceOf(2, 3)} WHERE place = 99`,
    ],
  ])("[D3] a fact with %s", async (_, sql) => {
    damage(sql);
    const store = await openSqliteStore(folder);
    expect(() => store.read("a", 0, 10)).toThrow(expect.objectContaining({ code: "corrupt", goodUntil: 2 }));
    expect(() => store.read("a", 2, 1)).toThrow(expect.objectContaining({ code: "corrupt", goodUntil: 2 }));
    expect(store.read("a", 0, 2).map(({ seq }) => seq)).toEqual([1, 2]);
    expect(store.read("a", 3, 9).map(({ seq }) => seq)).toEqual([4, 5]);
    expect(store.check().length).toBeGreaterThan(0);
    await store.close();
  });

  it("[D3] a log that lost its end: reported at the start, and never overwritten", async () => {
    damage(`DELETE FROM event WHERE place >= ${eventPlaceOf(1, 4)} AND place < ${eventPlaceOf(2, 0)}`);
    const store = await openSqliteStore(folder);
    expect(store.damage).toEqual(["Session a: its log should end at 5 and ends at 3."]);
    expect(() => store.read("a", 0, 10)).toThrow(expect.objectContaining({ code: "corrupt", goodUntil: 3 }));
    expect(store.read("a", 0, 3)).toHaveLength(3);
    await expect(store.append("a", facts(typed("p", "x")))).rejects.toMatchObject({ code: "corrupt" });
    expect(() => store.session("a")).toThrow(expect.objectContaining({ code: "corrupt" }));
    expect(everythingOf(store, "b")).toEqual(whole);
    await store.append("b", facts(typed("p", "x")));
    await store.deleteSession("a");
    expect(store.sessions().map(({ id }) => id)).toEqual(["b"]);
    await store.close();
  });

  it("[D3] a log that is longer than it should be", async () => {
    damage("UPDATE session SET last_seq = 2 WHERE key = 1");
    const store = await openSqliteStore(folder);
    expect(store.damage).toEqual(["Session a: its log should end at 2 and ends at 5."]);
    expect(store.read("a", 0, 10)).toHaveLength(5);
    await store.close();
  });

  it.each([
    ["the record", "UPDATE part SET body = replace(body, 'project', 'Project') WHERE session = 1 AND name = 'record'"],
    ["the name", "UPDATE session SET id = 'c' WHERE key = 1"],
  ])("[D3] %s of a session", async (_, sql) => {
    damage(sql);
    const store = await openSqliteStore(folder);
    expect(store.damage).toHaveLength(1);
    expect(store.sessions().map(({ id }) => id)).toEqual(["b"]);
    expect(everythingOf(store, "b")).toEqual(whole);
    await store.close();
  });

  it("[D3] rows: the fold is not returned, and the next save repairs it", async () => {
    damage("UPDATE row SET body = replace(body, 'second', 'Second') WHERE session = 1 AND id = 'm1/0'");
    const store = await openSqliteStore(folder);
    expect(() => store.rowsBefore("a", 99, 99)).toThrow(expect.objectContaining({ code: "corrupt" }));
    expect(() => store.search("second", 99)).toThrow(expect.objectContaining({ code: "corrupt" }));
    expect(store.loadFold("a", FOLD_VERSION)).toBeUndefined();
    const fold = createFold();
    for (const event of store.read("a", 0, 99)) fold.apply(event);
    await store.saveFold("a", { seq: fold.seq, fold: fold.save() });
    expect(store.loadFold("a", FOLD_VERSION)).toEqual({ seq: 5, fold: fold.save() });
    expect(store.rowsBefore("a", 99, 99).rows).toEqual(fold.rows);
    expect(store.check()).toEqual([]);
    await store.close();
  });

  it.each([
    ["missing rows", "DELETE FROM row WHERE session = 1 AND id = 'm1/0'"],
    ["the memory of the fold", "UPDATE part SET body = replace(body, 'm4', 'm5') WHERE name = 'memory'"],
    ["a missing memory of the fold", "DELETE FROM part WHERE session = 1 AND name = 'memory'"],
  ])("[D3] %s: there is no fold", async (_, sql) => {
    damage(sql);
    const store = await openSqliteStore(folder);
    expect(store.loadFold("a", FOLD_VERSION)).toBeUndefined();
    await store.close();
  });

  it.each([
    ["changed", (path: string) => writeFileSync(path, "something else")],
    ["cut", (path: string) => truncateSync(path, 100_000)],
    ["gone", (path: string) => rmSync(path)],
  ])("[D3] a blob that is %s", async (_, spoil) => {
    for (const name of readdirSync(join(folder, "blobs", "1-1"))) spoil(join(folder, "blobs", "1-1", name));
    const store = await openSqliteStore(folder);
    expect(() => store.read("a", 0, 10)).toThrow(expect.objectContaining({ code: "corrupt", goodUntil: 3 }));
    expect(store.loadFold("a", FOLD_VERSION)).toBeUndefined();
    expect(everythingOf(store, "b")).toEqual(whole);
    await store.close();
  });
});
