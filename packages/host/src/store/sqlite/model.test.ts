import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFold, FOLD_VERSION } from "@quarterdeck/session";
import type { Fold } from "@quarterdeck/session";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { EventStore } from "../event-store.ts";
import { createMemoryStore } from "../memory-store.ts";
import { seeded } from "@quarterdeck/test-kit/seeded";
import { roundsOf } from "@quarterdeck/test-kit/how-much";
import { openSqliteStore } from "../sqlite-store.ts";
import { everythingOf, facts, recordOf, said, typed } from "../store-facts.fixture.ts";

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "quarterdeck-model-"));
});
afterAll(() => rmSync(root, { recursive: true }));

const SESSIONS = ["a", "b", "c", "d"];
const WORDS = ["wind", "water", "Wave", "écume", "anchor", "deck"];

it.each([1, 2].slice(0, roundsOf(2)))(
  "[D16] answers like the memory store after any operations and restarts (%i)",
  async (seed) => {
    const random = seeded(seed);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
    const folder = join(root, `${seed}`);
    const options = { volumeBytes: 150_000 };
    const model = createMemoryStore();
    let store = await openSqliteStore(folder, options);
    const folds = new Map<string, Fold>();
    const savedRevs = new WeakMap<Fold, number>();
    let pending: Promise<unknown>[] = [];
    const both = (work: (each: EventStore) => unknown): void => {
      for (const each of [model, store]) pending.push(Promise.resolve(work(each)));
    };
    const settle = async (): Promise<void> => {
      await Promise.all(pending);
      pending = [];
    };
    const foldAgain = (session: string): Fold => {
      const fold = createFold(store.loadFold(session, FOLD_VERSION)?.fold);
      for (const event of store.read(session, fold.seq, 1000)) fold.apply(event);
      return fold;
    };

    for (let step = 0; step < 120; step++) {
      const session = pick(SESSIONS);
      const text = Array.from({ length: 1 + Math.floor(random() * 8) }, () => pick(WORDS)).join(" ");
      const large = random() < 0.05 ? text.repeat(20_000) : text;
      const chance = random();
      if (chance < 0.5) both((each) => each.append(session, facts(typed(`p${step}`, large), said(`m${step}`, text))));
      else if (chance < 0.7) {
        await settle();
        const fold = folds.get(session) ?? foldAgain(session);
        for (const event of store.read(session, fold.seq, 1000)) fold.apply(event);
        folds.set(session, fold);
        const since = random() < 0.7 ? savedRevs.get(fold) : undefined;
        savedRevs.set(fold, fold.rev);
        const part = since === undefined ? {} : { partial: { since, rowCount: fold.rowCount } };
        const saved = { seq: fold.seq, fold: fold.save(since), ...part };
        both((each) => each.saveFold(session, saved));
      } else if (chance < 0.8) both((each) => each.putSession(recordOf(session, { title: text, updatedAt: step })));
      else if (chance < 0.9) {
        await settle();
        // One draft grows, one changes each time, and one may start again.
        let growing = random() < 0.5 ? (model.loadDrafts(session)["growing"] ?? "") : "";
        for (let checkpoint = 0; checkpoint < 3; checkpoint++) {
          growing += ` ${text}`;
          const drafts = random() < 0.2 ? {} : { growing, [text]: text, other: `${checkpoint} ${text}` };
          both((each) => each.saveDrafts(session, drafts));
        }
      } else if (chance < 0.95) {
        both((each) => each.deleteSession(session));
        folds.delete(session);
      } else {
        await settle();
        await store.close();
        store = await openSqliteStore(folder, options);
        folds.clear();
      }
      if (step % 20 !== 19) continue;
      await settle();
      for (const each of SESSIONS) expect(everythingOf(store, each)).toEqual(everythingOf(model, each));
      expect(store.sessions()).toEqual(model.sessions());
      for (const query of ["wa", "wave ecume", "deck anchor wind"]) {
        const found = (each: EventStore): string[] =>
          each.search(query, 1000).hits.map((hit) => `${hit.session} ${hit.rowId} ${hit.excerpt}`);
        expect(found(store).toSorted()).toEqual(found(model).toSorted());
      }
      expect(store.check()).toEqual([]);
    }
    await store.close();
  },
);

it("[D15] writes a fold of thousands of rows in slices, commits other writes between them, and never mixes two folds", async () => {
  const store = await openSqliteStore(join(root, "large"));
  const build = async (words: string): Promise<Fold> => {
    const fold = createFold();
    for (let n = store.lastSeq("s"); n < 1600; n += 400) {
      await store.append("s", facts(...Array.from({ length: 400 }, (_, index) => said(`m${n + index}`, words))));
    }
    for (const event of store.read("s", 0, 10_000)) fold.apply(event);
    return fold;
  };
  const first = await build("one");
  const done: string[] = [];
  const saving = store.saveFold("s", { seq: first.seq, fold: first.save() }).then(() => done.push("fold"));
  await store.append("other", facts(typed("p", "text")));
  done.push("other");
  expect(store.loadFold("s", FOLD_VERSION)).toBeUndefined();
  await saving;
  expect(done).toEqual(["other", "fold"]);
  expect(store.loadFold("s", FOLD_VERSION)).toEqual({ seq: 1600, fold: first.save() });

  // Folded again from the log: fewer rows, other revs. Two concurrent saves, where the second continues the first.
  const again = createFold();
  for (const event of store.read("s", 0, 1200)) again.apply(event);
  const saves = [store.saveFold("s", { seq: again.seq, fold: again.save() })];
  for (const event of store.read("s", 1200, 100)) again.apply(event);
  saves.push(store.saveFold("s", { seq: again.seq, fold: again.save() }));
  await Promise.all(saves);
  expect(store.loadFold("s", FOLD_VERSION)).toEqual({ seq: 1300, fold: again.save() });
  expect(store.rowsBefore("s", Number.MAX_SAFE_INTEGER, 10_000).rows).toEqual(again.rows);
  expect(store.check()).toEqual([]);
  await store.close();
});
