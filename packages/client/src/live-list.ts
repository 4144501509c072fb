// The list of sessions. It is loaded on first use, updated by notifications, and loaded again on every new socket.

import { urgentThenNewest } from "@quarterdeck/session/bridge";
import type { NotificationParams, SessionSummary } from "@quarterdeck/session/bridge";
import type { Connection } from "./connection.ts";
import type { SessionList, SessionListSnapshot } from "./contract.ts";
import { callAll, addListener, oncePerFrame } from "./listeners.ts";
import { share, shareItems } from "./share.ts";

const PAGE = 500;

export class LiveList implements SessionList {
  snapshot: SessionListSnapshot = { status: "loading", sessions: [] };
  readonly #connection: Connection;
  readonly #listeners = new Set<() => void>();
  #sessions = new Map<string, SessionSummary>();
  /** The list that is being loaded. Frames update it too. */
  #loading: Map<string, SessionSummary> | undefined;
  #isWanted = false;
  #isReady = false;
  readonly #schedule = oncePerFrame(() => this.#publish());

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  subscribe(listener: () => void): () => void {
    if (!this.#isWanted) {
      this.#isWanted = true;
      if (this.#connection.state.status === "open") this.#load();
    }
    return addListener(this.#listeners, listener);
  }

  opened(): void {
    if (this.#isWanted) this.#load();
  }

  changed({ sessions, removed }: NotificationParams<"sessions/changed">): void {
    for (const map of [this.#sessions, this.#loading]) {
      for (const id of removed) map?.delete(id);
      for (const session of sessions) map?.set(session.id, share(map.get(session.id), session));
    }
    this.#schedule();
  }

  #load(): void {
    this.#loading = new Map();
    this.#loadPage(this.#loading);
  }

  #loadPage(loaded: Map<string, SessionSummary>, cursor?: string): void {
    this.#connection.ask(
      "sessions/list",
      { limit: PAGE, ...(cursor !== undefined && { cursor }) },
      {
        resolve: ({ sessions, nextCursor }) => {
          if (this.#loading !== loaded) return;
          for (const session of sessions) loaded.set(session.id, share(this.#sessions.get(session.id), session));
          if (nextCursor !== undefined) return this.#loadPage(loaded, nextCursor);
          this.#sessions = loaded;
          this.#loading = undefined;
          this.#isReady = true;
          this.#schedule();
        },
        // A new socket loads the list again. Until then the old list is shown.
      },
    );
  }

  #publish(): void {
    const status = this.#isReady ? "ready" : "loading";
    const { snapshot } = this;
    const sessions = shareItems(snapshot.sessions, [...this.#sessions.values()].toSorted(urgentThenNewest));
    if (sessions === snapshot.sessions && status === snapshot.status) return;
    this.snapshot = { status, sessions };
    callAll(this.#connection.report, this.#listeners);
  }
}
