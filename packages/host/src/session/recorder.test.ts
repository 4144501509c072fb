import { createFold, FOLD_VERSION } from "@quarterdeck/session";
import type { Row } from "@quarterdeck/session";
import { afterEach, expect, it, vi } from "vitest";
import type { EventStore, FoldToSave } from "../store/event-store.ts";
import { createMemoryStore } from "../store/memory-store.ts";
import { Recorder } from "./recorder.ts";
import { scratchFolder } from "@quarterdeck/test-kit/scratch-folder";
import { openSqliteStore } from "../store/sqlite-store.ts";
import { facts, recordOf, said } from "../store/store-facts.fixture.ts";

afterEach(() => vi.useRealTimers());

/** A store whose saves wait until the test releases them. */
const slowStore = () => {
  const store = createMemoryStore();
  const saves: FoldToSave[] = [];
  const gates: (() => void)[] = [];
  const slow = Object.assign(Object.create(store) as EventStore, {
    saveFold: async (session: string, stored: FoldToSave): Promise<void> => {
      saves.push(stored);
      await new Promise<void>((resolve) => gates.push(resolve));
      await store.saveFold(session, stored);
    },
  });
  for (const name of ["append", "read", "lastSeq", "loadFold", "loadDrafts", "saveDrafts"] as const) {
    Object.assign(slow, { [name]: store[name].bind(store) });
  }
  return { store, slow, saves, gates };
};

const recorderOf = (store: EventStore): Recorder =>
  new Recorder({
    store,
    session: "s",
    onPressure: () => {},
    onError: (error) => {
      throw error;
    },
  });

const messages = (count: number, prefix = "m") =>
  Array.from({ length: count }, (_, n) => said(`${prefix}${n}`, "text"));

it("[D15] reports events while the fold is saved, and saves one after the other, each continuing the last", async () => {
  const { store, slow, saves, gates } = slowStore();
  const recorder = recorderOf(slow);
  let told = 0;
  recorder.subscribe(() => told++);
  for (const fact of messages(1200)) await recorder.record(fact);
  expect([told, saves.length]).toEqual([1200, 1]);
  expect(saves[0]).toMatchObject({ seq: 500 });
  expect(saves[0]?.partial).toBeUndefined();
  const flushed = recorder.flush();
  while (gates.length < 1) await Promise.resolve();
  gates.shift()!();
  while (gates.length < 1) await new Promise(setImmediate);
  gates.shift()!();
  await flushed;
  expect(saves).toHaveLength(2);
  expect(saves[1]).toMatchObject({ seq: 1200, partial: { since: saves[0]!.fold.timeline.rev, rowCount: 1200 } });
  expect(store.loadFold("s", FOLD_VERSION)).toEqual({ seq: 1200, fold: recorder.fold.save() });
});

it("[D3] saves a rebuilt fold, so that it is rebuilt once", async () => {
  const store = createMemoryStore();
  await store.append("s", facts(...messages(700)));
  const recorder = recorderOf(store);
  expect(recorder.fold.rowCount).toBe(700);
  await recorder.flush();
  expect(store.loadHead("s", FOLD_VERSION)).toMatchObject({ seq: 700, rowCount: 700 });
});

it("[H26] folds the log of an older version again: none of its rows is left, and clients start again", async () => {
  const store = await openSqliteStore(scratchFolder());
  await store.putSession(recordOf("s"));
  await store.append("s", facts(...messages(3)));
  const before = createFold(undefined, { epoch: "before" });
  for (const event of store.read("s", 0, 10)) before.apply(event);
  const { timeline, ...rest } = before.save();
  const stranger = { ...timeline.rows[0]!, id: "stranger", order: 99, text: "Folded otherwise." } as Row;
  const older = { ...rest, version: FOLD_VERSION - 1, timeline: { ...timeline, rows: [...timeline.rows, stranger] } };
  await store.saveFold("s", { seq: 3, fold: older });
  expect(store.search("otherwise", 5).hits).toHaveLength(1);

  const recorder = recorderOf(store);
  await recorder.flush();
  expect(recorder.fold.head.epoch).not.toBe("before");
  expect(store.loadFold("s", FOLD_VERSION)).toEqual({ seq: 3, fold: recorder.fold.save() });
  expect(store.rowsBefore("s", Infinity, 10).rows).toEqual(before.rows.map((row) => ({ ...row })));
  expect(store.search("otherwise", 5).hits).toEqual([]);
  await store.close();
});

it("saves everything again after a failed save", async () => {
  const store = createMemoryStore();
  const errors: unknown[] = [];
  const saves: FoldToSave[] = [];
  let isBroken = true;
  const saveFold = store.saveFold.bind(store);
  store.saveFold = async (session, stored) => {
    saves.push(stored);
    if (isBroken) throw new Error("full");
    await saveFold(session, stored);
  };
  const recorder = new Recorder({ store, session: "s", onPressure: () => {}, onError: (error) => errors.push(error) });
  for (const fact of messages(3)) await recorder.record(fact);
  await recorder.flush();
  isBroken = false;
  await recorder.record(said("later", "text"));
  await recorder.flush();
  await recorder.record(said("last", "text"));
  await recorder.flush();
  expect(errors).toHaveLength(1);
  expect(saves.map(({ partial }) => partial?.rowCount)).toEqual([undefined, undefined, 5]);
  expect(store.loadFold("s", FOLD_VERSION)).toEqual({ seq: 5, fold: recorder.fold.save() });
});

it("[D18] saves changes when the session becomes idle, and at most once a second while it stays idle", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const store = createMemoryStore();
  const saves: FoldToSave[] = [];
  const saveFold = store.saveFold.bind(store);
  store.saveFold = (session, stored) => {
    saves.push(stored);
    return saveFold(session, stored);
  };
  const recorder = recorderOf(store);
  for (const fact of messages(40)) await recorder.record(fact);
  expect(saves).toEqual([]);
  await recorder.record({ type: "received", message: RESULT });
  await vi.waitFor(() => expect(store.findRows("s", "text", 50)).toHaveLength(40), { timeout: 30_000 });
  expect(saves.map(({ seq }) => seq)).toEqual([41]);

  for (let n = 0; n < 300; n++) await recorder.record({ type: "stderr", text: `${n}\n` });
  expect(recorder.fold.head.phase).toBe("idle");
  expect(saves).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1000);
  expect(saves.map(({ seq }) => seq)).toEqual([41, 341]);
  expect(saves[1]).toMatchObject({ partial: { since: saves[0]!.fold.timeline.rev }, fold: { timeline: { rows: [] } } });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(saves).toHaveLength(2);
});

it("[D18] has saved everything after a flush, also changes during another save", async () => {
  const store = createMemoryStore();
  const saved: number[] = [];
  const saveFold = store.saveFold.bind(store);
  store.saveFold = async (session, stored) => {
    await new Promise(setImmediate);
    await saveFold(session, stored);
    saved.push(stored.seq);
  };
  const recorder = recorderOf(store);
  void recorder.record({ type: "received", message: RESULT });
  await recorder.applied();
  await recorder.record({ type: "stderr", text: "later" });
  await recorder.flush();
  expect(saved).toEqual([1, 2]);
});

const RESULT = {
  type: "result",
  subtype: "success",
  is_error: false,
  result: "text",
  session_id: "s",
  uuid: "r",
  total_cost_usd: 0,
};

it("[H29] saves drafts of one session even if those of another cannot be saved", async () => {
  const saved: unknown[] = [];
  const failed: unknown[] = [];
  const failure = new Error("closed");
  const streaming = (saveDrafts: EventStore["saveDrafts"]): void => {
    const store = Object.assign(createMemoryStore(), { saveDrafts });
    const onError = (error: unknown): void => void failed.push(error);
    const recorder = new Recorder({ store, session: "s", onPressure: () => {}, onError });
    const event = { type: "content_block_start", index: 0, content_block: { type: "text", text: "so far" } };
    recorder.stream({ type: "stream_event", event, uuid: "u", session_id: "s", parent_tool_use_id: null });
  };
  streaming(() => {
    throw failure;
  });
  streaming((_session, drafts) => void saved.push(drafts["/0"]));
  await vi.waitFor(() => expect(saved).toEqual(["so far"]));
  expect(failed).toEqual([failure]);
});
