import type { Event, Streamed } from "@quarterdeck/session";
import { describe, expect, it } from "vitest";
import { eventStream } from "./event-stream.ts";
import type { EventSource } from "./event-stream.ts";

/** A log, and a source that reports its events. */
const session = (kept = 0) => {
  const log: Event[] = [];
  const listeners = new Set<(event: Event | Streamed) => void>();
  const reads: number[] = [];
  const fact = (): Event => {
    const event: Event = { seq: log.length + 1, at: 0, type: "stderr", text: `${log.length + 1}` };
    log.push(event);
    return event;
  };
  for (let n = 0; n < kept; n++) fact();
  const tell = (event: Event | Streamed): void => {
    for (const listener of listeners) listener(event);
  };
  const source: EventSource = {
    seq: () => log.length,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    read: (after, limit) => {
      reads.push(limit);
      return log.slice(after, after + limit);
    },
  };
  return {
    source,
    listeners,
    reads,
    log,
    tellFacts: (count: number): void => {
      for (let n = 0; n < count; n++) tell(fact());
    },
    tellDeltas: (type: string, count = 1, parent: string | null = null): void => {
      for (let n = 0; n < count; n++) {
        tell({
          type: "streamed",
          at: n,
          message: { type: "stream_event", event: { type }, parent_tool_use_id: parent },
        });
      }
    },
  };
};

const nameOf = (event: Event | Streamed): string | number => {
  if (event.type !== "streamed") return event.seq;
  const { event: inner, parent_tool_use_id: parent } = event.message as {
    event: { type: string };
    parent_tool_use_id: string | null;
  };
  return parent === null ? inner.type : `${parent}: ${inner.type}`;
};
const take = async (events: AsyncGenerator<Event | Streamed>, count: number): Promise<(string | number)[]> => {
  const taken: (string | number)[] = [];
  while (taken.length < count) {
    const { value, done } = await events.next();
    if (done === true) break;
    taken.push(nameOf(value));
  }
  return taken;
};
const from = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, n) => first + n);

describe("a stream of events", () => {
  it("[D17] returns facts and deltas in order", async () => {
    const { source, tellFacts, tellDeltas } = session(3);
    const events = eventStream(source);
    const taken = take(events, 5);
    tellFacts(1);
    tellDeltas("message_start");
    tellDeltas("content_block_delta", 2);
    tellFacts(1);
    expect(await taken).toEqual([4, "message_start", "content_block_delta", "content_block_delta", 5]);
    await events.return(undefined);
  });

  it("[D17] queues a bounded number for a slow consumer, and loses no facts", async () => {
    const { source, reads, tellFacts, tellDeltas } = session();
    const events = eventStream(source);
    const first = take(events, 1);
    tellFacts(2);
    expect(await first).toEqual([1]);
    for (let n = 0; n < 500; n++) {
      tellDeltas("content_block_delta", 20);
      tellFacts(10);
    }
    const rest: (string | number)[] = [];
    while (rest.at(-1) !== 5002) rest.push(...(await take(events, 1)));
    // What was queued when the queue was full, then facts only.
    expect(rest.filter((name) => typeof name === "number")).toEqual(from(2, 5002));
    expect(rest.filter((name) => typeof name === "string").length).toBeLessThan(1001);
    expect(Math.max(...reads)).toBeLessThanOrEqual(100);
    await events.return(undefined);
  });

  it("[D17] continues with deltas after it has caught up, but only from the start of a message", async () => {
    const { source, tellFacts, tellDeltas } = session();
    const events = eventStream(source);
    const first = take(events, 1);
    tellFacts(1);
    await first;
    tellDeltas("content_block_delta", 3000);
    tellFacts(1);
    const waited = await take(events, 1001);
    expect(waited.at(-1)).toBe(2);
    const next = take(events, 5);
    tellDeltas("content_block_delta", 2);
    tellDeltas("content_block_delta", 1, "agent");
    tellDeltas("message_start", 1, "agent");
    tellDeltas("content_block_delta", 1);
    tellDeltas("content_block_delta", 1, "agent");
    tellFacts(1);
    tellDeltas("message_start");
    tellDeltas("content_block_delta");
    expect(await next).toEqual([
      "agent: message_start",
      "agent: content_block_delta",
      3,
      "message_start",
      "content_block_delta",
    ]);
    await events.return(undefined);
  });

  it("[D17] returns the facts since the call, even if it is read later", async () => {
    const { source, tellFacts, tellDeltas } = session(3);
    const events = eventStream(source);
    tellFacts(2);
    tellDeltas("message_start");
    expect(await take(events, 2)).toEqual([4, 5]);
    const next = take(events, 1);
    tellFacts(1);
    expect(await next).toEqual([6]);
    await events.return(undefined);
  });

  it("ends with its consumer or its signal, and stops listening", async () => {
    const { source, listeners, tellFacts } = session();
    const left = eventStream(source);
    const first = take(left, 1);
    expect(listeners.size).toBe(1);
    tellFacts(1);
    await first;
    await left.return(undefined);
    expect(listeners.size).toBe(0);

    const stop = new AbortController();
    const aborted = take(eventStream(source, stop.signal), 99);
    stop.abort();
    expect(await aborted).toEqual([]);
    expect(listeners.size).toBe(0);
  });
});
