// Test support: a server in memory with folds, enough of the bridge for tests, and frames that a test can lose.

import { createFold } from "@quarterdeck/session";
import type { Event, Fold, Row, Streamed } from "@quarterdeck/session";
import { BRIDGE_ERRORS } from "@quarterdeck/session/bridge";
import type {
  BridgeErrorCode,
  DraftPiece,
  Method,
  ResultOf,
  SessionChanged,
  SessionSummary,
} from "@quarterdeck/session/bridge";

export interface Said {
  readonly id?: number;
  readonly method: string;
  readonly params: Record<string, unknown>;
}

export class Refused extends Error {
  readonly code: BridgeErrorCode;
  readonly data: Record<string, unknown>;
  constructor(code: BridgeErrorCode, message: string, data: Record<string, unknown> = {}) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

type Answer = (params: Record<string, unknown>, socket: ModelSocket) => unknown;

/** The client's end. Frames of the server go through `outbox`, and are lost with it. */
export class ModelSocket extends EventTarget {
  readyState = 0;
  isIn = false;
  readonly said: Said[] = [];
  readonly outbox: string[] = [];
  readonly #server: ModelServer;
  readonly subscriptions = new Map<string, { rev: number; drafts: Map<string, number> }>();

  constructor(server: ModelServer) {
    super();
    this.#server = server;
  }

  accept(): void {
    if (this.readyState !== 0) return;
    this.readyState = 1;
    this.tell({ method: "server/challenge", params: { bridge: 1, serverId: "s", nonce: "n", version: "0" } });
  }

  send(text: string): void {
    const frame = JSON.parse(text) as Said;
    this.said.push(frame);
    queueMicrotask(() => {
      if (this.readyState === 1) this.#server.hear(this, frame);
    });
  }

  tell(frame: object): void {
    this.outbox.push(JSON.stringify({ jsonrpc: "2.0", ...frame }));
    if (!this.#server.holds || !this.isIn) this.deliver();
  }

  deliver(most = Infinity): void {
    for (const text of this.outbox.splice(0, most)) {
      queueMicrotask(() => {
        if (this.readyState === 1) this.dispatchEvent(new MessageEvent("message", { data: text }));
      });
    }
  }

  /** The other side closed it. */
  drop(code = 1006, reason = ""): void {
    if (this.readyState === 3) return;
    this.close();
    const event = new Event("close");
    this.dispatchEvent(Object.assign(event, { code, reason }));
  }

  close(): void {
    this.readyState = 3;
    this.outbox.length = 0;
  }

  /** Calls of a method, oldest first. */
  calls(method: string): readonly Said[] {
    return this.said.filter((frame) => frame.method === method);
  }
}

export class ModelServer {
  /** After `initialize`, frames stay in the outbox until a test delivers them. */
  holds = false;
  /** The max number of rows of a subscription. */
  mostRows = Infinity;
  isDown = false;
  isSilent = false;
  readonly sockets: ModelSocket[] = [];
  readonly headers: Record<string, string>[] = [];
  readonly folds = new Map<string, Fold>();
  readonly #events = new Map<string, (Event | Streamed)[]>();
  summaries: SessionSummary[] = [];
  epoch = 1;
  /** Results by command id. */
  readonly done = new Map<string, string>();
  readonly answers: Partial<Record<string, Answer>> = {};

  readonly openSocket = (_url: string, headers: Record<string, string>): WebSocket => {
    const socket = new ModelSocket(this);
    this.sockets.push(socket);
    this.headers.push(headers);
    queueMicrotask(() => {
      if (this.isDown) socket.drop();
      else if (!this.isSilent) socket.accept();
    });
    return socket as unknown as WebSocket;
  };

  get socket(): ModelSocket {
    return this.sockets.at(-1)!;
  }

  fold(id: string): Fold {
    const fold = this.folds.get(id);
    if (fold === undefined) throw new Refused("unknown-session", `Session ${id} does not exist.`);
    return fold;
  }

  apply(id: string, ...events: readonly (Event | Streamed)[]): void {
    const fold = this.folds.get(id) ?? createFold();
    this.folds.set(id, fold);
    this.#events.set(id, [...(this.#events.get(id) ?? []), ...events]);
    for (const event of events) fold.apply(event);
  }

  /** Closes every socket and folds the log again. The drafts are lost and the revs change. */
  restart(): void {
    this.epoch++;
    for (const [id, events] of this.#events) {
      const facts = events.filter(({ type }) => type !== "streamed");
      this.folds.set(id, createFold());
      this.#events.set(id, []);
      this.apply(id, ...facts);
    }
    this.dropAll();
  }

  dropAll(): void {
    for (const socket of this.sockets) socket.drop();
  }

  hear(socket: ModelSocket, { id, method, params }: Said): void {
    if (this.isSilent || id === undefined) return;
    try {
      const answer = this.answers[method] ?? this.#answers[method as Method];
      if (answer === undefined) throw new Refused("unknown-method", `There is no method ${method}.`);
      const result = answer(params, socket);
      if (result !== NOTHING) socket.tell({ id, result });
      if (method === "initialize") socket.isIn = true;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const { code, message, data } = error;
      socket.tell({ id, error: { code: BRIDGE_ERRORS[code], message, data: { ...data, code } } });
    }
  }

  /** Sends every subscriber what it lacks. */
  flush(): void {
    for (const socket of this.sockets) {
      if (socket.readyState !== 1) continue;
      for (const [session, sent] of socket.subscriptions) {
        const fold = this.fold(session);
        const changes = this.#changes(session, sent.rev);
        if (changes.cursor !== this.#cursor(sent.rev))
          socket.tell({ method: "session/changed", params: { session, ...changes } });
        sent.rev = fold.rev;
        const pieces = piecesOf(fold, sent.drafts);
        const ids = new Set(fold.drafts.map((draft) => draft.id));
        const ended = [...sent.drafts.keys()].filter((draft) => !ids.has(draft));
        for (const draft of ended) sent.drafts.delete(draft);
        if (pieces.length > 0 || ended.length > 0)
          socket.tell({ method: "session/draft", params: { session, drafts: pieces, ended } });
      }
    }
  }

  #cursor(rev: number): string {
    return `e${this.epoch}:${rev}`;
  }

  #changes(session: string, rev: number): Omit<SessionChanged, "session" | "watchers" | "reset"> {
    const { rev: now, rows, removed, head } = this.fold(session).changes(rev);
    const entries = Object.entries(head);
    const unset = entries.filter(([, value]) => value === undefined).map(([key]) => key);
    return { cursor: this.#cursor(now), rows: [...rows], removed: [...removed], head, unset };
  }

  readonly #answers: Partial<Record<Method, Answer>> = {
    initialize: () => ({
      bridge: 1,
      server: { name: "model", version: "0", id: "s", startedAt: 0 },
      device: { id: "d", name: "d", role: "admin" },
      agent: { kind: "demo" },
      machine: { hostname: "", platform: "", home: "", roots: [] },
      limits: { frameBytes: 100_000, uploadBytes: 0 },
    }),
    ping: () => ({}),
    "session/subscribe": ({ session, cursor, rows = 100 }, socket) => {
      const fold = this.fold(session as string);
      const drafts = new Map<string, number>();
      socket.subscriptions.set(session as string, { rev: fold.rev, drafts });
      const common = { drafts: piecesOf(fold, drafts), watchers: [], readOnly: false };
      const [epoch, rev] = typeof cursor === "string" ? cursor.split(":") : [];
      if (epoch === `e${this.epoch}`)
        return { status: "ok", more: false, ...this.#changes(session as string, Number(rev)), ...common };
      const last = fold.rows.slice(-Math.min(rows as number, this.mostRows));
      return {
        status: "reset",
        cursor: this.#cursor(fold.rev),
        head: fold.head,
        unset: [],
        rows: last,
        removed: [],
        more: last.length < fold.rows.length,
        ...common,
      };
    },
    "session/rows": ({ session, ...where }) => this.page(session as string, where),
    "session/unsubscribe": ({ session }, socket) => {
      socket.subscriptions.delete(session as string);
      return {};
    },
    "session/prompt": ({ commandId, content }) => {
      if (!this.done.has(commandId as string)) this.done.set(commandId as string, content as string);
      return { uuid: commandId, rowId: `prompt:${commandId as string}` };
    },
    "sessions/list": () => ({ sessions: this.summaries, total: this.summaries.length }),
  };

  page(
    session: string,
    { before, after, around, limit = 100 }: { before?: number; after?: number; around?: string; limit?: number },
  ): ResultOf<"session/rows"> {
    const { rows, rev } = this.fold(session);
    const between = (from: number, to: number): ResultOf<"session/rows"> => ({
      rows: [...rows.slice(Math.max(0, from), to)] as Row[],
      moreBefore: from > 0,
      moreAfter: to < rows.length,
      cursor: this.#cursor(rev),
    });
    const count = (is: (row: Row) => boolean): number => rows.filter(is).length;
    if (around !== undefined) {
      const at = rows.findIndex(({ id }) => id === around);
      if (at === -1) throw new Refused("not-found", `There is no row ${around}.`);
      const from = Math.max(0, at - (limit >> 1));
      return between(from, Math.min(rows.length, from + limit));
    }
    if (after !== undefined) {
      const from = count(({ order }) => order <= after);
      return between(from, Math.min(rows.length, from + limit));
    }
    const to = count(({ order }) => order < (before ?? Infinity));
    return between(to - limit, to);
  }
}

/** As a result: the server sends no answer. */
export const NOTHING = Symbol("nothing");

const piecesOf = (fold: Fold, sent: Map<string, number>): DraftPiece[] =>
  fold.drafts.flatMap((draft) => {
    const from = sent.get(draft.id);
    if (from === draft.text.length) return [];
    sent.set(draft.id, draft.text.length);
    const { id, text } = draft;
    return [(from ?? 0) === 0 ? { ...draft, from: 0 } : { id, from: from!, text: text.slice(from) }];
  });
