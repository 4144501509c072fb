// One followed session, shared by all its users. It subscribes on every socket, applies frames, acknowledges them, and calls
// its listeners once per frame with an immutable snapshot.

import type { Draft } from "@quarterdeck/session";
import { EMPTY_HEAD } from "@quarterdeck/session/bridge";
import type { NotificationParams, ParamsOf, Subscribed } from "@quarterdeck/session/bridge";
import { BridgeError } from "./bridge-error.ts";
import type { Connection } from "./connection.ts";
import type { ConnectOptions, SessionSnapshot, SessionView } from "./contract.ts";
import { callAll, addListener, oncePerFrame } from "./listeners.ts";
import { Replica } from "./replica.ts";
import type { Applied } from "./replica.ts";

const FIRST_ROWS = 100;
const MOST_ROWS = 500;
const PAGE_ROWS = 100;
const MOST_TRIES = 5;
/** A quarter of what the server allows in flight, so the server never waits for an acknowledgement. */
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
  readonly #options: Pick<ConnectOptions, "firstRows" | "paceMs">;
  readonly #replica = new Replica();
  readonly #listeners = new Set<() => void>();
  readonly #draftListeners = new Map<string, Set<(draft: Draft | undefined) => void>>();
  #status: Status = { status: "loading" };
  #openers = 0;
  /** The subscription whose answer counts, and whether the answer is pending. */
  #subscription = 0;
  #isAsking = false;
  #loadingBefore: Promise<void> | undefined;
  #loadingAfter: Promise<void> | undefined;
  readonly #schedule = oncePerFrame(() => this.#publish());
  #shownDrafts: ReadonlyMap<string, Draft> = this.#replica.drafts;
  #received = 0;
  #acked = 0;

  constructor(id: string, connection: Connection, options: Pick<ConnectOptions, "firstRows" | "paceMs"> = {}) {
    this.id = id;
    this.#connection = connection;
    this.#options = options;
  }

  /** A handle for one user. `released` is called when the last handle is closed. */
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
      subscribe: (listener) => kept(addListener(this.#listeners, listener)),
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
        // A user that opens it again in this turn keeps the subscription.
        setTimeout(() => {
          if (this.#openers === 0) released();
        });
      },
    };
  }

  get isUsed(): boolean {
    return this.#openers > 0;
  }

  /** Runs on every new socket, and when the local state is stale. */
  subscribe(from: "cursor" | "start" = "cursor"): void {
    const subscription = ++this.#subscription;
    const { cursor, rows } = this.#replica;
    const { firstRows = FIRST_ROWS, paceMs } = this.#options;
    this.#isAsking = true;
    this.#connection.ask(
      "session/subscribe",
      {
        session: this.id,
        rows: Math.min(MOST_ROWS, Math.max(firstRows, rows.length)),
        ...(paceMs !== undefined && { paceMs }),
        ...(cursor !== undefined && from === "cursor" && { cursor }),
      },
      {
        resolve: (answer) => {
          if (subscription === this.#subscription) this.#subscribed(answer);
        },
        reject: (error) => {
          if (subscription === this.#subscription) this.#failed(error);
        },
      },
    );
  }

  #subscribed(answer: Subscribed): void {
    this.#isAsking = false;
    this.#received = 0;
    this.#acked = 0;
    const applied = this.#replica.subscribed(answer);
    this.#status = { status: "ready" };
    this.#publish();
    this.#again(applied);
    if (answer.status === "reset" && this.#replica.moreAfter) void this.#reload();
  }

  /** A client that shows older rows stays there. */
  async #reload(): Promise<void> {
    const { rows } = this.#replica;
    const middle = rows[rows.length >> 1];
    try {
      if (middle === undefined || !(await this.#loadAround(middle.id))) await this.#loadEnd();
    } catch (error) {
      // Closed or refused meanwhile, so nobody needs the answer.
      if (!(error instanceof BridgeError)) throw error;
    }
  }

  #failed({ code, message }: BridgeError): void {
    this.#isAsking = false;
    if (code === "disconnected") return;
    this.#status = { status: "failed", error: { code, message } };
    this.#publish();
  }

  /** The session may exist by now. */
  retry(): void {
    if (this.#status.status === "failed") this.subscribe();
  }

  changed(frame: NotificationParams<"session/changed">, size: number): void {
    this.#applied(this.#replica.changed(frame), size);
  }

  drafted(frame: NotificationParams<"session/draft">, size: number): void {
    this.#applied(this.#replica.drafted(frame), size);
  }

  stop(): void {
    this.#subscription++;
    // Closing the socket also unsubscribes.
    this.#connection.ask("session/unsubscribe", { session: this.id }, { resolve: () => {} });
  }

  #applied(applied: Applied, size: number): void {
    this.#received += size;
    this.#again(applied);
    this.#schedule();
    if (this.#received - this.#acked >= ACK_SIZE) this.#acknowledge();
  }

  #again(applied: Applied): void {
    if (applied === "ok" || this.#isAsking) return;
    this.subscribe(applied === "reset" ? "start" : "cursor");
  }

  #acknowledge(): void {
    this.#acked = this.#received;
    const { cursor } = this.#replica;
    if (cursor !== undefined)
      this.#connection.notify("session/ack", { session: this.id, cursor, bytes: this.#received });
  }

  // Pages of older rows.

  async #page(where: Pick<ParamsOf<"session/rows">, "before" | "after" | "around">, limit = PAGE_ROWS) {
    this.#replica.pageAsked();
    try {
      return await this.#connection.call("session/rows", { session: this.id, ...where, limit });
    } catch (error) {
      this.#replica.pageArrived(undefined, {});
      throw error;
    }
  }

  #loadBefore(limit?: number): Promise<void> {
    return (this.#loadingBefore ??= this.#extend("before", limit).finally(() => (this.#loadingBefore = undefined)));
  }

  #loadAfter(limit?: number): Promise<void> {
    return (this.#loadingAfter ??= this.#extend("after", limit).finally(() => (this.#loadingAfter = undefined)));
  }

  /** If the window changed meanwhile, requests the page again at the new border. */
  async #extend(side: "before" | "after", limit?: number): Promise<void> {
    const replica = this.#replica;
    for (let tries = 0; tries < MOST_TRIES && Number.isFinite(replica[side]); tries++) {
      const at = { [side]: replica[side] };
      if (replica.pageArrived(await this.#page(at, limit), at)) break;
    }
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

  // Notifying listeners.

  #publish(): void {
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
        if (drafts.get(id) !== before.get(id)) callAll(this.#connection.report, listeners, drafts.get(id));
    callAll(this.#connection.report, this.#listeners);
  }

  #listenToDraft(id: string, listener: (draft: Draft | undefined) => void): () => void {
    const listeners = this.#draftListeners.get(id) ?? new Set();
    this.#draftListeners.set(id, listeners);
    const off = addListener(listeners, listener);
    return () => {
      off();
      if (listeners.size === 0) this.#draftListeners.delete(id);
    };
  }
}
