// What the client offers, as types: the page and programs are written against these.

import type { Draft, Head, Row } from "@quarterdeck/session";
import type {
  Method,
  NotificationParams,
  ParamsOf,
  ResultOf,
  ServerInfo,
  SessionSummary,
} from "@quarterdeck/session/bridge";

export interface TokenCredentials {
  readonly kind: "token";
  /** Sent in the `Authorization` header, which only programs can set. */
  readonly token: string;
}
export interface DeviceCredentials {
  readonly kind: "device";
  readonly id: string;
  /** ECDSA P-256 with SHA-256 over the text, base64url. */
  readonly sign: (text: string) => Promise<string>;
}
export type Credentials = TokenCredentials | DeviceCredentials;

export interface ConnectOptions {
  /** `http(s)://host:port` of the server. */
  readonly url: string;
  readonly credentials: Credentials;
  readonly client: { readonly name: string; readonly version: string };
  /** Programs take it from `ws`, which can send headers; the default is the global WebSocket. */
  readonly openSocket?: (url: string, headers: Record<string, string>) => WebSocket;
  /** Rows of a session that come at first; the default is 100. Fewer are there sooner, and `loadBefore` brings the rest. */
  readonly firstRows?: number;
  /** At least so many milliseconds between two frames of what is being written, for who draws it no more often. */
  readonly paceMs?: number;
  /** What a listener threw. By default a browser reports it as an uncaught error, and Node writes it to stderr. */
  readonly onListenerError?: (error: unknown) => void;
}

export type ConnectionState =
  | { readonly status: "connecting"; readonly attempt: number }
  | { readonly status: "open"; readonly since: number; readonly latencyMs?: number }
  | { readonly status: "waiting"; readonly attempt: number; readonly retryAt: number; readonly reason: string }
  | { readonly status: "refused"; readonly code: RefusalCode; readonly reason: string }
  | { readonly status: "closed" };
export type RefusalCode = "unauthenticated" | "revoked" | "version";

export interface CallOptions {
  signal?: AbortSignal;
}

export interface Client {
  readonly state: ConnectionState;
  readonly info: ServerInfo | undefined;
  onState(listener: (state: ConnectionState) => void): () => void;
  onNotice(listener: (notice: NotificationParams<"server/notice">) => void): () => void;
  /** Waits for the connection; rejects with a `BridgeError`. What was not answered is asked again after a reconnect. */
  call<M extends Method>(method: M, params: ParamsOf<M>, options?: CallOptions): Promise<ResultOf<M>>;
  /** A call with a fresh `commandId`: resent with the same id after a reconnect until it is answered; it happens once. */
  command<M extends Method>(
    method: M,
    params: Omit<ParamsOf<M>, "commandId"> & { commandId?: string },
    options?: CallOptions,
  ): Promise<ResultOf<M>>;
  retryNow(): void;
  readonly sessions: SessionList;
  /** Opens a live view. Several openers share one subscription; each closes its own. */
  session(id: string): SessionView;
  close(): void;
}

export interface SessionList {
  /** The same object until something changed; an unchanged summary is the same object. */
  readonly snapshot: SessionListSnapshot;
  subscribe(listener: () => void): () => void;
}
export interface SessionListSnapshot {
  readonly status: "loading" | "ready";
  readonly sessions: readonly SessionSummary[];
}

export interface SessionSnapshot {
  readonly status: "loading" | "ready" | "failed";
  readonly error?: { readonly code: string; readonly message: string };
  readonly head: Head;
  /** In order; unchanged rows are the same objects. */
  readonly rows: readonly Row[];
  /** Whole text so far; a draft vanishes when its row, with the same id, arrives. */
  readonly drafts: readonly Draft[];
  /** There are rows before the first. */
  readonly more: boolean;
  /** The window is not at the end: `loadAround` went into the past. */
  readonly moreAfter: boolean;
  readonly watchers: readonly Watcher[];
  /** A terminal runs it: it can be read, not steered. */
  readonly readOnly: boolean;
}
export interface Watcher {
  id: string;
  name: string;
  since: number;
}

export interface SessionView {
  readonly id: string;
  readonly snapshot: SessionSnapshot;
  /** Called at most once per animation frame (browser) or turn (Node). */
  subscribe(listener: () => void): () => void;
  /** For hot text: called with one draft as it grows, and with nothing when it has ended. */
  subscribeDraft(id: string, listener: (draft: Draft | undefined) => void): () => void;
  loadBefore(limit?: number): Promise<void>;
  loadAfter(limit?: number): Promise<void>;
  /** False: there is no such row. */
  loadAround(rowId: string): Promise<boolean>;
  /** Back to the newest rows. */
  loadEnd(): Promise<void>;
  close(): void;
}
