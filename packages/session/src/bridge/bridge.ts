// The bridge between client and server, as types. The shapes come from `schema.ts`, which only the server loads. Nothing
// here needs zod at run time, so the client stays small.

import type { z } from "zod";
import type { METHODS, NOTIFICATIONS } from "./schema.ts";

export { EMPTY_HEAD } from "../head.ts";
export { canonicalJson } from "./canonical-json.ts";
export type { DraftPiece } from "./draft-piece.ts";
export { includesRole, ROLES } from "./role.ts";
export type { Role } from "./role.ts";

/** Increased when an old client could misread a new server. Both sides send it and continue as well as they can. */
export const BRIDGE_VERSION = 1;
/** The path of the WebSocket. */
export const BRIDGE_PATH = "/bridge";

/** All error codes; a client may switch over them. The JSON-RPC `error` has a sentence in `message` and the code in `data.code`. */
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
  /** The session has no process. Resume it. */
  "not-live": -32020,
  "session-live": -32021,
  /** A terminal has the session open. `data` names the process, and since when. */
  "session-held": -32022,
  "process-ended": -32023,
  /** `data` says who answered, and when. */
  "already-answered": -32030,
  /** The request was withdrawn, or closed with its process. */
  "not-open": -32031,
  /** The request changed since the client saw it. Look again. */
  changed: -32032,
  "too-late": -32033,
  "invalid-answer": -32034,
  /** Wait until the turn ends, or stop it. */
  "turn-running": -32035,
  /** `data` is the result of `projects/inspect`. */
  "folder-untrusted": -32040,
  "outside-roots": -32041,
  "too-large": -32042,
  /** A session works in the folder. `data.sessions` names it. */
  "folder-in-use": -32044,
  unsupported: -32043,
  /** Too many sessions, sockets or attempts. */
  limit: -32050,
  /** A budget is spent. `data` has its scope, what was spent and the limit. Nothing of the call was kept. */
  "over-budget": -32053,
  /** The CLI refused or failed a control request. The message is from the CLI. */
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
/** The order of a list of sessions. */
export const urgentThenNewest = (a: SessionSummary, b: SessionSummary): number =>
  Number(b.waiting.length > 0) - Number(a.waiting.length > 0) || b.updatedAt - a.updatedAt || (a.id < b.id ? -1 : 1);

export type Subscribed = ResultOf<"session/subscribe">;
export type SessionChanged = NotificationParams<"session/changed">;
export type FolderInspection = ResultOf<"projects/inspect">;
export type RequestPreview = ResultOf<"requests/preview">;
export type FileContents = ResultOf<"files/read">;
export type FileSuggestion = ResultOf<"files/suggest">["suggestions"][number];
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

/** What a device signs to authenticate. It is valid for this server, this page and this socket only. */
export const challengeText = (about: {
  readonly serverId: string;
  readonly origin: string;
  readonly nonce: string;
}): string => `quarterdeck-bridge-1\n${about.serverId}\n${about.origin}\n${about.nonce}`;
