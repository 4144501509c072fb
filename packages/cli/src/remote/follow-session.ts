// Follows a session of the server at a terminal: its rows, drafts and head as text, or its facts as JSON. Both are
// updated with each snapshot of the view, one snapshot at a time.

import { BridgeError } from "@quarterdeck/client";
import type { Client, SessionSnapshot, SessionView } from "@quarterdeck/client";
import { jsonText } from "../terminal/terminal.ts";
import type { Printout } from "../terminal/printout.ts";

/** Handles one snapshot. `isOver` returns whether the caller has stopped. */
type Look = (snapshot: SessionSnapshot, isOver: () => boolean) => Promise<void>;
type View = Pick<SessionView, "snapshot" | "subscribe" | "loadBefore">;

export class SessionFollower {
  readonly #view: Pick<View, "snapshot" | "subscribe">;
  readonly #look: Look;
  #seen: SessionSnapshot | undefined;
  #following: Promise<void> | undefined;
  #isOver = false;
  readonly #unsubscribe: () => void;

  constructor(view: Pick<View, "snapshot" | "subscribe">, look: Look) {
    this.#view = view;
    this.#look = look;
    this.#unsubscribe = view.subscribe(() => this.#changed());
    this.#changed();
  }

  /** Resolves when everything that is known now has been written. */
  async caughtUp(): Promise<void> {
    this.#seen = undefined;
    await this.#follow();
  }

  stop(): void {
    this.#isOver = true;
    this.#unsubscribe();
  }

  #changed(): void {
    this.#follow().catch((error: unknown) => {
      // The connection is closed for good. The view reports this to everyone who waits for the session.
      if (!(error instanceof BridgeError)) throw error;
    });
  }

  /** One at a time. Snapshots that arrive meanwhile are handled before it ends. */
  #follow(): Promise<void> {
    return (this.#following ??= this.#lookAtAll());
  }

  async #lookAtAll(): Promise<void> {
    const view = this.#view;
    // Calls of the same turn share one update.
    await Promise.resolve();
    try {
      while (!this.#isOver && this.#seen !== view.snapshot) {
        const { snapshot } = view;
        this.#seen = snapshot;
        if (snapshot.status === "ready") await this.#look(snapshot, () => this.#isOver);
      }
    } finally {
      this.#following = undefined;
    }
  }
}

/** Writes what comes after an order. The view must be ready. */
export const followInText = (view: View, printout: Printout, after: number): SessionFollower => {
  printout.skip(view.snapshot, after);
  let lastOrder = after;
  return new SessionFollower(view, async () => {
    await loadGap(view, lastOrder);
    const { rows, head, drafts } = view.snapshot;
    lastOrder = Math.max(lastOrder, rows.at(-1)?.order ?? 0);
    printout.show({ rows, head, drafts });
  });
};

/** After a long absence, the server sends only the last rows. */
export const loadGap = async (view: View, lastOrder: number): Promise<void> => {
  const first = (): number => view.snapshot.rows[0]?.order ?? 0;
  for (let at = Infinity; view.snapshot.more && first() > lastOrder + 1 && first() < at;) {
    at = first();
    await view.loadBefore();
  }
};

export interface FollowInJsonOptions {
  readonly client: Pick<Client, "call">;
  readonly view: Pick<SessionView, "id" | "snapshot" | "subscribe">;
  /** The last fact to skip. */
  readonly after: number;
  readonly write: (text: string) => void;
}

/** One JSON object per line: facts, in order and once, and between them the growth of drafts. */
export const followInJson = ({ client, view, after: first, write }: FollowInJsonOptions): SessionFollower => {
  let after = first;
  /** How much of each draft was written. */
  let lengths: ReadonlyMap<string, number> = new Map();
  return new SessionFollower(view, async ({ drafts }, isOver) => {
    for (let isMore = true; isMore && !isOver();) {
      const { events, lastSeq } = await client.call("session/events", { session: view.id, after });
      for (const event of events) {
        after = event.seq;
        write(`${jsonText(event)}\n`);
      }
      isMore = events.length > 0 && after < lastSeq;
    }
    if (isOver()) return;
    for (const { text, ...draft } of drafts) {
      const from = lengths.get(draft.id) ?? 0;
      const added = text.slice(from);
      if (added !== "") write(`${jsonText({ type: "draft", ...draft, from, text: added })}\n`);
    }
    lengths = new Map(drafts.map(({ id, text }) => [id, text.length]));
  });
};
