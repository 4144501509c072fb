import { createFold } from "@quarterdeck/session";
import type { Draft, Event, Fold, Head, Row, Streamed } from "@quarterdeck/session";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DraftPiece } from "@quarterdeck/session/bridge";
import { DraftPiece as DraftPieceSchema } from "@quarterdeck/session/bridge/row-schema";
import { RECORDINGS } from "@quarterdeck/test-kit/recordings";
import { roundsOf } from "@quarterdeck/test-kit/how-much";
import { Feed, MOST_ROWS } from "./feed.ts";
import type { Follower, Receiver } from "./feed.ts";
import type { SessionSource } from "./session-source.ts";
import { Ticker } from "./ticker.ts";
import { bytesOfFrame, frameOf, payloadOf } from "./wire-frame.ts";
import type { WireFrame } from "./wire-frame.ts";

fc.configureGlobal({ seed: 20_261_115 });

/** A session in memory to which a test applies events. */
const sourceOf = (fold: Fold, epoch = "one"): SessionSource & { apply(event: Event | Streamed): void } => {
  const listeners = new Set<Parameters<SessionSource["subscribe"]>[0]>();
  const nothing = () => ({ rows: [], more: false });
  return {
    kind: "memory",
    view: {
      id: "s",
      epoch,
      get rev() {
        return fold.rev;
      },
      get seq() {
        return fold.seq;
      },
      get rowCount() {
        return fold.rowCount;
      },
      get head() {
        return fold.head;
      },
      get drafts() {
        return fold.drafts;
      },
      isLive: true,
      row: (id) => fold.row(id),
      changesSince: (since, most) => {
        const changes = fold.changes(since);
        return { ...changes, more: changes.rows.length > most };
      },
      rowsBefore: nothing,
      rowsAfter: nothing,
      rowsAround: () => undefined,
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    apply: (event) => {
      fold.apply(event);
      for (const listener of listeners) listener(fold.growth);
    },
  };
};

/** A client as a stranger would write it from the documentation: applies frames to its own state. */
class Mirror implements Receiver {
  hasRoom = true;
  rows = new Map<string, Row>();
  head: Record<string, unknown> = {};
  drafts = new Map<string, Draft>();
  frames = 0;
  restarts = 0;
  follower!: Follower;
  /** Frames that are still on the network. */
  readonly waiting: WireFrame[] = [];
  #received = 0;
  #wake: () => void = () => {};

  send(frame: WireFrame): void {
    this.waiting.push(frame);
    this.#wake();
  }
  nextFrame(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }
  ping(): void {
    this.follower?.pinged();
  }

  begin({ view }: SessionSource, rows: readonly Row[]): void {
    this.rows = new Map(rows.map((row) => [row.id, row]));
    this.head = { ...view.head };
    this.drafts = new Map(view.drafts.map((draft: Draft) => [draft.id, { ...draft }]));
    this.#received = 0;
  }

  take(): void {
    for (const frame of this.waiting.splice(0)) {
      this.frames++;
      this.#received += frame.length;
      this.#apply(JSON.parse(textOf(frame)) as never);
    }
  }
  acknowledge(): void {
    this.follower.acknowledged(this.#received);
  }

  #apply({ method, params }: { method: string; params: Record<string, never> }): void {
    if (method === "session/draft") {
      const { drafts, ended = [] } = params as unknown as { drafts: DraftPiece[]; ended?: string[] };
      for (const id of ended) this.drafts.delete(id);
      for (const piece of drafts) {
        const { from, text, ...about } = DraftPieceSchema.strict().parse(piece);
        const { id } = about;
        const before = from === 0 ? "" : (this.drafts.get(id)?.text ?? "");
        if (from > before.length) throw new Error(`A hole in ${id} at ${from}.`);
        if ((about.kind !== undefined) !== (from === 0)) throw new Error(`${id} says what it is at ${from}.`);
        const known = from === 0 ? {} : this.drafts.get(id);
        this.drafts.set(id, { ...known, ...(about as Draft), text: before.slice(0, from) + text });
      }
      return;
    }
    const {
      rows = [],
      removed = [],
      head = {},
      unset = [],
      reset,
    } = params as unknown as {
      rows?: Row[];
      removed?: string[];
      head?: Record<string, unknown>;
      unset?: string[];
      reset?: true;
    };
    if (reset === true) this.restarts++;
    for (const id of removed) this.rows.delete(id);
    for (const row of rows) {
      this.rows.set(row.id, row);
      this.drafts.delete(row.id);
    }
    Object.assign(this.head, head);
    for (const key of unset) delete this.head[key];
  }
}

const textOf = (frame: WireFrame): string => {
  const text = payloadOf(frame).toString("utf8");
  // Draft frames compute their own size.
  expect(bytesOfFrame(frame)).toEqual(bytesOfFrame(frameOf(text)));
  return text;
};
const ticker = (): Ticker =>
  new Ticker((error) => {
    throw error;
  });
const follow = (feed: Feed, mirror: Mirror, fold: Fold, paceMs = 0): void => {
  mirror.follower = feed.follow(mirror, paceMs);
  mirror.begin(feed.source, fold.rows);
};
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const stateOf = (fold: Fold) => ({
  rows: plain([...fold.rows].toSorted((a, b) => a.order - b.order)),
  head: plain(fold.head),
  drafts: plain(Object.fromEntries(fold.drafts.map((draft) => [draft.id, draft]))),
});
const held = ({ rows, head, drafts }: Mirror) => ({
  rows: plain([...rows.values()].toSorted((a, b) => a.order - b.order)),
  head: plain(head),
  drafts: plain(Object.fromEntries(drafts)),
});

const long = RECORDINGS.filter(({ events }) => events.some(({ type }) => type === "streamed")).toSorted(
  (a, b) => b.events.length - a.events.length,
);

describe("a feed", () => {
  it("[B1] brings every client to the same state, however slow and whenever it joins", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...long.slice(0, 20)),
        fc.array(fc.record({ joins: fc.double({ min: 0, max: 1, noNaN: true }), slow: fc.nat(9) }), {
          minLength: 1,
          maxLength: 5,
        }),
        fc.infiniteStream(fc.nat(9)),
        async ({ events }, clients, chance) => {
          const random = (): number => chance.next().value ?? 0;
          const fold = createFold();
          const source = sourceOf(fold);
          const feed = new Feed("s", source, ticker());
          const mirrors = clients.map(() => new Mirror());
          for (const [at, event] of events.entries()) {
            clients.forEach(({ joins }, index) => {
              if (Math.floor(joins * (events.length - 1)) === at) follow(feed, mirrors[index]!, fold);
            });
            source.apply(event);
            if (random() < 4) await turn();
            clients.forEach(({ slow }, index) => {
              const mirror = mirrors[index]!;
              if (mirror.follower === undefined) return;
              mirror.hasRoom = random() >= slow;
              if (mirror.hasRoom && random() > 4) mirror.take();
              if (random() > 6) mirror.acknowledge();
            });
          }
          for (const mirror of mirrors) {
            mirror.hasRoom = true;
            mirror.follower.hasRoom();
            mirror.take();
            mirror.acknowledge();
          }
          await turn();
          for (const mirror of mirrors) {
            mirror.take();
            expect(mirror.restarts).toBe(0);
            expect(held(mirror)).toEqual(stateOf(fold));
          }
        },
      ),
      { numRuns: roundsOf(60) },
    );
  });

  it("[B2] sends one frame per turn, and the same bytes to all clients that keep up", async () => {
    const { events } = long[0]!;
    const fold = createFold();
    const source = sourceOf(fold);
    const feed = new Feed("s", source, ticker());
    const [one, two] = [new Mirror(), new Mirror()];
    follow(feed, one, fold);
    follow(feed, two, fold);
    for (const event of events) source.apply(event);
    await turn();
    expect(one.waiting.length).toBeLessThanOrEqual(2);
    for (const [index, frame] of one.waiting.entries()) expect(two.waiting[index]).toBe(frame);
  });

  it("[B2] describes a draft once, and counts the frame's length also beyond ASCII", async () => {
    const fold = createFold();
    const source = sourceOf(fold);
    const feed = new Feed("sitzung-ü", source, ticker());
    const mirror = new Mirror();
    follow(feed, mirror, fold);
    source.apply(start("mö"));
    for (const text of ["a", "ü", "\u{1F600}", "\uD800", '"\\']) {
      source.apply(delta(text));
      await turn();
    }
    const said = mirror.waiting.map(textOf).filter((text) => text.includes("session/draft"));
    expect(said.map((text) => text.includes('"kind":"text"'))).toEqual([true, false, false, false, false]);
    mirror.take();
    expect(held(mirror)).toEqual(stateOf(fold));
  });

  it("[B3] queues nothing for a client that does not acknowledge, and sends what it lacks when it does", async () => {
    const fold = createFold();
    const source = sourceOf(fold);
    const feed = new Feed("s", source, ticker());
    const [stalled, healthy] = [new Mirror(), new Mirror()];
    follow(feed, stalled, fold);
    follow(feed, healthy, fold);
    stalled.acknowledge();
    let sent = 0;
    source.apply(start("m"));
    for (let at = 0; at < 500; at++) {
      source.apply(delta("x".repeat(4000)));
      await turn();
      healthy.take();
      healthy.acknowledge();
      sent = stalled.waiting.reduce((sum, { length }) => sum + length, 0);
    }
    expect(sent).toBeLessThan(300 * 1024);
    expect(healthy.drafts.get("m/0")?.text).toHaveLength(2_000_000);
    stalled.take();
    stalled.acknowledge();
    await turn();
    expect(stalled.waiting).toHaveLength(1);
    stalled.take();
    expect(held(stalled)).toEqual(stateOf(fold));
  });

  it("[B3] resets a client that is too far behind", async () => {
    const fold = createFold();
    const source = sourceOf(fold);
    const feed = new Feed("s", source, ticker());
    const mirror = new Mirror();
    follow(feed, mirror, fold);
    mirror.hasRoom = false;
    for (let seq = 1; seq <= MOST_ROWS + 1; seq++)
      source.apply({ seq, at: seq, type: "prompt-accepted", uuid: `p${seq}`, content: "word" });
    await turn();
    mirror.hasRoom = true;
    mirror.follower.hasRoom();
    await turn();
    mirror.take();
    expect(mirror).toMatchObject({ restarts: 1, frames: 1 });
  });

  it("[B4] keeps the requested pace, without a timer if none was requested", async () => {
    const fold = createFold();
    const source = sourceOf(fold);
    const feed = new Feed("s", source, ticker());
    const [quick, paced] = [new Mirror(), new Mirror()];
    follow(feed, quick, fold);
    follow(feed, paced, fold, 50);
    source.apply(start("m"));
    for (let at = 0; at < 100; at++) {
      source.apply(delta("word "));
      await turn();
      quick.take();
      quick.acknowledge();
    }
    expect(quick.frames).toBeGreaterThanOrEqual(100);
    // The client gets the first frame at once, and the rest in one frame when its time has come.
    paced.take();
    while (paced.drafts.get("m/0")?.text.length !== 500) {
      await paced.nextFrame();
      paced.take();
      paced.acknowledge();
    }
    expect(paced.frames).toBeLessThan(quick.frames / 2);
    expect(held(paced)).toEqual(held(quick));
  });

  it("[B5] continues with another source of the same epoch, and resets for another epoch", async () => {
    const { events } = long[0]!;
    const half = Math.floor(events.length / 2);
    const fold = createFold();
    for (const event of events.slice(0, half)) fold.apply(event);
    const feed = new Feed("s", sourceOf(fold), ticker());
    const mirror = new Mirror();
    follow(feed, mirror, fold);
    const next = sourceOf(fold);
    feed.replaceSource(next);
    for (const event of events.slice(half)) next.apply(event);
    await turn();
    mirror.take();
    expect(held(mirror)).toEqual(stateOf(fold));
    expect(mirror.restarts).toBe(0);
    feed.replaceSource(sourceOf(fold, "two"));
    await turn();
    mirror.take();
    expect(mirror.restarts).toBe(1);
  });

  it("[B6] accepts a cursor of its own epoch only", () => {
    const fold = createFold();
    const feed = new Feed("s", sourceOf(fold), ticker());
    const { head } = fold as { head: Head };
    expect(head.phase).toBe("starting");
    expect(feed.revOf(feed.cursor)).toBe(fold.rev);
    expect(feed.revOf(`other:${fold.rev}`)).toBeUndefined();
    expect(feed.revOf(`one:${fold.rev + 1}`)).toBeUndefined();
  });
});

const streamed = (event: Record<string, unknown>, more: Record<string, unknown> = {}): Streamed => ({
  type: "streamed",
  at: 1,
  message: { type: "stream_event", event, uuid: "u", session_id: "s", parent_tool_use_id: null, ...more } as never,
});
const start = (id: string): Streamed =>
  streamed(
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { api_message_id: id },
  );
const delta = (text: string): Streamed =>
  streamed({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
