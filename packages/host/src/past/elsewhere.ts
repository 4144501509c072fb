// Sessions of ours that a terminal continues. What the CLI writes there becomes part of our log while somebody looks, so the page shows
// it as it happens. The transcript is only read.

import type { Event } from "@quarterdeck/session";
import { newsOf, uuidOf } from "./session-past.ts";
import { findTranscript, followTranscript } from "./transcripts.ts";

type Imported = ReturnType<typeof newsOf>[number];

export interface ElsewhereOptions {
  readonly config: () => string;
  /** The CLI's id of the session. */
  readonly cliId: (session: string) => string;
  readonly isLive: (session: string) => boolean;
  /** Imports what the transcript has and the log lacks. */
  readonly catchUp: (session: string) => Promise<void>;
  /** Uuids of the newest messages in the log. */
  readonly known: (session: string) => ReadonlySet<string>;
  readonly add: (session: string, news: readonly Imported[]) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

export class Elsewhere {
  readonly #options: ElsewhereOptions;
  /** The last work on each session. A resume and an import must not add the same lines. */
  readonly #busy = new Map<string, Promise<unknown>>();

  constructor(options: ElsewhereOptions) {
    this.#options = options;
  }

  /** One after the other, for each session. */
  alone<T>(session: string, work: () => Promise<T>): Promise<T> {
    const mine = (this.#busy.get(session) ?? Promise.resolve()).then(work, work);
    this.#busy.set(session, mine);
    const clear = (): void => {
      if (this.#busy.get(session) === mine) this.#busy.delete(session);
    };
    mine.then(clear, clear);
    return mine;
  }

  /** Returns a function that stops. */
  follow(session: string): () => void {
    const { config, cliId, onError } = this.#options;
    let isOver = false;
    let stop = (): void => {};
    let isFirst = true;
    const begin = async (): Promise<void> => {
      const found = await findTranscript(config(), cliId(session));
      if (found === undefined || isOver) return;
      stop = followTranscript(
        found.path,
        (events) => {
          const wasFirst = isFirst;
          isFirst = false;
          if (!isOver) void this.alone(session, () => this.#take(session, events, wasFirst)).catch(onError);
        },
        onError,
      );
    };
    begin().catch(onError);
    return () => {
      isOver = true;
      stop();
    };
  }

  async #take(session: string, events: readonly Event[], isFirst: boolean): Promise<void> {
    const { isLive, catchUp, known, add } = this.#options;
    // A process of ours is the writer now. The resume has imported what was written before it.
    if (isLive(session)) return;
    if (isFirst) return catchUp(session);
    const before = known(session);
    await add(
      session,
      newsOf(
        events.filter((event) => !before.has(uuidOf(event) ?? "")),
        new Set(),
      ),
    );
  }
}
