// Sends session summaries to the clients that asked for the list: about four times a second, and only if they visibly
// changed.

import type { Host } from "@quarterdeck/host";
import type { SessionSummary } from "@quarterdeck/session/bridge";
import { isWithin } from "../files/paths-within.ts";
import type { Connection } from "./connection.ts";
import { notificationText } from "./connection.ts";
import { frameOf } from "./wire-frame.ts";
import type { WireFrame } from "./wire-frame.ts";

const COALESCE_MS = 250;

export interface ListFeedOptions {
  readonly host: Host;
  readonly summariesOf: (ids: ReadonlySet<string>) => ReadonlyMap<string, SessionSummary>;
  readonly onError: (error: unknown) => void;
}

export class ListFeed {
  readonly #options: ListFeedOptions;
  readonly #clients = new Set<Connection>();
  /** Clients that could not take the last frame, with everything that changed since. */
  readonly #behind = new Map<Connection, Set<string>>();
  readonly #dirty = new Set<string>();
  /** What was sent last, without fields that change all the time. */
  readonly #told = new Map<string, string>();
  readonly #stop: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ListFeedOptions) {
    this.#options = options;
    this.#stop = options.host.subscribe((id) => this.touch(id));
  }

  /** From now on this client gets changes. */
  add(client: Connection): void {
    this.#clients.add(client);
  }

  delete(client: Connection): void {
    this.#clients.delete(client);
    this.#behind.delete(client);
  }

  touch(id: string): void {
    this.#dirty.add(id);
    if (this.#clients.size > 0) this.#flushSoon();
  }

  close(): void {
    this.#stop();
    clearTimeout(this.#timer);
  }

  #flushSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      try {
        this.#flush();
      } catch (error) {
        // An exception in a timer would end the process. The next change retries.
        this.#options.onError(error);
      }
    }, COALESCE_MS).unref();
  }

  #flush(): void {
    const changed = new Set<string>();
    const dirty = new Set(this.#dirty);
    this.#dirty.clear();
    const summaries = this.#options.summariesOf(dirty);
    for (const id of dirty) {
      const summary = summaries.get(id);
      const text = summary === undefined ? "" : visibleOf(summary);
      if (this.#told.get(id) === text) continue;
      if (summary === undefined) this.#told.delete(id);
      else this.#told.set(id, text);
      changed.add(id);
    }
    const frames = new Map<string, WireFrame>();
    for (const client of this.#clients) {
      const missed = this.#behind.get(client);
      const ids = missed === undefined ? changed : new Set([...missed, ...changed]);
      if (ids.size === 0) continue;
      if (!client.hasRoom) {
        this.#behind.set(client, ids);
        this.#flushSoon();
        continue;
      }
      this.#behind.delete(client);
      const { folders } = client;
      const key = [...(folders ?? []), ...ids].join(" ");
      const frame = frames.get(key) ?? this.#frame(ids, folders);
      frames.set(key, frame);
      client.send(frame);
    }
  }

  #frame(ids: ReadonlySet<string>, folders: readonly string[] | undefined): WireFrame {
    const summaries = this.#options.summariesOf(ids);
    const sessions = [...summaries.values()].filter((summary) => isWithin(folders, summary));
    const removed = [...ids].filter((id) => !summaries.has(id));
    return frameOf(notificationText("sessions/changed", { sessions, removed }));
  }
}

const visibleOf = ({ updatedAt: _updated, lastEventAt: _last, ...visible }: SessionSummary): string =>
  JSON.stringify(visible);
