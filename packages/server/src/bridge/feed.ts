// The path of one session's changes to its followers. The feed is state-based: each follower has a `rev` and a length
// per draft, and gets what it lacks in one frame per turn. A slow follower is only further behind, and nothing queues.
// Followers with the same base share one frame. This file does not know what a row means or where rows are stored.

import type { ReadableSession } from "@quarterdeck/host";
import type { Draft, DraftGrowth } from "@quarterdeck/session";
import type { ResultOf } from "@quarterdeck/session/bridge";
import { WINDOW } from "./connection.ts";
import type { Following } from "./connection.ts";
import { DraftFrames } from "./draft-frames.ts";
import { GrownDrafts } from "./grown-drafts.ts";
import { changesOf } from "./session-source.ts";
import type { SessionSource } from "./session-source.ts";
import type { Ticker } from "./ticker.ts";
import { frameOf } from "./wire-frame.ts";
import type { WireFrame } from "./wire-frame.ts";

export type Watcher = ResultOf<"session/subscribe">["watchers"][number];

/** A follower that is further behind than this is reset, because that is less to send. */
export const MOST_ROWS = 500;

/** What a feed needs of a connection. */
export interface Receiver {
  readonly hasRoom: boolean;
  send(frame: WireFrame): void;
  ping(): void;
}

export const cursorOf = ({ epoch, rev }: ReadableSession): string => `${epoch}:${rev}`;

export class Feed {
  readonly session: string;
  readonly #draftFrames: DraftFrames;
  readonly #ticker: Ticker;
  readonly #followers = new Set<Follower>();
  #source: SessionSource;
  #stop: () => void;
  /** A follower has asked for a pace, so the time is checked. */
  #isPaced = false;
  #isDue = false;
  #isDueAtOnce = false;
  /** An event may have ended drafts, so they are compared. */
  #shaken = false;
  /** Drafts and lengths that followers have if they keep up. */
  #told = new Map<string, number>();
  /** Growth of drafts since the last frame. */
  readonly #grown = new GrownDrafts();
  #watchersVersion = 1;
  #watchers: readonly Watcher[] = [];

  constructor(session: string, source: SessionSource, ticker: Ticker) {
    this.session = session;
    this.#draftFrames = new DraftFrames(session);
    this.#ticker = ticker;
    this.#source = source;
    this.#stop = source.subscribe(this.#onEvent);
    this.#told = lengthsOf(source.view.drafts);
  }

  get source(): SessionSource {
    return this.#source;
  }
  get cursor(): string {
    return cursorOf(this.#source.view);
  }
  get watchersVersion(): number {
    return this.#watchersVersion;
  }
  get watchers(): readonly Watcher[] {
    return this.#watchers;
  }
  /**
   * The same session from another source: from the store to memory, or back. In another epoch all followers are reset.
   */
  replaceSource(source: SessionSource): void {
    this.#stop();
    const { epoch, rev } = this.#source.view;
    this.#source = source;
    this.#stop = source.subscribe(this.#onEvent);
    if (source.view.epoch !== epoch || source.view.rev < rev) this.restart();
    this.#shaken = true;
    this.#due();
  }

  /** Resets all followers. */
  restart(): void {
    for (const follower of this.#followers) this.#restart(follower);
  }

  /** The rev of a cursor if it is valid in this epoch. */
  revOf(cursor: string): number | undefined {
    const colon = cursor.lastIndexOf(":");
    const rev = Number(cursor.slice(colon + 1));
    const { view } = this.#source;
    return cursor.slice(0, colon) === view.epoch && rev <= view.rev ? rev : undefined;
  }

  /**
   * Follows from now on. The caller sends the current state in the same turn, with `cursor` and the source's drafts.
   */
  follow(receiver: Receiver, paceMs: number): Follower {
    this.#flush();
    if (paceMs > 0) this.#isPaced = true;
    const follower = new Follower(receiver, paceMs, this.#source.view.rev, this.#watchersVersion, () =>
      this.#ticker.safely(() => this.#due()),
    );
    this.#followers.add(follower);
    return follower;
  }

  unfollow(follower: Follower): void {
    follower.stop();
    this.#followers.delete(follower);
  }

  setWatchers(watchers: readonly Watcher[]): void {
    this.#watchers = watchers;
    this.#watchersVersion++;
    this.#due();
  }

  close(): void {
    this.#stop();
    for (const follower of this.#followers) follower.stop();
    this.#followers.clear();
  }

  readonly #onEvent = (growth: DraftGrowth | undefined): void => {
    if (growth === undefined) {
      this.#shaken = true;
      this.#due();
      return;
    }
    if (growth.from === 0) this.#beginDraft(growth.draft.id);
    this.#grown.add(growth);
    // Deltas come hundreds a second. One callback delivers a whole chunk of them, so nothing more comes in this turn.
    if (this.#isDueAtOnce) return;
    this.#isDueAtOnce = true;
    this.#ticker.afterCallback(this.#flushAtOnce);
  };
  readonly #flushAtOnce = (): void => {
    this.#isDueAtOnce = false;
    this.#ticker.safely(this.#flushNow);
  };
  readonly #flushNow = (): void => this.#flush();

  /** Drops an older draft with the same id. */
  #beginDraft(id: string): void {
    this.#grown.keep((other) => other !== id);
    if (this.#told.has(id)) this.#told.set(id, 0);
    for (const { lacks } of this.#followers) if (lacks?.has(id) === true) lacks.set(id, 0);
  }

  #due(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#ticker.soon(this.#flushNow);
  }

  #flush(): void {
    this.#isDue = false;
    const gone = this.#shaken ? this.#goneDrafts() : NONE;
    const { view } = this.#source;
    const { rev } = view;
    const drafts = this.#draftFrame(gone);
    let changes: Map<string, WireFrame | undefined> | undefined;
    const now = this.#isPaced ? performance.now() : 0;
    for (const follower of this.#followers) {
      if (!follower.canTake(now)) {
        if (drafts !== undefined) follower.lacks ??= new Map(this.#told);
        continue;
      }
      if (follower.rev !== rev || follower.watchersVersion !== this.#watchersVersion) {
        changes ??= new Map();
        const frame = this.#changeFrame(follower, changes);
        if (frame === undefined) {
          this.#restart(follower);
          continue;
        }
        follower.send(frame, now);
        follower.rev = rev;
        follower.watchersVersion = this.#watchersVersion;
      }
      const lacking = follower.lacks === undefined ? drafts : this.#catchUpFrame(follower.lacks);
      follower.lacks = undefined;
      if (lacking !== undefined) follower.send(lacking, now);
    }
    for (const id of gone) this.#told.delete(id);
    for (const { draft, from, text } of this.#grown.list) this.#told.set(draft.id, from + text.length);
    this.#grown.clear();
  }

  /** Resets a follower that is too far behind, or whose rev is no longer valid. */
  #restart(follower: Follower): void {
    this.#followers.delete(follower);
    follower.stop();
    const params = { session: this.session, cursor: this.cursor, reset: true };
    follower.send(frameOf(JSON.stringify({ jsonrpc: "2.0", method: "session/changed", params })), 0);
  }

  /** Drafts that were sent and have ended: they became rows, or were dropped. */
  #goneDrafts(): string[] {
    this.#shaken = false;
    if (this.#told.size === 0 && this.#grown.list.length === 0) return [];
    const open = new Set(this.#source.view.drafts.map(({ id }) => id));
    this.#grown.keep((id) => open.has(id));
    return [...this.#told.keys()].filter((id) => !open.has(id));
  }

  /** For followers that keep up. */
  #draftFrame(gone: readonly string[]): WireFrame | undefined {
    const ended = gone.length === 0 ? NONE : gone.filter((id) => this.#source.view.row(id) === undefined);
    return this.#draftsOrNothing(this.#grown.list, ended);
  }

  /** For a follower that had the drafts up to `lengths` and fell behind. */
  #catchUpFrame(lengths: ReadonlyMap<string, number>): WireFrame | undefined {
    const { view } = this.#source;
    const { drafts } = view;
    const open = new Set(drafts.map(({ id }) => id));
    const growths = drafts.flatMap((draft): DraftGrowth[] => {
      const from = lengths.get(draft.id) ?? 0;
      // The token estimate may have changed without new text.
      const isNew = !lengths.has(draft.id) || draft.text.length > from || draft.tokens !== undefined;
      return isNew ? [{ draft, from, text: draft.text.slice(from) }] : [];
    });
    const ended = [...lengths.keys()].filter((id) => !open.has(id) && view.row(id) === undefined);
    return this.#draftsOrNothing(growths, ended);
  }

  #draftsOrNothing(growths: readonly DraftGrowth[], ended: readonly string[]): WireFrame | undefined {
    return growths.length === 0 && ended.length === 0 ? undefined : this.#draftFrames.frameOf(growths, ended);
  }

  /** Undefined if it would be too large. */
  #changeFrame(follower: Follower, known: Map<string, WireFrame | undefined>): WireFrame | undefined {
    const withWatchers = follower.watchersVersion !== this.#watchersVersion;
    const key = `${follower.rev} ${withWatchers}`;
    if (!known.has(key)) known.set(key, this.#makeChangeFrame(follower.rev, withWatchers));
    return known.get(key);
  }

  #makeChangeFrame(since: number, withWatchers: boolean): WireFrame | undefined {
    const changes = changesOf(this.#source.view, since, MOST_ROWS);
    if (changes === undefined) return undefined;
    const { head, unset } = splitHead(changes.head);
    const params = {
      session: this.session,
      cursor: this.cursor,
      ...(changes.rows.length > 0 && { rows: changes.rows }),
      ...(changes.removed.length > 0 && { removed: changes.removed }),
      ...(Object.keys(head).length > 0 && { head }),
      ...(unset.length > 0 && { unset }),
      ...(withWatchers && { watchers: this.#watchers }),
    };
    return frameOf(JSON.stringify({ jsonrpc: "2.0", method: "session/changed", params }));
  }
}

const NONE: readonly never[] = [];

/** One client's position in one feed. */
export class Follower implements Following {
  rev: number;
  watchersVersion: number;
  /** Set while the follower is behind: the lengths of the drafts that it has. */
  lacks: Map<string, number> | undefined;
  readonly #receiver: Receiver;
  readonly #paceMs: number;
  readonly #wake: () => void;
  #sent = 0;
  #received = 0;
  #sentAtPing = 0;
  #acknowledges = false;
  #notBefore = 0;
  #timer: NodeJS.Timeout | undefined;
  #isHeld = false;

  constructor(receiver: Receiver, paceMs: number, rev: number, watchersVersion: number, wake: () => void) {
    this.#receiver = receiver;
    this.#paceMs = paceMs;
    this.rev = rev;
    this.watchersVersion = watchersVersion;
    this.#wake = wake;
  }

  canTake(now: number): boolean {
    if (!this.#receiver.hasRoom) {
      this.#isHeld = true;
      return false;
    }
    if (this.#sent - this.#received > WINDOW) {
      this.#isHeld = true;
      // A client that never acknowledges gets a ping instead, which every client answers.
      if (!this.#acknowledges) this.#receiver.ping();
      return false;
    }
    if (now < this.#notBefore) {
      this.#timer ??= setTimeout(() => this.#wakeUp(), this.#notBefore - now).unref();
      return false;
    }
    return true;
  }

  send(frame: WireFrame, now: number): void {
    this.#sent += frame.length;
    this.#notBefore = now + this.#paceMs;
    this.#receiver.send(frame);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  acknowledged(length: number): void {
    this.#acknowledges = true;
    this.#advance(Math.min(length, this.#sent));
  }
  hasRoom(): void {
    if (this.#isHeld) this.#wakeUp();
  }
  pinged(): void {
    this.#sentAtPing = this.#sent;
  }
  ponged(): void {
    this.#advance(this.#sentAtPing);
  }

  #advance(received: number): void {
    if (received > this.#received) this.#received = received;
    if (this.#isHeld) this.#wakeUp();
  }

  #wakeUp(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isHeld = false;
    this.#wake();
  }
}

const lengthsOf = (drafts: readonly Draft[]): Map<string, number> =>
  new Map(drafts.map(({ id, text }) => [id, text.length]));

/** JSON has no `undefined`, so removed fields are listed by name. */
export const splitHead = (
  fields: Readonly<Record<string, unknown>>,
): { head: Record<string, unknown>; unset: string[] } => {
  const entries = Object.entries(fields);
  return {
    head: Object.fromEntries(entries.filter(([, value]) => value !== undefined)),
    unset: entries.filter(([, value]) => value === undefined).map(([key]) => key),
  };
};
