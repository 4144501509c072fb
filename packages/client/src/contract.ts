// The public types of the client, for the page and for programs.

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
  /** Another machine of the server's fleet. Only devices can reach it, because the server would see a token. */
  readonly machine?: string;
  readonly client: { readonly name: string; readonly version: string };
  /** For example with `ws`, which can send headers. The default is the global WebSocket. */
  readonly openSocket?: (url: string, headers: Record<string, string>) => WebSocket;
  /** Rows that a session loads first (default 100). Fewer rows arrive sooner, and `loadBefore` loads the rest. */
  readonly firstRows?: number;
  /** Minimum milliseconds between two frames of drafts, for a program that draws less often. */
  readonly paceMs?: number;
  /** Called with an error of a listener. By default a browser reports it as uncaught, and Node writes it to stderr. */
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
  /** The fleet of the server changed. `connectFleet` uses it. */
  onFleet(listener: (change: NotificationParams<"fleet/changed">) => void): () => void;
  /** Waits for the connection and rejects with a `BridgeError`. Unanswered calls are sent again after a reconnect. */
  call<M extends Method>(method: M, params: ParamsOf<M>, options?: CallOptions): Promise<ResultOf<M>>;
  /** A call with a new `commandId`. It is sent again with the same id until it is answered, and runs once. */
  command<M extends Method>(
    method: M,
    params: Omit<ParamsOf<M>, "commandId"> & { commandId?: string },
    options?: CallOptions,
  ): Promise<ResultOf<M>>;
  retryNow(): void;
  readonly sessions: SessionList;
  /** Opens a live view. Several views share one subscription; close each of them. */
  session(id: string): SessionView;
  close(): void;
}

export interface SessionList {
  /** The same object until something changes. An unchanged summary keeps its identity. */
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
  /** In order. Unchanged rows keep their identity. */
  readonly rows: readonly Row[];
  /** The whole text so far. A draft disappears when its row, with the same id, arrives. */
  readonly drafts: readonly Draft[];
  /** There are earlier rows. */
  readonly more: boolean;
  /** The window is not at the end, because `loadAround` loaded older rows. */
  readonly moreAfter: boolean;
  readonly watchers: readonly Watcher[];
  /** A terminal runs the session, so it is read-only. */
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
  /** For streaming text: called with one draft as it grows, and with undefined when it ends. */
  subscribeDraft(id: string, listener: (draft: Draft | undefined) => void): () => void;
  loadBefore(limit?: number): Promise<void>;
  loadAfter(limit?: number): Promise<void>;
  /** Returns false if the row does not exist. */
  loadAround(rowId: string): Promise<boolean>;
  /** Returns to the newest rows. */
  loadEnd(): Promise<void>;
  close(): void;
}
