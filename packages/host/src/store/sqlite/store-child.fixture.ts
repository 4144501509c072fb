// A program that writes to a store until a test kills it. It prints what the store has acknowledged. Run it with a
// folder and a seed. It prints these lines: `kept <session> <seq> <uuid>`, `deleting <session>`, `deleted <session>`.

import { writeSync } from "node:fs";
import { createFold, FOLD_VERSION } from "@quarterdeck/session";
import type { Fold } from "@quarterdeck/session";
import { openSqliteStore } from "../sqlite-store.ts";
import { seeded } from "@quarterdeck/test-kit/seeded";

const SESSIONS = 4;

const [, , folder = "", seed = "1"] = process.argv;
const random = seeded(Number(seed));
const upTo = (most: number): number => Math.floor(random() * most);
// Not `process.stdout`: it keeps lines in memory while the reader is slow, and a kill would lose them.
const say = (line: string): void => void writeSync(1, `${line}\n`);

const store = await openSqliteStore(folder, { volumeBytes: 256 * 1024 });
const folds = new Map<string, Fold>();
const foldOf = (session: string): Fold => {
  let fold = folds.get(session);
  if (fold === undefined) {
    fold = createFold(store.loadFold(session, FOLD_VERSION)?.fold);
    for (const event of store.read(session, fold.seq, Number.MAX_SAFE_INTEGER)) fold.apply(event);
    folds.set(session, fold);
  }
  return fold;
};

let written = 0;
const textOf = (uuid: string): string => {
  const size = upTo(100) === 0 ? 300_000 : upTo(2000);
  return `${uuid} ${"lorem ipsum ".repeat(size / 12)}`;
};

const append = async (session: string): Promise<void> => {
  const uuids = Array.from({ length: 1 + upTo(3) }, () => `${seed}-${++written}`);
  const events = await store.append(
    session,
    uuids.map((uuid) => ({ at: written, fact: { type: "prompt-accepted", uuid, content: textOf(uuid) } })),
  );
  for (const [index, { seq }] of events.entries()) say(`kept ${session} ${seq} ${uuids[index]}`);
  const fold = foldOf(session);
  for (const event of events) fold.apply(event);
};

const remove = async (session: string): Promise<void> => {
  say(`deleting ${session}`);
  await store.deleteSession(session);
  folds.delete(session);
  say(`deleted ${session}`);
};

const step = async (session: string): Promise<void> => {
  const chance = upTo(200);
  if (chance === 0) return remove(session);
  if (chance < 10) {
    const fold = foldOf(session);
    return store.saveFold(session, { seq: fold.seq, fold: fold.save() });
  }
  if (chance < 20) return store.saveDrafts(session, { draft: textOf("draft") });
  if (chance < 25) {
    return store.putSession({
      id: session,
      createdAt: 1,
      updatedAt: written,
      cwd: "/",
      archived: false,
      settings: { written },
    });
  }
  return append(session);
};

say("ready");
// Each session runs on its own, so that a commit contains facts of several sessions.
await Promise.all(
  Array.from({ length: SESSIONS }, async (_, index) => {
    for (;;) await step(`s${index}`);
  }),
);
