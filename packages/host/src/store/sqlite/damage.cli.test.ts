import { closeSync, cpSync, mkdtempSync, openSync, readSync, rmSync, statSync, truncateSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFold, FOLD_VERSION } from "@quarterdeck/session";
import { afterAll, beforeAll, expect, it } from "vitest";
import { roundsOf } from "@quarterdeck/test-kit/how-much";
import { StoreError } from "../event-store.ts";
import { seeded } from "@quarterdeck/test-kit/seeded";
import { openSqliteStore } from "../sqlite-store.ts";
import type { SqliteStore } from "../sqlite-store.ts";
import { fileOfVolume } from "./volume.ts";
import { converse, recordOf, said, typed } from "../store-facts.fixture.ts";

const ROUNDS = roundsOf(150);
const SESSIONS = ["a", "b", "c"];

let root: string;
let sound: string;
let logs: string[];
let folds: string[];

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "quarterdeck-flip-"));
  sound = join(root, "sound");
  const store = await openSqliteStore(sound);
  for (const session of SESSIONS) {
    const fold = createFold();
    for (let n = 0; n < 12; n++) {
      await converse(store, session, fold, typed(`p${n}`, `question ${n}`), said(`m${n}`, `answer ${n} `.repeat(40)));
    }
    await store.putSession(recordOf(session));
  }
  logs = SESSIONS.map((session) => JSON.stringify(store.read(session, 0, 1000)));
  folds = SESSIONS.map((session) => JSON.stringify(store.loadFold(session, FOLD_VERSION)));
  await store.close();
});
afterAll(() => rmSync(root, { recursive: true }));

const flipBit = (path: string, offset: number, bit: number): void => {
  const handle = openSync(path, "r+");
  const byte = Buffer.alloc(1);
  readSync(handle, byte, 0, 1, offset);
  byte[0] = byte[0]! ^ (1 << bit);
  writeSync(handle, byte, 0, 1, offset);
  closeSync(handle);
};

/** Reads the damaged store: the data is the same, or the store reported damage. Anything else throws. */
const outcomeOf = async (folder: string): Promise<"same" | "told"> => {
  let store: SqliteStore | undefined;
  try {
    store = await openSqliteStore(folder);
    let outcome: "same" | "told" = store.damage.length > 0 ? "told" : "same";
    for (const [index, session] of SESSIONS.entries()) {
      try {
        const events = store.read(session, 0, 1000);
        // A session may be missing only if the store reported that a session is damaged.
        if (events.length === 0 && outcome === "told") continue;
        expect(JSON.stringify(events)).toBe(logs[index]);
        const fold = store.loadFold(session, FOLD_VERSION);
        // Without a saved fold, the host folds the log again.
        if (fold !== undefined) expect(JSON.stringify(fold)).toBe(folds[index]);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        expect(error.code).toBe("corrupt");
        outcome = "told";
        const good = error.goodUntil ?? 0;
        if (good > 0) {
          const whole = JSON.parse(logs[index]!) as unknown[];
          expect(store.read(session, 0, good)).toEqual(whole.slice(0, good));
        }
      }
    }
    return outcome;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    expect(["corrupt", "newer-schema", "io", "no-permission"]).toContain(error.code);
    return "told";
  } finally {
    await store?.close().catch(() => {});
  }
};

it("[D3] never returns wrong data after a bit flip or a cut file", { timeout: 300_000 }, async () => {
  const random = seeded(42);
  const outcomes = { same: 0, told: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const folder = join(root, `round-${round}`);
    cpSync(sound, folder, { recursive: true });
    const path = join(folder, fileOfVolume(1));
    const { size } = statSync(path);
    // One flip in five hits the first page, because everything else depends on it.
    const offset = Math.floor(random() * (round % 5 === 0 ? 4096 : size));
    if (round % 15 === 14) truncateSync(path, offset);
    else flipBit(path, offset, Math.floor(random() * 8));
    outcomes[await outcomeOf(folder)]++;
    rmSync(folder, { recursive: true });
  }
  expect(outcomes.same + outcomes.told).toBe(ROUNDS);
  expect(outcomes.told).toBeGreaterThan(ROUNDS / 15);
});
