// The contract of every store, as tests that run against each of them.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFold, FOLD_VERSION } from "@quarterdeck/session";
import type { Fact } from "@quarterdeck/session";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { EventStore } from "./event-store.ts";
import { openSqliteStore } from "./sqlite-store.ts";
import { converse, everythingOf, facts, NOTHING, recordOf, said, typed } from "./store-facts.fixture.ts";
import { searchContract } from "./store-search.fixture.ts";

export const storeContract = (open: (folder: string) => Promise<EventStore>): void => {
  let root: string;
  let store: EventStore;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "quarterdeck-store-"));
    store = await open(join(root, "data"));
  });
  afterEach(async () => {
    await store.close();
    await rm(root, { recursive: true });
  });

  searchContract(() => store);

  it("[D2] numbers facts densely from 1 in the order of the calls, per session", async () => {
    const calls = Array.from({ length: 60 }, (_, index) => {
      const session = `s${index % 3}`;
      return store.append(session, facts(typed(`${index}`, "one"), typed(`${index}+`, "two")));
    });
    const events = (await Promise.all(calls)).map((call) => call.map(({ seq }) => seq));
    expect(events).toEqual(calls.map((_, index) => [1, 2].map((n) => Math.floor(index / 3) * 2 + n)));
    for (const session of ["s0", "s1", "s2"]) {
      const read = store.read(session, 0, 100);
      expect(read.map(({ seq }) => seq)).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
      expect(store.lastSeq(session)).toBe(40);
    }
  });

  it("[D1] returns facts unchanged, whatever they contain", async () => {
    const odd = JSON.parse('{"__proto__":{"a":1},"constructor":"\\u0000\\ud800 \\u2028","n":-1.5e-300}') as never;
    const all = facts(
      { type: "received", message: odd },
      { type: "stderr", text: "caf\u00e9 \u{1f6a2}\n\u0000" },
      { type: "process-exited", code: null, signal: "SIGKILL" },
    ).map((fact, index) => ({ ...fact, at: index + 0.125 }));
    const events = await store.append("s", all);
    expect(events).toEqual(all.map(({ at, fact }, index) => ({ seq: index + 1, at, ...fact })));
    expect(store.read("s", 0, 10)).toEqual(events);
  });

  it("reads a log in pages", async () => {
    await store.append("s", facts(...Array.from({ length: 10 }, (_, n) => typed(`${n}`, "text"))));
    expect(store.read("s", 3, 4).map(({ seq }) => seq)).toEqual([4, 5, 6, 7]);
    expect(store.read("s", 8, 4).map(({ seq }) => seq)).toEqual([9, 10]);
    expect(store.read("s", 10, 4)).toEqual([]);
    expect(store.read("s", 0, 0)).toEqual([]);
    expect(store.read("nobody", 0, 4)).toEqual([]);
  });

  it("[D1] keeps the facts as they were passed in, even if the caller changes the objects later", async () => {
    const message = { type: "custom", text: "before" };
    const appended = store.append("s", facts({ type: "received", message }));
    message.text = "after";
    await appended;
    expect(store.read("s", 0, 1)).toMatchObject([{ message: { text: "before" } }]);
  });

  it("[D8] stores facts of several megabytes", async () => {
    const big = "0123456789abcdéf".repeat(250_000);
    const events = await store.append("s", facts(said("m1", big), typed("p", "small"), said("m2", `${big}!`)));
    expect(store.read("s", 0, 3)).toEqual(events);
  });

  it("appends nothing for an empty list", async () => {
    expect(await store.append("s", [])).toEqual([]);
    expect(everythingOf(store, "s")).toEqual(NOTHING);
  });

  it("returns a saved fold, and a later save replaces it", async () => {
    const fold = createFold();
    await converse(store, "s", fold, typed("p1", "first"), said("m1", "answer"), said("m2", "more"));
    expect(store.loadFold("s", FOLD_VERSION)).toEqual({ seq: 3, fold: fold.save() });
    await converse(store, "s", fold, said("m3", "x".repeat(300_000)), { type: "prompt-held", uuid: "p1" });
    expect(store.loadFold("s", FOLD_VERSION)).toEqual({ seq: 5, fold: fold.save() });
    expect(store.loadFold("s", FOLD_VERSION + 1)).toBeUndefined();
    expect(store.loadFold("nobody", FOLD_VERSION)).toBeUndefined();
  });

  it("keeps only the rows of the fold, also after rows are removed or the log is folded again", async () => {
    const fold = createFold();
    await converse(store, "s", fold, typed("p1", "first"), said("m1", "answer"), said("m2", "more"));
    const loaded = createFold(store.loadFold("s", FOLD_VERSION)?.fold);
    const retract = {
      type: "assistant",
      uuid: "uuid-m3",
      session_id: "cli-session",
      parent_tool_use_id: null,
      supersedes: ["uuid-m1"],
      message: { id: "m3", role: "assistant", model: "model", content: [{ type: "text", text: "better" }] },
    };
    await converse(store, "s", loaded, { type: "received", message: retract });
    expect(loaded.rows.map(({ id }) => id)).toEqual(["prompt/p1", "m2/0", "m3/0"]);
    expect(store.loadFold("s", FOLD_VERSION)).toEqual({ seq: 4, fold: loaded.save() });
    expect(store.rowsBefore("s", 99, 99).rows).toEqual(loaded.rows);
    expect(store.search("answer", 9).hits).toEqual([]);

    const again = createFold();
    for (const event of store.read("s", 0, 2)) again.apply(event);
    await store.saveFold("s", { seq: 2, fold: again.save() });
    expect(store.loadFold("s", FOLD_VERSION)).toEqual({ seq: 2, fold: again.save() });
    expect(store.rowsBefore("s", 99, 99).rows).toEqual(again.rows);
  });

  it("a partial save gives the same fold as a whole save", async () => {
    const fold = createFold();
    await converse(store, "s", fold, typed("p1", "first"), said("m1", "answer"), said("m2", "more"));
    let since = fold.rev;
    const goOn = async (...all: Fact[]): Promise<void> => {
      for (const event of await store.append("s", facts(...all))) fold.apply(event);
      const partial = { since, rowCount: fold.rowCount };
      since = fold.rev;
      await store.saveFold("s", { seq: fold.seq, fold: fold.save(partial.since), partial });
      expect(store.loadHead("s", FOLD_VERSION)).toEqual({
        seq: fold.seq,
        rev: fold.rev,
        rowCount: fold.rowCount,
        head: fold.head,
      });
      expect(store.rowsBefore("s", Infinity, 10_000).rows).toEqual(fold.rows);
    };
    await goOn(said("m3", "a third"), { type: "prompt-held", uuid: "p1" });
    const better = { ...(said("m4", "better") as { message: object }).message, supersedes: ["uuid-m1"] };
    await goOn({ type: "received", message: better as never });
    await goOn(...Array.from({ length: 1200 }, (_, n) => said(`n${n}`, "many")));
    expect(store.loadFold("s", FOLD_VERSION)).toEqual({ seq: fold.seq, fold: fold.save() });
    // A loaded fold can be continued too.
    const loaded = createFold(store.loadFold("s", FOLD_VERSION)?.fold);
    const from = loaded.rev;
    for (const event of await store.append("s", facts(said("m5", "after a restart")))) loaded.apply(event);
    const partial = { since: from, rowCount: loaded.rowCount };
    await store.saveFold("s", { seq: loaded.seq, fold: loaded.save(from), partial });
    expect(store.loadFold("s", FOLD_VERSION)).toEqual({ seq: loaded.seq, fold: loaded.save() });
    expect(store.search("first", 9).hits.map(({ rowId }) => rowId)).toEqual(["prompt/p1"]);
  });

  it("drops the fold after a partial save that does not continue it", async () => {
    const fold = createFold();
    await converse(store, "s", fold, typed("p1", "first"), said("m1", "answer"));
    const { rev, rowCount } = fold;
    for (const event of await store.append("s", facts(said("m2", "missed"), said("m3", "seen")))) fold.apply(event);
    const partial = { since: rev + 1, rowCount };
    await store.saveFold("s", { seq: fold.seq, fold: fold.save(rev + 1), partial });
    expect(store.loadFold("s", FOLD_VERSION)).toBeUndefined();
    expect(store.loadHead("s", FOLD_VERSION)).toBeUndefined();
    await store.saveFold("s", { seq: fold.seq, fold: fold.save() });
    expect(store.loadFold("s", FOLD_VERSION)).toEqual({ seq: fold.seq, fold: fold.save() });
  });

  it("[D15] settles every call if several folds wait, and keeps the last fold", async () => {
    const fold = createFold();
    await converse(store, "s", fold, typed("p1", "first"));
    const saved: Promise<void>[] = [];
    for (const event of await store.append("s", facts(said("m1", "one"), said("m2", "two"), said("m3", "three")))) {
      fold.apply(event);
      saved.push(store.saveFold("s", { seq: fold.seq, fold: fold.save() }));
    }
    await Promise.all(saved);
    expect(store.loadFold("s", FOLD_VERSION)).toEqual({ seq: 4, fold: fold.save() });
  });

  it("[D14] pages rows backwards", async () => {
    const fold = createFold();
    await converse(store, "s", fold, ...Array.from({ length: 7 }, (_, n) => said(`m${n}`, `text ${n}`)));
    const { rows } = fold;
    expect(store.rowsBefore("s", Number.MAX_SAFE_INTEGER, 3)).toEqual({ rows: rows.slice(4), more: true });
    expect(store.rowsBefore("s", rows[4]!.order, 3)).toEqual({ rows: rows.slice(1, 4), more: true });
    expect(store.rowsBefore("s", rows[1]!.order, 3)).toEqual({ rows: rows.slice(0, 1), more: false });
    expect(store.rowsBefore("s", rows[0]!.order, 3)).toEqual({ rows: [], more: false });
    expect(store.rowsBefore("s", Infinity, 3)).toEqual({ rows: rows.slice(4), more: true });
  });

  it("[D14] pages rows forwards, and around a row", async () => {
    const fold = createFold();
    await converse(store, "s", fold, ...Array.from({ length: 7 }, (_, n) => said(`m${n}`, `text ${n}`)));
    await converse(store, "other", createFold(), said("m3", "of another session"));
    const { rows } = fold;
    expect(store.rowsAfter("s", 0, 3)).toEqual({ rows: rows.slice(0, 3), more: true });
    expect(store.rowsAfter("s", rows[3]!.order, 3)).toEqual({ rows: rows.slice(4), more: false });
    expect(store.rowsAfter("s", rows[6]!.order, 3)).toEqual({ rows: [], more: false });
    expect(store.rowsAround("s", "m3/0", 2)).toEqual({ rows: rows.slice(1, 6), moreBefore: true, moreAfter: true });
    expect(store.rowsAround("s", "m1/0", 1)).toEqual({ rows: rows.slice(0, 3), moreBefore: false, moreAfter: true });
    expect(store.rowsAround("s", "m6/0", 9)).toEqual({ rows, moreBefore: false, moreAfter: false });
    expect(store.rowsAround("s", "nothing", 9)).toBeUndefined();
    expect(store.rowsAround("nobody", "m3/0", 9)).toBeUndefined();
    expect(store.row("s", "m3/0")).toEqual(rows[3]);
    expect(store.row("s", "nothing")).toBeUndefined();
    expect(store.row("nobody", "m3/0")).toBeUndefined();
  });

  it("[D14] returns the head of a session without its rows", async () => {
    const fold = createFold();
    await converse(store, "s", fold, typed("p1", "first"), said("m1", "answer"));
    expect(store.loadHead("s", FOLD_VERSION)).toEqual({ seq: 2, rev: fold.rev, rowCount: 2, head: fold.head });
    expect(store.loadHead("s", FOLD_VERSION + 1)).toBeUndefined();
    expect(store.loadHead("nobody", FOLD_VERSION)).toBeUndefined();
  });

  it("[D14] returns the changes after a rev like the fold does, in pages", async () => {
    const fold = createFold();
    const supersede = { ...said("m9", "better") } as { message: object };
    await converse(store, "s", fold, typed("p1", "first"), said("m1", "answer"));
    const revs = [0, fold.rev];
    await converse(store, "s", fold, ...Array.from({ length: 5 }, (_, n) => said(`n${n}`, "more")));
    revs.push(fold.rev);
    supersede.message = { ...supersede.message, supersedes: ["uuid-m1"] };
    await converse(store, "s", fold, { type: "prompt-held", uuid: "p1" }, supersede as Fact);
    for (const rev of [...revs, fold.rev]) {
      expect(store.changesSince("s", FOLD_VERSION, rev, 100)).toEqual({ ...fold.changes(rev), more: false });
    }
    expect(fold.changes(revs[1]!).removed).toEqual(["m1/0"]);

    // A client that applies the changes page by page reaches the same state.
    const rows = new Map<string, unknown>();
    let head = {};
    let rev = 0;
    for (let pages = 1; ; pages++) {
      const changes = store.changesSince("s", FOLD_VERSION, rev, 2)!;
      expect(changes.rows.length).toBeLessThanOrEqual(2);
      for (const row of changes.rows) rows.set(row.id, row);
      for (const id of changes.removed) rows.delete(id);
      head = { ...head, ...changes.head };
      rev = changes.rev;
      if (changes.more) continue;
      expect(pages).toBeGreaterThan(2);
      break;
    }
    expect([rev, new Set(rows.values())]).toEqual([fold.rev, new Set(fold.rows)]);
    expect(head).toEqual(fold.changes(0).head);

    expect(store.changesSince("s", FOLD_VERSION, fold.rev + 9, 100)).toMatchObject({ rev: fold.rev, rows: [] });
    expect(store.changesSince("s", FOLD_VERSION + 1, 0, 100)).toBeUndefined();
    expect(store.changesSince("nobody", FOLD_VERSION, 0, 100)).toBeUndefined();
  });

  it("[D14] lists sessions with their summaries, most recently used first", async () => {
    await store.putSession(recordOf("a", { updatedAt: 5000 }));
    await store.putSession(recordOf("b", { updatedAt: 1 }));
    await store.append("no record", facts(typed("p", "text")));
    const fold = createFold();
    await converse(store, "b", fold, typed("p1", `What\n  is ${"x".repeat(300)}?`), said("m1", "An answer."));
    const [a, b, ...others] = store.list();
    expect(others).toEqual([]);
    expect([store.entry("a"), store.entry("b")]).toEqual([a, b]);
    expect([store.entry("no record"), store.entry("nobody")]).toEqual([undefined, undefined]);
    expect(a).toEqual({ record: recordOf("a", { updatedAt: 5000 }), usedAt: 5000, lastSeq: 0, bytes: a?.bytes });
    expect(b).toEqual({
      record: recordOf("b", { updatedAt: 1 }),
      usedAt: 1001,
      lastSeq: 2,
      bytes: b?.bytes,
      summary: {
        seq: 2,
        rev: fold.rev,
        rowCount: 2,
        lastOrder: 2,
        phase: fold.head.phase,
        since: fold.head.since,
        lastEventAt: fold.head.lastEventAt,
        model: "model",
        costUsd: 0,
        turns: 0,
        openRequests: 0,
        queued: fold.head.queue.length,
        runningTasks: 0,
        firstPrompt: `What is ${"x".repeat(192)}…`,
        lastText: "An answer.",
      },
    });
    await store.append("b", [{ at: 9000, fact: said("m2", "later") }]);
    expect(store.list().map(({ record, lastSeq, summary }) => [record.id, lastSeq, summary?.seq])).toEqual([
      ["b", 3, 2],
      ["a", 0, undefined],
    ]);
  });

  it("[D13] keeps the latest drafts", async () => {
    await store.append("s", facts(typed("p", "text")));
    expect(store.loadDrafts("s")).toEqual({});
    store.saveDrafts("s", { "m1/0": "Once", "m1/1": "{" });
    store.saveDrafts("s", { "m1/0": "Once upon" });
    expect(store.loadDrafts("s")).toEqual({ "m1/0": "Once upon" });
    store.saveDrafts("s", {});
    expect(store.loadDrafts("s")).toEqual({});
  });

  it("keeps the latest record of each session, most recently used session first", async () => {
    const first = recordOf("a", { updatedAt: 10, title: "Old" });
    await Promise.all([store.putSession(first), store.putSession(recordOf("b", { updatedAt: 20 }))]);
    expect(store.sessions().map(({ id }) => id)).toEqual(["b", "a"]);
    await Promise.all([
      store.putSession({ ...first, title: "Lost" }),
      store.putSession({ ...first, title: "New", updatedAt: 30 }),
    ]);
    expect(store.session("a")).toEqual({ ...first, title: "New", updatedAt: 30 });
    expect(store.sessions().map(({ id }) => id)).toEqual(["a", "b"]);
    await store.append("c", facts(typed("p", "text")));
    expect(store.session("c")).toBeUndefined();
    expect(store.sessions()).toHaveLength(2);
  });

  it("keeps no rows and no drafts of an unknown session", async () => {
    const fold = createFold();
    await store.saveFold("s", { seq: 0, fold: fold.save() });
    store.saveDrafts("s", { a: "b" });
    expect(everythingOf(store, "s")).toEqual(NOTHING);
  });

  it("[D4] deletes one session and keeps the others", async () => {
    for (const session of ["a", "b"]) {
      await converse(store, session, createFold(), typed("p1", `${session} prompt`), said("m1", "y".repeat(300_000)));
      await store.putSession(recordOf(session));
      store.saveDrafts(session, { d: "draft" });
    }
    const other = everythingOf(store, "b");
    await Promise.all([store.deleteSession("a"), store.deleteSession("nobody")]);
    expect(everythingOf(store, "a")).toEqual(NOTHING);
    expect(everythingOf(store, "b")).toEqual(other);
    expect(store.sessions().map(({ id }) => id)).toEqual(["b"]);
    expect(store.search("prompt", 9).hits.map(({ session }) => session)).toEqual(["b"]);
    const [event] = await store.append("a", facts(typed("p1", "again")));
    expect(event?.seq).toBe(1);
  });

  it("runs calls in order, even if the caller does not await them", async () => {
    const done = [
      store.append("s", facts(typed("p1", "gone"))),
      store.deleteSession("s"),
      store.append("s", facts(typed("p2", "kept"))),
    ];
    await Promise.all(done);
    expect(store.read("s", 0, 9)).toEqual([{ seq: 1, at: 1000, ...typed("p2", "kept") }]);
  });

  it("[D11] reports its size in total and per session", async () => {
    const before = store.usage();
    expect(before.sessions).toEqual({});
    await converse(store, "a", createFold(), said("m1", "z".repeat(500_000)), said("m2", "é".repeat(100_000)));
    await converse(store, "b", createFold(), said("m1", "small"));
    store.saveDrafts("b", { d: "z".repeat(50_000) });
    await store.putSession(recordOf("b"));
    const { total, sessions } = store.usage();
    expect(total).toBeGreaterThan(before.total + 1_300_000);
    expect(sessions["a"]).toBeGreaterThan(1_300_000);
    expect(sessions["b"]).toBeLessThan(10_000);
    await store.deleteSession("a");
    expect(store.usage().total).toBeLessThan(before.total + 300_000);
    expect(Object.keys(store.usage().sessions)).toEqual(["b"]);
  });

  it("[D9] makes a copy that opens as a store, while the store continues", async () => {
    const fold = createFold();
    await converse(store, "a", fold, typed("p1", "one"), said("m1", "b".repeat(400_000)));
    await store.putSession(recordOf("a"));
    store.saveDrafts("a", { d: "draft" });
    await store.append("b", facts(typed("p", "no record")));
    const path = join(root, "copy");
    const was = { a: everythingOf(store, "a"), b: everythingOf(store, "b") };
    await Promise.all([store.backup(path), store.append("b", facts(typed("p2", "later")))]);
    const copy = await openSqliteStore(path);
    expect(everythingOf(copy, "a")).toEqual(was.a);
    expect(copy.read("b", 0, 1)).toEqual(store.read("b", 0, 1));
    expect(copy.search("one", 9).hits).toHaveLength(1);
    await copy.append("a", facts(typed("p3", "in the copy")));
    await copy.close();
    expect(everythingOf(store, "a")).toEqual(was.a);
  });

  it("commits earlier calls when it is closed, and refuses later ones", async () => {
    const last = store.append("s", facts(typed("p", "text")));
    await store.close();
    expect(await last).toHaveLength(1);
    const closed = expect.objectContaining({ name: "StoreError", code: "closed" }) as unknown;
    await expect(store.append("s", facts(typed("q", "text")))).rejects.toEqual(closed);
    await expect(store.putSession(recordOf("s"))).rejects.toEqual(closed);
    await expect(store.deleteSession("s")).rejects.toEqual(closed);
    expect(() => store.read("s", 0, 1)).toThrow(closed);
    expect(() => store.sessions()).toThrow(closed);
    await store.close();
  });
};
