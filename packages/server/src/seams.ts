// Where the parts of the server meet: who may come in (`access/`), what HTTP carries (`http/`), what a socket speaks (`bridge/`)
// and the command that runs them (`serve/`). Interfaces alone; each part is tested against these, not against the others.

import type { Readable } from "node:stream";
import type { FileHandle } from "node:fs/promises";
import type { Dirent, Stats } from "node:fs";
import type { EventStore, Host, TrustStore } from "@quarterdeck/host";
import type { NotificationParams, Role, ServerInfo } from "@quarterdeck/session/bridge";
import type { WebSocket } from "ws";

export type AgentInfo = ServerInfo["agent"];
export type MachineInfo = ServerInfo["machine"];
export type Limits = ServerInfo["limits"];
export type Notice = NotificationParams<"server/notice">;

// ── access ──

/** What the server's own record says. A role is never taken from anywhere else. */
export interface Device {
  readonly id: string;
  readonly name: string;
  readonly kind: "browser" | "program";
  readonly role: Role;
  readonly createdAt: number;
  readonly lastSeenAt?: number;
}

/** `limit`: too many failures from this address. Somebody with a valid credential never meets it. */
export type Admission =
  | { readonly ok: true; readonly device: Device }
  | { readonly ok: false; readonly code: "unauthenticated" | "limit"; readonly message: string };

export interface Access {
  /** Public, and the same as long as the data directory is. */
  readonly serverId: string;
  /** For one socket: random, never given twice. The bridge sends it in `server/challenge` and hands it back below. */
  challenge(): string;
  /** A browser's `initialize`. Once per socket: after a failure the bridge closes with `CLOSE_CODES.unauthenticated`. */
  authenticate(claim: {
    readonly id: string;
    readonly signature: string;
    readonly nonce: string;
    /** As `SocketAbout` has it. */
    readonly origin: string | undefined;
    readonly remote: string;
  }): Admission;
  /** An `Authorization` header. */
  bearer(header: string | undefined, remote: string): Admission;
  /** The record as it is now; nothing once it was revoked. Ask before each call: the role may have changed. */
  device(id: string): Device | undefined;
  /** Whether this device, as its record is now, may do what needs `role`. */
  allows(deviceId: string, role: Role): boolean;
  devices(): readonly Device[];
  pair(wanted: { readonly role: Role; readonly name?: string }): {
    readonly link: string;
    readonly code: string;
    readonly expiresAt: number;
  };
  addToken(wanted: { readonly role: Role; readonly name: string }): { readonly id: string; readonly token: string };
  /** False where there is no such device. It is out at once, and gone from the disk when this returns. */
  revoke(id: string): boolean;
  /** The HTTP server closes the device's sockets (`CLOSE_CODES.revoked`) and drops its tickets; others may listen too. */
  onRevoked(listener: (deviceId: string) => void): () => void;
}

// ── the socket ──

/** What the HTTP server knows about a socket that it hands over. Host, origin and rate have been checked. */
export interface SocketAbout {
  /** Came with a valid bearer token: a program. A browser has to answer the challenge. */
  readonly device: Device | undefined;
  /** An allowed one, or absent for a program. */
  readonly origin: string | undefined;
  /** The client's address; behind a proxy, as the proxy says. For limits and logs. */
  readonly remote: string;
  /**
   * Call it when `initialize` was accepted. Until then the socket counts as a stranger's: it is closed after five
   * seconds, and earlier where there are too many of them. From then on it is closed when the device is revoked.
   */
  readonly admitted: (device: Device) => void;
}

export interface Bridge {
  accept(ws: WebSocket, about: SocketAbout): void;
  /** To every client. */
  notice(notice: Notice): void;
  /** From now on, whatever would begin work is refused with `shutting-down`. Reading and answering go on. */
  drain(): void;
  /** Closes every socket with `CLOSE_CODES.shuttingDown`. */
  close(): Promise<void>;
}

export interface BridgeOptions {
  readonly host: Host;
  /** The host's own; the server closes the host, and the host the store. */
  readonly store: EventStore;
  readonly trust: TrustStore;
  readonly access: Access;
  readonly tickets: Tickets;
  /** What an admin sees of the roots. For the server's own decisions, and never for another device: take `sightOf`. */
  readonly paths: ContainedPaths;
  /** All of the file system but what is hidden: for the one path that a row or an open request names. */
  readonly named: ContainedPaths;
  /** What roles below admin see. */
  readonly belowAdmin: Sight;
  /** Ours alone: nothing in it is read for a client. */
  readonly dataDir: string;
  /** A private folder for files that go with prompts; each session has one of its own in it. */
  readonly sessionFiles: string;
  /** Of the CLI: where its own sessions lie. */
  readonly configFolder: string;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly agent: AgentInfo;
  readonly machine: MachineInfo;
  readonly limits: Limits;
  /** Of the package. */
  readonly version: string;
  readonly startedAt: number;
}

// ── tickets ──

/** What a download gives. Typed by the caller from the contents, never from a name that somebody else chose. */
export interface Download {
  readonly name: string;
  readonly mediaType: string;
  readonly size?: number;
  readonly body: Readable | AsyncIterable<Uint8Array | string>;
}

export type TicketUse =
  | { readonly kind: "upload"; readonly name: string; readonly size: number }
  /** `open` is called when the ticket is used; an error with a `code` of the bridge's becomes a fitting status. */
  | { readonly kind: "download"; readonly open: () => Promise<Download> };

export interface Upload {
  readonly id: string;
  readonly name: string;
  /** By magic bytes: `image/png`, `application/pdf`, `text/plain` (UTF-8 without NUL), else `application/octet-stream`. */
  readonly mediaType: string;
  readonly size: number;
  /** Ours to read, in the data directory, until the upload expires. */
  readonly path: string;
}

export type UploadFailure = "too-large" | "no-room" | "cut-off";

export interface Tickets {
  /**
   * The caller has checked the role. `url` is a path, `/t/<256 random bits>`; one use, two minutes. A PUT without the page's
   * Origin, which is a program's, needs its token in the `Authorization` header too.
   */
  create(use: TicketUse, device: Device): { readonly url: string; readonly expiresAt: number };
  /** What came another way than by HTTP, from a device that may upload: as if it had been put. */
  keep(name: string, bytes: Buffer, device: Device): Promise<Upload | UploadFailure>;
  /** What this device has put; another device's is as if it did not exist. Kept for a day. */
  upload(id: string, device: Device): Upload | undefined;
}

// ── paths ──

export type PathErrorCode = "outside-roots" | "not-found" | "bad-request";

/** What one device may see of the disk. */
export interface Sight {
  /** Of the roots; for roles below admin, the folders of sessions and of trusted projects. */
  readonly paths: ContainedPaths;
  /** Of one path that a session's own row or open request names. */
  readonly named: ContainedPaths;
}

/** Real paths inside of the roots, never what is hidden. Refusals are errors with a `PathErrorCode` in `code`. */
export interface ContainedPaths {
  /** Real paths of the folders that are seen. They may have been deleted. */
  readonly roots: readonly string[];
  /** Whether this absolute path is never shown, by its place or its name. The path is compared as it is spelled. */
  isHidden(path: string): boolean;
  /** Whether this real path lies inside of the folders, hidden or not. */
  contains(path: string): boolean;
  /** Whether this real path may be named in a list. Links are not followed: whoever reads it takes `open`. */
  shows(path: string): boolean;
  /** As `resolve`. A file that does not exist is located where it would be, after the links of its folders. */
  locate(path: string): Promise<{ readonly path: string; readonly exists: boolean }>;
  /** The real path, if it is inside. Checked now; whoever reads takes `open` or `list`, which check what they hold. */
  resolve(path: string): Promise<string>;
  /** A regular file, opened for reading and checked once it is open. The caller closes the handle. */
  open(path: string): Promise<{ readonly handle: FileHandle; readonly path: string; readonly stats: Stats }>;
  list(path: string): Promise<{ readonly path: string; readonly entries: readonly Dirent[] }>;
}

// ── log and metrics ──

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** One line of JSON each. `event` is a fixed phrase; whatever varies goes into the fields, and no body or secret does. */
export interface Log {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  /** `error` may stand in the fields as its message; a stack is for bugs. */
  error(event: string, fields?: LogFields): void;
}

export type Labels = Readonly<Record<string, string>>;

/** Prometheus text. A name is asked for once and kept; names begin with `quarterdeck_`. */
export interface Metrics {
  counter(name: string, help: string): { add(by?: number, labels?: Labels): void };
  /** Read when somebody looks. */
  gauge(name: string, help: string, read: () => number): void;
  histogram(name: string, help: string, buckets: readonly number[]): { observe(value: number, labels?: Labels): void };
  text(): string;
}
