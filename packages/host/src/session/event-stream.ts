// A session's events for a consumer that has a pace of its own. What waits for it is bounded: facts that do not fit are read
// back from the log when their turn comes, and deltas that do not fit are left out, because the complete block says the same
// again. Nobody waits for the consumer.

import type { Event, Streamed } from "@quarterdeck/session";

export interface EventSource {
  /** The last fact that was told. */
  readonly seq: () => number;
  readonly subscribe: (listener: (event: Event | Streamed) => void) => () => void;
  /** Facts after `seq`, which are kept. */
  readonly read: (after: number, limit: number) => readonly Event[];
}

const MOST_WAITING = 1000;
const READ_AT_ONCE = 100;

/** Facts from the call on, deltas from the first `next` on; ends when the consumer leaves or `signal` says so. */
export const eventStream = (source: EventSource, signal?: AbortSignal): AsyncGenerator<Event | Streamed> =>
  eventsAfter(source.seq(), source, signal);

async function* eventsAfter(
  after: number,
  source: EventSource,
  signal: AbortSignal | undefined,
): AsyncGenerator<Event | Streamed> {
  let waiting: (Event | Streamed)[] = [];
  let wake: (() => void) | undefined;
  /** The last fact that waits or was given, and the last that was told. */
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

/** Where deltas were left out, the rest of their message is too: half of a text is worse than none. */
class DeltaGate {
  #isClosed = false;
  /** Conversations, of an agent or the main one, whose message has begun since. */
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
