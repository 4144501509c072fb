// The feeds of all followed sessions, and their followers. A feed starts with its first follower and ends with its
// last. Meanwhile it moves between store and memory as the host does.

import type { EventStore, Host, ReadableSession, Transcript } from "@quarterdeck/host";
import type { Notice } from "./contract.ts";
import type { Connection } from "./connection.ts";
import { Feed } from "./feed.ts";
import type { Follower, Watcher } from "./feed.ts";
import { Refusal } from "../refusal.ts";
import { sourceOf, transcriptSource } from "./session-source.ts";
import type { SessionSource } from "./session-source.ts";
import { Ticker } from "./ticker.ts";

export interface FeedsOptions {
  readonly host: Host;
  readonly store: EventStore;
  /** A session that was started in a terminal and is not in our store. */
  readonly transcript: (id: string) => Promise<Transcript | undefined>;
  readonly onError: (error: unknown) => void;
  /** The followers of a session have changed. */
  readonly onWatchers: (session: string) => void;
}

interface Watching {
  readonly connection: Connection;
  readonly follower: Follower;
  readonly since: number;
}

export class Feeds {
  readonly #options: FeedsOptions;
  readonly #ticker: Ticker;
  readonly #feeds = new Map<string, Feed>();
  /** Stops reading what a terminal adds to a session of ours. */
  readonly #elsewhere = new Map<string, () => void>();
  readonly #watching = new Map<string, Watching[]>();
  readonly #stop: () => void;

  constructor(options: FeedsOptions) {
    this.#options = options;
    this.#ticker = new Ticker(options.onError);
    this.#stop = options.host.subscribe((id) => this.#moved(id));
  }

  /** How many devices follow the session. */
  watching(session: string): number {
    return this.#feeds.get(session)?.watchers.length ?? 0;
  }

  /** For reading. A session that nobody follows is not kept in memory. */
  async view(session: string): Promise<ReadableSession> {
    const feed = this.#feeds.get(session);
    if (feed !== undefined) return feed.source.view;
    const source = await this.#open(session);
    source.close?.();
    return source.view;
  }

  /** Makes the client follow the session. `tell` runs in the same turn, so that the client misses nothing. */
  async follow<T>(session: string, connection: Connection, paceMs: number, tell: (feed: Feed) => T): Promise<T> {
    const feed = await this.#feed(session);
    if (!connection.isOpen) {
      // The client left while the session was opened.
      if ((this.#watching.get(session) ?? []).length === 0) this.#end(session, feed);
      throw new Refusal("limit", "The connection is closed.");
    }
    const others = this.#leaveFeed(session, connection, feed);
    const follower = feed.follow(connection, paceMs);
    connection.following.set(session, follower);
    this.#watching.set(session, [...others, { connection, follower, since: Date.now() }]);
    this.#countWatchers(session, feed);
    follower.watchersVersion = feed.watchersVersion;
    return tell(feed);
  }

  unfollow(session: string, connection: Connection): void {
    const feed = this.#feeds.get(session);
    if (feed === undefined || !connection.following.has(session)) return;
    const others = this.#leaveFeed(session, connection, feed);
    this.#watching.set(session, others);
    if (others.length === 0) this.#end(session, feed);
    else this.#countWatchers(session, feed);
  }

  /** Returns the remaining followers. */
  #leaveFeed(session: string, connection: Connection, feed: Feed): Watching[] {
    connection.following.delete(session);
    const watching = Map.groupBy(this.#watching.get(session) ?? [], (one) => one.connection === connection);
    for (const { follower } of watching.get(true) ?? []) feed.unfollow(follower);
    return watching.get(false) ?? [];
  }

  async #feed(session: string): Promise<Feed> {
    const known = this.#feeds.get(session);
    if (known !== undefined) {
      if (known.source.kind === "transcript" || this.#options.store.session(session) !== undefined) return known;
      // The session was deleted while clients followed it.
      this.#end(session, known);
    }
    const source = await this.#open(session);
    // Another call may have opened it meanwhile.
    const other = this.#feeds.get(session);
    if (other !== undefined) {
      source.close?.();
      return other;
    }
    const feed = new Feed(session, source, this.#ticker);
    this.#feeds.set(session, feed);
    this.#followElsewhere(session);
    return feed;
  }

  /** Sends all changes so far. */
  flush(): void {
    this.#ticker.now();
  }

  /** Sends a notice to the followers of this session. */
  tell(session: string, notice: Notice): void {
    for (const { connection } of this.#watching.get(session) ?? []) connection.tell("server/notice", notice);
  }

  leave(connection: Connection): void {
    for (const session of connection.following.keys()) this.unfollow(session, connection);
  }

  close(): void {
    this.#stop();
    for (const [session, feed] of this.#feeds) this.#end(session, feed);
  }

  #end(session: string, feed: Feed): void {
    this.#feeds.delete(session);
    this.#watching.delete(session);
    this.#leaveElsewhere(session);
    feed.close();
    feed.source.close?.();
    this.#options.onWatchers(session);
  }

  #countWatchers(session: string, feed: Feed): void {
    const byDevice = new Map<string, Watcher>();
    for (const { connection, since } of this.#watching.get(session) ?? []) {
      const { deviceId: id, deviceName: name } = connection;
      if (!byDevice.has(id)) byDevice.set(id, { id, name, since });
    }
    feed.setWatchers([...byDevice.values()]);
    this.#options.onWatchers(session);
  }

  async #open(session: string): Promise<SessionSource> {
    const { host, store, transcript, onError } = this.#options;
    if (store.session(session) !== undefined) return sourceOf(host.view(session));
    const found = await transcript(session);
    if (found === undefined) throw new Refusal("unknown-session", "The session does not exist.", { session });
    return transcriptSource(found, onError);
  }

  /** The host has opened the session, taken it over or deleted it. */
  #moved(session: string): void {
    const feed = this.#feeds.get(session);
    if (feed === undefined) return;
    this.#followElsewhere(session);
    const { host, store } = this.#options;
    const before = feed.source;
    const opened = host.opened(session);
    if (opened !== undefined && opened !== before.view) {
      feed.replaceSource(sourceOf(opened));
      before.close?.();
    } else if (opened === undefined && before.kind !== "transcript" && store.session(session) === undefined) {
      // Deleted: a client that subscribes again gets an error.
      feed.restart();
    }
  }

  /** Only as long as a person continues the session in a terminal. */
  #followElsewhere(session: string): void {
    const { host, store } = this.#options;
    const isThere =
      host.opened(session)?.isLive !== true && store.session(session)?.settings["handedOver"] !== undefined;
    if (!isThere) this.#leaveElsewhere(session);
    else if (!this.#elsewhere.has(session)) this.#elsewhere.set(session, host.followElsewhere(session));
  }

  #leaveElsewhere(session: string): void {
    this.#elsewhere.get(session)?.();
    this.#elsewhere.delete(session);
  }
}
