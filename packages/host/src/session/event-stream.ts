// A session's events for a consumer with its own pace. Its queue is bounded. Facts that do not fit are read from the
// log later. Deltas that do not fit are dropped, because the complete block contains the same text. Nobody waits for
// the consumer.

import type { Event, Streamed } from "@quarterdeck/session";

export interface EventSource {
  /** `seq` of the last fact that was reported. */
  readonly seq: () => number;
  readonly subscribe: (listener: (event: Event | Streamed) => void) => () => void;
  /** Committed facts after `seq`. */
  readonly read: (after: number, limit: number) => readonly Event[];
}

const MOST_WAITING = 1000;
const READ_AT_ONCE = 100;

/** Facts since the call, deltas since the first `next`. Ends when the consumer leaves or `signal` aborts. */
export const eventStream = (source: EventSource, signal?: AbortSignal): AsyncGenerator<Event | Streamed> =>
  eventsAfter(source.seq(), source, signal);

async function* eventsAfter(
  after: number,
  source: EventSource,
  signal: AbortSignal | undefined,
): AsyncGenerator<Event | Streamed> {
  let waiting: (Event | Streamed)[] = [];
  let wake: (() => void) | undefined;
  /** The last fact that was queued or returned, and the last fact that was reported. */
  let given = after;
  let told = source.seq();
  const deltas = new DeltaGate();
  const stop = source.subscribe((event) => {
    const isFact = event.type !== "streamed";
    if (isFact) told = event.seq;
    const isNext = isFact ? event.seq === given + 1 : given === told;
    const hasRoom = waiting.length < MOST_WAITING;
    if (isNext && hasRoom) {
      if (isFact) given = event.seq;
      if (isFact || deltas.lets(event)) waiting.push(event);
    } else if (!isFact) deltas.close();
    wake?.();
  });
  const isOver = (): boolean => signal?.aborted === true;
  const onAbort = (): void => wake?.();
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    while (!isOver()) {
      if (waiting.length > 0) {
        const batch = waiting;
        waiting = [];
        for (const event of batch) {
          if (isOver()) return;
          yield event;
        }
      } else if (given < told) {
        const page = source.read(given, Math.min(READ_AT_ONCE, told - given));
        given = page.at(-1)?.seq ?? told;
        yield* page;
      } else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    stop();
    signal?.removeEventListener("abort", onAbort);
  }
}

/** After a dropped delta, the rest of its message is dropped too: half a text is worse than none. */
class DeltaGate {
  #isClosed = false;
  /** Conversations (a subagent's or the main one) where a new message has started since. */
  readonly #open = new Set<string>();

  close(): void {
    this.#isClosed = true;
    this.#open.clear();
  }

  lets({ message }: Streamed): boolean {
    if (!this.#isClosed) return true;
    const { event, parent_tool_use_id: parent } = (message ?? {}) as {
      event?: { type?: unknown };
      parent_tool_use_id?: string | null;
    };
    if (event?.type === "message_start") this.#open.add(parent ?? "");
    return this.#open.has(parent ?? "");
  }
}
