// The road of summaries to the clients that have asked for the list: about four times a second, and only what somebody could
// see the difference of.

import type { EventStore, Host, Session } from "@quarterdeck/host";
import type { SessionSummary } from "@quarterdeck/session/bridge";
import type { Connection } from "./connection.ts";
import { frameOf, notificationText } from "./connection.ts";

const COALESCE_MS = 250;

export interface ListFeedOptions {
  readonly host: Host;
  readonly store: EventStore;
  readonly summaryOf: (id: string) => SessionSummary | undefined;
}

export class ListFeed {
  readonly #options: ListFeedOptions;
  readonly #clients = new Set<Connection>();
  /** Those that could not take the last frame: they get everything that changed since. */
  readonly #behind = new Map<Connection, Set<string>>();
  readonly #listening = new Map<string, { readonly session: Session; readonly stop: () => void }>();
  readonly #dirty = new Set<string>();
  /** What was told last, without what changes all the time. */
  readonly #told = new Map<string, string>();
  readonly #stop: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ListFeedOptions) {
    this.#options = options;
    this.#stop = options.host.subscribe((id) => {
      this.#listen(id);
      this.touch(id);
    });
  }

  /** From now on this client is told of changes. */
  add(client: Connection): void {
    this.#clients.add(client);
  }

  delete(client: Connection): void {
    this.#clients.delete(client);
    this.#behind.delete(client);
  }

  touch(id: string): void {
    this.#dirty.add(id);
    if (this.#clients.size > 0) this.#timer ??= setTimeout(() => this.#flush(), COALESCE_MS).unref();
  }

  close(): void {
    this.#stop();
    clearTimeout(this.#timer);
    for (const { stop } of this.#listening.values()) stop();
  }

  /** Only what has a process changes by itself. */
  #listen(id: string): void {
    const opened = this.#options.host.opened(id);
    const session = opened?.isLive === true ? opened : undefined;
    const known = this.#listening.get(id);
    if (known?.session === session) return;
    known?.stop();
    this.#listening.delete(id);
    if (session === undefined) return;
    const stop = session.subscribe((event) => {
      // Deltas change nothing that a list shows.
      if (event.type !== "streamed" || !((session.growth?.from ?? 0) > 0)) this.touch(id);
    });
    this.#listening.set(id, { session, stop });
  }

  #flush(): void {
    this.#timer = undefined;
    const changed = new Set<string>();
    for (const id of this.#dirty) {
      const summary = this.#options.summaryOf(id);
      const text = summary === undefined ? "" : visibleOf(summary);
      if (this.#told.get(id) === text) continue;
      if (summary === undefined) this.#told.delete(id);
      else this.#told.set(id, text);
      changed.add(id);
    }
    this.#dirty.clear();
    const frames = new Map<string, ReturnType<typeof frameOf>>();
    for (const client of this.#clients) {
      const missed = this.#behind.get(client);
      const ids = missed === undefined ? changed : new Set([...missed, ...changed]);
      if (ids.size === 0) continue;
      if (!client.hasRoom) {
        this.#behind.set(client, ids);
        this.#timer ??= setTimeout(() => this.#flush(), COALESCE_MS).unref();
        continue;
      }
      this.#behind.delete(client);
      const key = [...ids].join(" ");
      const frame = frames.get(key) ?? this.#frame(ids);
      frames.set(key, frame);
      client.send(frame);
    }
  }

  #frame(ids: ReadonlySet<string>): ReturnType<typeof frameOf> {
    const found = [...ids].map((id) => [id, this.#options.summaryOf(id)] as const);
    const sessions = found.flatMap(([, summary]) => summary ?? []);
    const removed = found.flatMap(([id, summary]) => (summary === undefined ? [id] : []));
    return frameOf(notificationText("sessions/changed", { sessions, removed }));
  }
}

const visibleOf = ({ updatedAt: _updated, lastEventAt: _last, ...visible }: SessionSummary): string =>
  JSON.stringify(visible);
