import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createFold } from "@quarterdeck/session";
import type { Fold } from "@quarterdeck/session";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { EventStore } from "../event-store.ts";
import { deleteByPolicy } from "../retention.ts";
import { seeded } from "@quarterdeck/test-kit/seeded";
import { openSqliteStore } from "../sqlite-store.ts";
import { fileOfVolume } from "./volume.ts";
import { converse, everythingOf, facts, NOTHING, recordOf, said, typed } from "../store-facts.fixture.ts";

let root: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "quarterdeck-delete-"));
  folder = join(root, "data");
});
afterEach(() => rmSync(root, { recursive: true }));

/** In another process: opening and closing the database files in this one would drop its locks. */
const filesWith = (text: string): string[] => {
  const { stdout, status } = spawnSync("grep", ["-rlaiF", text, folder], { encoding: "utf8" });
  if (status !== 0 && status !== 1) throw new Error("grep failed");
  return stdout.split("\n").filter((line) => line !== "");
};

/** Words with different beginnings, because an index stores only how a word differs from the word before it. */
const secretOf = (session: number, n: number): string => `${(n % 97) + 10}${session}secret${session}x`;
const SECRET = (session: number): string => `secret${session}x`;

const converseAtRandom = async (store: EventStore, sessions: number, steps: number): Promise<void> => {
  const random = seeded(7);
  const folds = Array.from({ length: sessions }, (): Fold => createFold());
  const pending: Promise<void>[] = [];
  for (let n = 0; n < steps; n++) {
    const session = Math.floor(random() * sessions);
    const words = `${secretOf(session, n)} `.repeat(1 + Math.floor(random() * 60));
    pending.push(converse(store, `s${session}`, folds[session]!, typed(`p${n}`, words), said(`m${n}`, words)));
    // One fact of each session per batch.
    if (pending.length === sessions) await Promise.all(pending.splice(0));
  }
  await Promise.all(pending);
};

it("[D4] leaves no word of a deleted session in any file", async () => {
  const store = await openSqliteStore(folder);
  const sessions = 24;
  await converseAtRandom(store, sessions, 600);
  for (let n = 0; n < sessions; n++) {
    store.saveDrafts(`s${n}`, { draft: secretOf(n, 1) });
    await store.append(`s${n}`, facts(said("large", `${SECRET(n)} `.repeat(50_000))));
    await store.putSession(recordOf(`s${n}`, { title: `All about ${SECRET(n)}`, cwd: `/${SECRET(n)}` }));
  }
  const deleted = [3, 4, 5, 7, 11, 23, 0];
  expect(filesWith(SECRET(3)).length).toBeGreaterThan(1);
  const other = everythingOf(store, "s8");

  await store.deleteSession("s3");
  expect(filesWith(SECRET(3))).toEqual([]);
  await Promise.all(deleted.slice(1).map((n) => store.deleteSession(`s${n}`)));
  for (const n of deleted) {
    expect(filesWith(SECRET(n))).toEqual([]);
    expect(everythingOf(store, `s${n}`)).toEqual(NOTHING);
    expect(store.search(SECRET(n), 9).hits).toEqual([]);
  }
  expect(everythingOf(store, "s8")).toEqual(other);
  const [text] = store.rowsBefore("s8", Number.MAX_SAFE_INTEGER, 99).rows.filter((row) => row.kind === "text");
  expect(store.search(text?.text.split(" ")[0] ?? "", 99).hits.map(({ rowId }) => rowId)).toContain(text?.id);
  expect(store.check()).toEqual([]);
  await store.close();

  const database = new DatabaseSync(join(folder, fileOfVolume(1)));
  database.exec("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab('main', 'word', 'row')");
  const terms = database.prepare("SELECT term FROM vocabulary WHERE term LIKE '%secret%'").all() as { term: string }[];
  const left = new Set(terms.map(({ term }) => Number(/secret(\d+)x/.exec(term)?.[1])));
  expect([...left].toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: sessions }, (_, n) => n).filter((n) => !deleted.includes(n)),
  );
  database.close();
});

it("[D4] stores facts while it deletes", async () => {
  const store = await openSqliteStore(folder);
  await converseAtRandom(store, 4, 40);
  const done = [
    store.deleteSession("s0"),
    ...Array.from({ length: 50 }, () => store.append("new", facts(typed("p", "x")))),
  ];
  await Promise.all(done);
  expect(store.lastSeq("new")).toBe(50);
  expect(filesWith(SECRET(0))).toEqual([]);
  await store.close();
});

it("[D9] keeps the files until a running copy is done", async () => {
  const store = await openSqliteStore(folder);
  await converse(store, "s", createFold(), said("large", `${SECRET(0)} `.repeat(100_000)));
  const was = everythingOf(store, "s");
  await Promise.all([store.backup(join(root, "copy")), store.deleteSession("s")]);
  expect(filesWith(SECRET(0))).toEqual([]);
  await store.close();
  const copy = await openSqliteStore(join(root, "copy"));
  expect([NOTHING, was]).toContainEqual(everythingOf(copy, "s"));
  expect(copy.check()).toEqual([]);
  await copy.close();
});

it("[D4] the next start finishes a delete that was not yet rewritten", async () => {
  let store = await openSqliteStore(folder);
  await converseAtRandom(store, 6, 200);
  await store.close();
  const database = new DatabaseSync(join(folder, fileOfVolume(1)));
  // The state after a crash between delete and rewrite.
  database.exec(`
    DELETE FROM word WHERE rowid IN (SELECT n FROM row WHERE session = 2);
    DELETE FROM row WHERE session = 2; DELETE FROM part WHERE session = 2; DELETE FROM session WHERE key = 2;
    DELETE FROM event WHERE place BETWEEN 2 * 4294967296 AND 3 * 4294967296 - 1;
    INSERT INTO deleted (key) VALUES (2);
  `);
  database.close();
  store = await openSqliteStore(folder);
  const gone = [0, 1, 2, 3, 4, 5].filter((n) => store.lastSeq(`s${n}`) === 0);
  expect(gone).toHaveLength(1);
  expect(filesWith(SECRET(gone[0]!))).toEqual([]);
  await store.close();
});

it("[D8] deletes the blobs of replaced rows, and blobs that a crash left", async () => {
  const blobs = (): string[] =>
    readdirSync(join(folder, "blobs"), { recursive: true, encoding: "utf8" }).filter((name) => name.length > 40);
  let store = await openSqliteStore(folder);
  const fold = createFold();
  await converse(store, "s", fold, { type: "prompt-accepted", uuid: "p", content: "large ".repeat(60_000) });
  const [first] = [blobs()];
  expect(first).toHaveLength(2);
  await converse(store, "s", fold, { type: "prompt-held", uuid: "p" });
  expect(blobs()).toHaveLength(2);
  expect(blobs()).not.toEqual(first);
  const was = everythingOf(store, "s");
  await store.close();

  // The state that a killed program leaves: it opened the store and wrote blobs for rows that it never committed.
  writeFileSync(join(folder, "owner.json"), "{}");
  const left = "0".repeat(64);
  const [space = ""] = readdirSync(join(folder, "blobs"));
  writeFileSync(join(folder, "blobs", space, left), "left");
  writeFileSync(join(folder, "blobs", space, `${left}.new`), "half");
  mkdirSync(join(folder, "blobs", "7-7"));
  writeFileSync(join(folder, "blobs", "7-7", left), "left");
  store = await openSqliteStore(folder);
  expect(blobs()).toHaveLength(2);
  expect(readdirSync(join(folder, "blobs"))).toEqual([space]);
  expect(everythingOf(store, "s")).toEqual(was);
  await store.close();
});

it("[D10] deletes by age and by size, least recently used first, and never what must be kept", async () => {
  const store = await openSqliteStore(folder);
  for (const [index, id] of ["a", "b", "c", "d", "e"].entries()) {
    await store.append(id, facts(said("m", "z".repeat(10_000))));
    await store.putSession(recordOf(id, { updatedAt: index * 1000 }));
  }
  const isKept = ({ id }: { id: string }): boolean => id === "b";
  expect(await deleteByPolicy(store, { maxAgeMs: 3000, now: 4500, isKept })).toEqual(["a"]);
  expect(await deleteByPolicy(store, { maxBytes: 25_000, now: 4500, isKept })).toEqual(["c", "d"]);
  expect(store.sessions().map(({ id }) => id)).toEqual(["e", "b"]);
  expect(await deleteByPolicy(store, { now: 4500, isKept })).toEqual([]);
  await store.close();
});
