// The list of sessions: loaded when somebody looks, kept by what the server tells, loaded again on every new socket.

import type { NotificationParams, SessionSummary } from "@quarterdeck/session/bridge";
import { BridgeError } from "./bridge-error.ts";
import type { Connection } from "./connection.ts";
import type { SessionList, SessionListSnapshot } from "./contract.ts";
import { callAll, listen, nextFrame } from "./listeners.ts";
import { share } from "./share.ts";

const PAGE = 500;

export class LiveList implements SessionList {
  snapshot: SessionListSnapshot = { status: "loading", sessions: [] };
  readonly #connection: Connection;
  readonly #listeners = new Set<() => void>();
  #sessions = new Map<string, SessionSummary>();
  /** What is being loaded; frames go there too. */
  #loading: Map<string, SessionSummary> | undefined;
  #isWanted = false;
  #isReady = false;
  #isScheduled = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  subscribe(listener: () => void): () => void {
    if (!this.#isWanted) {
      this.#isWanted = true;
      if (this.#connection.state.status === "open") void this.#load();
    }
    return listen(this.#listeners, listener);
  }

  opened(): void {
    if (this.#isWanted) void this.#load();
  }

  changed({ sessions, removed }: NotificationParams<"sessions/changed">): void {
    for (const map of [this.#sessions, this.#loading]) {
      for (const id of removed) map?.delete(id);
      for (const session of sessions) map?.set(session.id, share(map.get(session.id), session));
    }
    this.#schedule();
  }

  async #load(): Promise<void> {
    const loaded = new Map<string, SessionSummary>();
    this.#loading = loaded;
    try {
      let cursor: string | undefined;
      do {
        const page = await this.#connection.call(
          "sessions/list",
          { limit: PAGE, ...(cursor !== undefined && { cursor }) },
          { once: true },
        );
        if (this.#loading !== loaded) return;
        for (const session of page.sessions) loaded.set(session.id, share(this.#sessions.get(session.id), session));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      this.#sessions = loaded;
      this.#isReady = true;
      this.#schedule();
    } catch (error) {
      // A new socket loads again; without one there is nothing to show but what was there.
      if (!(error instanceof BridgeError)) throw error;
    } finally {
      if (this.#loading === loaded) this.#loading = undefined;
    }
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    nextFrame(() => {
      this.#isScheduled = false;
      const status = this.#isReady ? "ready" : "loading";
      const sessions = [...this.#sessions.values()].toSorted(urgentThenNewest);
      const next = share(this.snapshot, { status, sessions } satisfies SessionListSnapshot);
      if (next === this.snapshot) return;
      this.snapshot = next;
      callAll(this.#listeners);
    });
  }
}

const urgentThenNewest = (a: SessionSummary, b: SessionSummary): number =>
  Number(b.waiting.length > 0) - Number(a.waiting.length > 0) || b.updatedAt - a.updatedAt || (a.id < b.id ? -1 : 1);
