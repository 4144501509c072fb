// One session that is followed, shared by all who opened it: subscribes on every socket, applies what comes, acknowledges,
// and tells its listeners once per frame with an immutable snapshot.

import type { Draft } from "@quarterdeck/session";
import { EMPTY_HEAD } from "@quarterdeck/session/bridge";
import type { NotificationParams, ParamsOf } from "@quarterdeck/session/bridge";
import { BridgeError } from "./bridge-error.ts";
import type { Connection } from "./connection.ts";
import type { SessionSnapshot, SessionView } from "./contract.ts";
import { callAll, listen, nextFrame } from "./listeners.ts";
import { Replica } from "./replica.ts";
import type { Applied } from "./replica.ts";

const FIRST_ROWS = 100;
const MOST_ROWS = 500;
const PAGE_ROWS = 100;
const ACK_MS = 100;
const ACK_SIZE = 64 * 1024;

type Status = Pick<SessionSnapshot, "status" | "error">;

export class LiveSession {
  readonly id: string;
  snapshot: SessionSnapshot = {
    status: "loading",
    head: EMPTY_HEAD,
    rows: [],
    drafts: [],
    more: false,
    moreAfter: false,
    watchers: [],
    readOnly: false,
  };
  readonly #connection: Connection;
  readonly #replica = new Replica();
  readonly #listeners = new Set<() => void>();
  readonly #draftListeners = new Map<string, Set<(draft: Draft | undefined) => void>>();
  #status: Status = { status: "loading" };
  #openers = 0;
  #asking = 0;
  #isScheduled = false;
  #shownDrafts: ReadonlyMap<string, Draft> = this.#replica.drafts;
  #received = 0;
  #acked = 0;
  #ackTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(id: string, connection: Connection) {
    this.id = id;
    this.#connection = connection;
  }

  /** A handle for one opener; `released` is called when the last one has closed. */
  open(released: () => void): SessionView {
    this.#openers++;
    const snapshot = (): SessionSnapshot => this.snapshot;
    let isOpen = true;
    const off: (() => void)[] = [];
    const kept = (stop: () => void): (() => void) => {
      off.push(stop);
      return stop;
    };
    return {
      id: this.id,
      get snapshot() {
        return snapshot();
      },
      subscribe: (listener) => kept(listen(this.#listeners, listener)),
      subscribeDraft: (id, listener) => kept(this.#listenToDraft(id, listener)),
      loadBefore: (limit) => this.#loadBefore(limit),
      loadAfter: (limit) => this.#loadAfter(limit),
      loadAround: (rowId) => this.#loadAround(rowId),
      loadEnd: () => this.#loadEnd(),
      close: () => {
        if (!isOpen) return;
        isOpen = false;
        for (const stop of off) stop();
        this.#openers--;
        // Whoever opens it again in this turn goes on with it.
        setTimeout(() => {
          if (this.#openers === 0) released();
        });
      },
    };
  }

  get isUsed(): boolean {
    return this.#openers > 0;
  }

  /** On every new socket, and where what is held does not fit any more. */
  async subscribe(from: "cursor" | "anew" = "cursor"): Promise<void> {
    const asking = ++this.#asking;
    const replica = this.#replica;
    const { cursor } = replica;
    const past = replica.moreAfter ? replica.rows[replica.rows.length >> 1]?.id : undefined;
    try {
      const answer = await this.#connection.call(
        "session/subscribe",
        {
          session: this.id,
          rows: Math.min(MOST_ROWS, Math.max(FIRST_ROWS, replica.rows.length)),
          ...(cursor !== undefined && from === "cursor" && { cursor }),
        },
        { once: true },
      );
      if (asking !== this.#asking) return;
      this.#received = 0;
      this.#acked = 0;
      const applied = replica.subscribed(answer);
      this.#asking = 0;
      this.#status = { status: "ready" };
      // Whoever reads the past goes on there, not at the end.
      if (answer.status === "reset" && past !== undefined) await this.#loadAround(past);
      this.#publish();
      this.#again(applied);
    } catch (error) {
      if (asking !== this.#asking) return;
      this.#asking = 0;
      if (!(error instanceof BridgeError)) throw error;
      if (error.code === "disconnected") return;
      this.#status = { status: "failed", error: { code: error.code, message: error.message } };
      this.#publish();
    }
  }

  /** It may be there by now. */
  retry(): void {
    if (this.#status.status === "failed") void this.subscribe();
  }

  changed(frame: NotificationParams<"session/changed">, size: number): void {
    this.#applied(this.#replica.changed(frame), size);
  }

  drafted(frame: NotificationParams<"session/draft">, size: number): void {
    this.#applied(this.#replica.drafted(frame), size);
  }

  stop(): void {
    clearTimeout(this.#ackTimer);
    this.#asking = -1;
    this.#connection.call("session/unsubscribe", { session: this.id }, { once: true }).catch(() => {
      // The socket's end unsubscribes too.
    });
  }

  #applied(applied: Applied, size: number): void {
    this.#received += size;
    this.#again(applied);
    this.#schedule();
    if (this.#received - this.#acked >= ACK_SIZE) this.#acknowledge();
    else this.#ackTimer ??= setTimeout(() => this.#acknowledge(), ACK_MS);
  }

  #again(applied: Applied): void {
    if (applied === "ok" || this.#asking !== 0) return;
    void this.subscribe(applied === "anew" ? "anew" : "cursor");
  }

  #acknowledge(): void {
    clearTimeout(this.#ackTimer);
    this.#ackTimer = undefined;
    this.#acked = this.#received;
    const { cursor } = this.#replica;
    if (cursor !== undefined)
      this.#connection.notify("session/ack", { session: this.id, cursor, bytes: this.#received });
  }

  // Pages of the past.

  async #page(where: Pick<ParamsOf<"session/rows">, "before" | "after" | "around">, limit = PAGE_ROWS) {
    this.#replica.pageAsked();
    try {
      return await this.#connection.call("session/rows", { session: this.id, ...where, limit });
    } catch (error) {
      this.#replica.pageArrived(undefined, {});
      throw error;
    }
  }

  async #loadBefore(limit?: number): Promise<void> {
    const { before } = this.#replica;
    if (before === -Infinity) return;
    this.#replica.pageArrived(await this.#page({ before }, limit), { before });
    this.#publish();
  }

  async #loadAfter(limit?: number): Promise<void> {
    const { after } = this.#replica;
    if (after === Infinity) return;
    this.#replica.pageArrived(await this.#page({ after }, limit), { after });
    this.#publish();
  }

  async #loadAround(rowId: string): Promise<boolean> {
    try {
      const page = await this.#page({ around: rowId });
      const isThere = page.rows.some(({ id }) => id === rowId);
      this.#replica.pageArrived(isThere ? page : undefined, {});
      this.#publish();
      return isThere;
    } catch (error) {
      if (error instanceof BridgeError && error.code === "not-found") return false;
      throw error;
    }
  }

  async #loadEnd(): Promise<void> {
    if (!this.#replica.moreAfter) return;
    this.#replica.pageArrived(await this.#page({ before: Number.MAX_SAFE_INTEGER }), {});
    this.#publish();
  }

  // Telling.

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    nextFrame(() => {
      if (this.#isScheduled) this.#publish();
    });
  }

  #publish(): void {
    this.#isScheduled = false;
    const { head, rows, drafts, more, moreAfter, watchers, readOnly } = this.#replica;
    const { snapshot } = this;
    const before = this.#shownDrafts;
    const next: SessionSnapshot = {
      ...this.#status,
      head,
      rows,
      drafts: drafts === before ? snapshot.drafts : [...drafts.values()],
      more,
      moreAfter,
      watchers,
      readOnly,
    };
    this.#shownDrafts = drafts;
    const keys = Object.keys(next) as (keyof SessionSnapshot)[];
    if (keys.every((key) => next[key] === snapshot[key]) && snapshot.error === next.error) return;
    this.snapshot = next;
    if (drafts !== before)
      for (const [id, listeners] of this.#draftListeners)
        if (drafts.get(id) !== before.get(id)) callAll(listeners, drafts.get(id));
    callAll(this.#listeners);
  }

  #listenToDraft(id: string, listener: (draft: Draft | undefined) => void): () => void {
    const listeners = this.#draftListeners.get(id) ?? new Set();
    this.#draftListeners.set(id, listeners);
    const off = listen(listeners, listener);
    return () => {
      off();
      if (listeners.size === 0) this.#draftListeners.delete(id);
    };
  }
}
