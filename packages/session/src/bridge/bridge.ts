// The bridge: what a client and the server say to each other, as types. The shapes come from `schema.ts`, which only the
// server loads; nothing here needs zod at run time, so that the client stays small.

import type { z } from "zod";
import type { METHODS, NOTIFICATIONS } from "./schema.ts";

export { EMPTY_HEAD } from "../head.ts";
export { canonicalJson } from "./canonical-json.ts";
export type { DraftPiece } from "./draft-piece.ts";
export { includesRole, ROLES } from "./role.ts";
export type { Role } from "./role.ts";

/** Raised when an old client could misread a new server. Both say theirs and keep working where they can. */
export const BRIDGE_VERSION = 1;
/** The path of the WebSocket. */
export const BRIDGE_PATH = "/bridge";

/** Closed: a client may switch over them. The JSON-RPC `error` has a sentence in `message` and the code in `data.code`. */
export const BRIDGE_ERRORS = {
  "bad-request": -32602,
  "unknown-method": -32601,
  internal: -32603,
  unauthenticated: -32001,
  forbidden: -32002,
  "unknown-session": -32010,
  "unknown-request": -32011,
  "unknown-prompt": -32012,
  "not-found": -32013,
  /** The session has no process: resume it. */
  "not-live": -32020,
  "session-live": -32021,
  /** A terminal holds the session: `data` says which process, and since when. */
  "session-held": -32022,
  "process-ended": -32023,
  /** `data` says by whom and when. */
  "already-answered": -32030,
  /** The request was withdrawn, or ended with its process. */
  "not-open": -32031,
  /** What the client saw is not what the request asks: look again. */
  changed: -32032,
  "too-late": -32033,
  "invalid-answer": -32034,
  /** `data` is what `projects/inspect` gives. */
  "folder-untrusted": -32040,
  "outside-roots": -32041,
  "too-large": -32042,
  unsupported: -32043,
  /** Too many sessions, sockets or attempts. */
  limit: -32050,
  /** The CLI refused or failed a control request, in its own words. */
  "cli-refused": -32051,
  timeout: -32052,
  "shutting-down": -32060,
} as const;
export type BridgeErrorCode = keyof typeof BRIDGE_ERRORS;

export type Method = keyof typeof METHODS;
export type ParamsOf<M extends Method> = z.input<(typeof METHODS)[M]["params"]>;
export type ResultOf<M extends Method> = z.output<(typeof METHODS)[M]["result"]>;
export type Notification = keyof typeof NOTIFICATIONS;
export type NotificationParams<N extends Notification> = z.output<(typeof NOTIFICATIONS)[N]>;

export type SessionSummary = ResultOf<"sessions/list">["sessions"][number];
export type Subscribed = ResultOf<"session/subscribe">;
export type SessionChanged = NotificationParams<"session/changed">;
export type FolderInspection = ResultOf<"projects/inspect">;
export type RequestPreview = ResultOf<"requests/preview">;
export type FileContents = ResultOf<"files/read">;
export type Suggestion = ResultOf<"files/suggest">["suggestions"][number];
export type ServerInfo = ResultOf<"initialize">;
export type DeviceRecord = ResultOf<"devices/list">["devices"][number];

/** Close codes of the socket. */
export const CLOSE_CODES = {
  unauthenticated: 4001,
  revoked: 4003,
  tooSlow: 4008,
  tooMany: 4029,
  shuttingDown: 4012,
} as const;

/** What a device signs to come in: bound to this server, this page and this one socket. */
export const challengeText = (about: {
  readonly serverId: string;
  readonly origin: string;
  readonly nonce: string;
}): string => `quarterdeck-bridge-1\n${about.serverId}\n${about.origin}\n${about.nonce}`;
