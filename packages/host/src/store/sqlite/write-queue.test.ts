import { describe, expect, it } from "vitest";
import { createFold } from "@quarterdeck/session";
import { facts, recordOf, typed } from "../store-facts.fixture.ts";
import { WriteQueue } from "./write-queue.ts";
import type { Append, Write } from "./write-queue.ts";

const append = (session: string, count = 1, characters = 10): Append => ({
  kind: "append",
  session,
  facts: facts(...Array.from({ length: count }, (_, n) => typed(`${n}`, "text"))),
  bodies: [],
  characters,
  first: 0,
});
const fold = (session: string, seq: number): Write => ({
  kind: "fold",
  session,
  stored: { seq, fold: createFold().save() },
});

/** Commits that wait until the test decides how they end. */
const slow = () => {
  const commits: { writes: readonly Write[]; end: (failed?: ReadonlyMap<string, unknown>) => void }[] = [];
  let announce: (() => void) | undefined;
  const queue = new WriteQueue((writes) => {
    const { promise, resolve } = Promise.withResolvers<ReadonlyMap<string, unknown>>();
    commits.push({ writes, end: (failed = new Map()) => resolve(failed) });
    announce?.();
    return promise;
  });
  const next = async () => {
    if (commits.length === 0) await new Promise<void>((resolve) => (announce = resolve));
    return commits.shift()!;
  };
  return { queue, next, commits };
};
const kindsOf = (writes: readonly Write[]): string[] => writes.map(({ kind, session }) => `${kind} ${session}`);

describe("group commit", () => {
  it("[D15] commits the writes of one turn together, then those that came during the commit", async () => {
    const { queue, next } = slow();
    const settled: string[] = [];
    const add = (name: string): void => void queue.add(append(name)).then(() => settled.push(name));
    ["a", "b", "a"].forEach(add);
    const first = await next();
    expect(kindsOf(first.writes)).toEqual(["append a", "append b", "append a"]);
    ["c", "a"].forEach(add);
    expect(settled).toEqual([]);
    first.end();
    const second = await next();
    expect(kindsOf(second.writes)).toEqual(["append c", "append a"]);
    expect(settled).toEqual(["a", "b", "a"]);
    second.end();
    await queue.idle();
    expect(settled).toEqual(["a", "b", "a", "c", "a"]);
  });

  it("[D12] retries facts alone if they and drafts do not both fit", async () => {
    const { queue, next } = slow();
    const outcomes: string[] = [];
    const add = (name: string, write: Write): void =>
      void queue.add(write).then(
        () => outcomes.push(`${name} kept`),
        () => outcomes.push(`${name} lost`),
      );
    const drafts: Write = { kind: "drafts", session: "a", drafts: { forget: undefined, pieces: [] } };
    add("draft", drafts);
    add("fact", append("a"));
    add("fold", fold("a", 1));
    add("other", append("b"));
    (await next()).end(new Map([["a", new Error("full")]]));
    const again = await next();
    expect(kindsOf(again.writes)).toEqual(["append a"]);
    again.end();
    await queue.idle();
    expect(outcomes.toSorted()).toEqual(["draft lost", "fact kept", "fold lost", "other kept"]);
    // A write that already failed alone is not retried.
    add("second", append("a"));
    (await next()).end(new Map([["a", new Error("full")]]));
    await queue.idle();
    expect(outcomes.at(-1)).toBe("second lost");
  });

  it("[D15] limits a commit by facts and characters, and commits a larger write alone", async () => {
    const { queue, next } = slow();
    for (const write of [
      append("a", 1500),
      append("b", 500),
      append("c", 1),
      append("d", 1, 4_000_000),
      append("e", 1, 400_000),
      append("f", 5000),
      append("g", 1, 9_000_000),
    ]) {
      void queue.add(write);
    }
    const sizes: string[][] = [];
    for (let left = 7; left > 0;) {
      const { writes, end } = await next();
      sizes.push(writes.map(({ session }) => session));
      left -= writes.length;
      end();
    }
    expect(sizes).toEqual([["a", "b"], ["c", "d"], ["e"], ["f"], ["g"]]);
  });

  it("[D15] writes only the last of several folds or records, and settles all of them", async () => {
    const { queue, next } = slow();
    const all = Promise.all([
      queue.add(fold("a", 1)),
      queue.add({ kind: "record", session: "a", record: recordOf("a", { title: "old" }) }),
      queue.add(fold("b", 1)),
      queue.add(fold("a", 2)),
      queue.add({ kind: "record", session: "a", record: recordOf("a", { title: "new" }) }),
    ]);
    const { writes, end } = await next();
    expect(writes).toMatchObject([
      { kind: "fold", session: "a", stored: { seq: 2 } },
      { kind: "record", record: { title: "new" } },
      { kind: "fold", session: "b" },
    ]);
    end();
    await all;
  });

  it("[D13] commits drafts in order, together with the other writes of their turn", async () => {
    const { queue, next } = slow();
    const drafts = (session: string): Write => ({ kind: "drafts", session, drafts: { forget: [], pieces: [] } });
    void queue.add(drafts("a"));
    void queue.add(append("b"));
    void queue.add(drafts("a"));
    const first = await next();
    expect(kindsOf(first.writes)).toEqual(["drafts a", "append b", "drafts a"]);
    void queue.add(drafts("c"));
    first.end();
    const second = await next();
    expect(kindsOf(second.writes)).toEqual(["drafts c"]);
    const idle = queue.idle();
    second.end();
    await idle;
  });

  it("[D15] does not replace or move a partial fold, because it continues earlier ones", async () => {
    const { queue, next } = slow();
    const part = (seq: number): Write => ({
      kind: "fold",
      session: "a",
      stored: { seq, fold: createFold().save(0), partial: { since: 0, rowCount: 0 } },
    });
    const all = Promise.all([fold("a", 1), part(2), part(3), fold("a", 4), fold("a", 5)].map((one) => queue.add(one)));
    const { writes, end } = await next();
    expect(writes.map((write) => (write.kind === "fold" ? write.stored.seq : 0))).toEqual([1, 2, 3, 5]);
    end();
    await all;
  });

  it("[D15] moves nothing across a delete", async () => {
    const { queue, next } = slow();
    for (const write of [fold("a", 1), append("a")]) void queue.add(write);
    for (const session of ["a", "b"]) void queue.add({ kind: "delete", session });
    for (const write of [fold("a", 2), append("a")]) void queue.add(write);
    const commits: string[][] = [];
    for (let n = 0; n < 3; n++) {
      const { writes, end } = await next();
      commits.push(kindsOf(writes));
      end();
    }
    expect(commits).toEqual([
      ["fold a", "append a"],
      ["delete a", "delete b"],
      ["fold a", "append a"],
    ]);
  });

  it("[D2] fails the writes that wait behind a failed append of the session, and no others", async () => {
    const { queue, next } = slow();
    const outcomes = Promise.allSettled([queue.add(append("a")), queue.add(append("b"))]);
    const first = await next();
    const later = Promise.allSettled([queue.add(append("a")), queue.add(append("b")), queue.add(fold("a", 1))]);
    first.end(new Map([["a", new Error("full")]]));
    expect((await outcomes).map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
    const second = await next();
    expect(kindsOf(second.writes)).toEqual(["append b", "fold a"]);
    second.end();
    expect((await later).map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
    const again = queue.add(append("a"));
    (await next()).end();
    await again;
  });

  it("[D13] fails the pieces of drafts that continue unwritten ones", async () => {
    const { queue, next } = slow();
    const drafts = (session: string): Write => ({ kind: "drafts", session, drafts: { forget: [], pieces: [] } });
    const first = Promise.allSettled([queue.add(drafts("a")), queue.add(append("b"))]);
    const { end } = await next();
    const later = Promise.allSettled([queue.add(drafts("a")), queue.add(drafts("b")), queue.add(append("a"))]);
    end(new Map([["a", new Error("full")]]));
    expect((await first).map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
    const second = await next();
    expect(kindsOf(second.writes)).toEqual(["drafts b", "append a"]);
    second.end();
    expect((await later).map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
  });

  it("[D15] settles every write when a commit throws and when the queue ends", async () => {
    const queue = new WriteQueue(async () => {
      throw new Error("bug");
    });
    await expect(queue.add(append("a"))).rejects.toThrow("bug");
    const { queue: other, next } = slow();
    const running = other.add(append("a"));
    const { end } = await next();
    const waiting = other.add(append("b"));
    other.end(new Error("over"));
    await expect(waiting).rejects.toThrow("over");
    await expect(other.add(append("c"))).rejects.toThrow("over");
    end();
    await running;
    await other.idle();
  });
});
