// The source of the bridge: every call and notification with its shape. Only the server loads it, to decode each call once.
// `docs/bridge.md` and the JSON Schemas are generated from it. Unknown fields are ignored, except in `initialize`, where a
// client must not claim a privilege.

import { z } from "zod";
import { isRecord } from "@quarterdeck/protocol";
import type { CliRequest, PermissionUpdate } from "@quarterdeck/protocol";
import type { Event } from "../event.ts";
import type { Head, OpenRequest } from "../head.ts";
import type { Row } from "../row.ts";
import type { DraftPiece } from "./draft-piece.ts";
import { AuditFilter, POLICIES_METHODS } from "./policies-schema.ts";
import { RULES_METHODS } from "./rules-schema.ts";
import { exportFields, SEARCH_METHODS } from "./search-schema.ts";
import { MCP_METHODS } from "./mcp-schema.ts";
import { NOTIFY_METHODS } from "./notify-schema.ts";
import { SETTINGS_METHODS } from "./settings-schema.ts";
import { GIT_METHODS, WorktreeWish } from "./git-schema.ts";
import { command, Done, Hunk, Id, method, ofSession, Path, Time } from "./shapes.ts";
import { StartSettings } from "./start-settings.ts";
import { Summary } from "./summary-shape.ts";
import { DEVICES_METHODS, RoleName } from "./devices-schema.ts";
import { FLEET_METHODS, FLEET_NOTIFICATIONS } from "./fleet-schema.ts";
import { PROJECTS_METHODS } from "./projects-schema.ts";
import { RELAY_METHODS, RELAY_NOTIFICATIONS } from "./relay-schema.ts";
import { REVIEW_METHODS } from "./review-schema.ts";
import { USAGE_METHODS } from "./usage-schema.ts";

const Cursor = z.string().regex(/^[\w-]{1,64}:\d{1,15}$/u, "A cursor has the form epoch:rev.");

const Actor = z.object({ id: z.string(), name: z.string().optional() });
const RowValue = z.custom<Row>().meta({ title: "Row", description: "packages/session/src/row.ts" });
const HeadValue = z.custom<Head>().meta({ title: "Head", description: "packages/session/src/head.ts" });
const HeadPatch = z.custom<Partial<Head>>().meta({ title: "Head fields", description: "packages/session/src/head.ts" });
const EventValue = z.custom<Event>().meta({ title: "Event", description: "packages/session/src/event.ts" });
const DraftValue = z
  .custom<DraftPiece>()
  .meta({ title: "Draft piece", description: "packages/session/src/bridge/bridge.ts" });
const RequestValue = z
  .custom<OpenRequest>()
  .meta({ title: "Open request", description: "packages/session/src/head.ts" });
const Json = z.custom<unknown>();

const Block = z.looseObject({ type: z.string() });
const Content = z
  .union([z.string().max(1_000_000), z.array(Block).max(100)])
  .describe("Text, or content blocks of the CLI. Name uploads by the id that the upload returned.");

const Watcher = z.object({ id: z.string(), name: z.string(), since: Time });
const Answer = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("allow"),
    updatedInput: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("Only for an edit that a person made and saw. Without it the server sends its own copy of the input."),
    updatedPermissions: z.array(z.custom<PermissionUpdate>(isRecord)).optional(),
    confirmed: z
      .string()
      .optional()
      .describe(
        "What the person typed to confirm. Some rules and modes need it: see [roles within a method](#roles-within-a-method).",
      ),
  }),
  z.object({ kind: z.literal("deny"), message: z.string().min(1).max(20_000), interrupt: z.boolean().optional() }),
  z.object({
    kind: z.literal("answers"),
    answers: z
      .record(z.string(), z.union([z.string(), z.array(z.string())]))
      .describe("Keyed by the text of the question. The server joins several choices for the CLI."),
    notes: z.record(z.string(), z.string()).optional(),
  }),
  z.object({
    kind: z.literal("elicitation"),
    action: z.enum(["accept", "decline", "cancel"]),
    content: Json.optional(),
  }),
  z.object({ kind: z.literal("dialog"), result: Json }),
]);

export const METHODS = {
  initialize: method(
    "Authenticates. The first call on a socket, after the server's `server/challenge`.",
    z.strictObject({
      bridge: z.number().int(),
      client: z.strictObject({ name: z.string().max(100), version: z.string().max(50) }),
      device: z
        .strictObject({ id: Id, signature: z.string().max(500) })
        .optional()
        .describe(
          "A browser signs the challenge with its device key. A program sends a bearer token in its `Authorization` header instead.",
        ),
    }),
    z.object({
      bridge: z.number(),
      server: z.object({ name: z.string(), version: z.string(), id: z.string(), startedAt: Time }),
      device: z.object({ id: z.string(), name: z.string(), role: RoleName }),
      agent: z.object({
        kind: z
          .enum(["claude", "demo"])
          .describe("`demo`: Claude Code was not found, so the built-in demo agent runs."),
        version: z.string().optional(),
        path: z.string().optional(),
        loggedIn: z.boolean().optional(),
        problem: z.string().optional(),
        chapters: z
          .array(z.object({ title: z.string(), prompt: z.string() }))
          .optional()
          .describe("Parts of the demo agent's tour. A session that starts with the prompt shows one."),
      }),
      machine: z.object({
        hostname: z.string(),
        platform: z.string(),
        home: z.string(),
        roots: z.array(z.string()).describe("Empty for roles below admin."),
      }),
      limits: z.object({ frameBytes: z.number(), uploadBytes: z.number(), sessions: z.number().optional() }),
      notice: z.string().optional().describe("Set if client and server have different versions. Explains the effect."),
    }),
  ),

  ping: method("Checks that the server is alive. A client calls it after a silence.", z.object({}), Done),

  "sessions/list": method(
    "Lists sessions: those that need a person first, then the newest. After this call the client gets `sessions/changed`.",
    z.object({
      query: z.string().max(200).optional(),
      project: Path.optional(),
      state: z.enum(["all", "live", "waiting", "ended", "archived"]).optional(),
      terminal: z
        .boolean()
        .optional()
        .describe("Includes the CLI's own transcripts of sessions that started in a terminal."),
      cursor: z.string().max(200).optional(),
      limit: z.number().int().min(1).max(500).optional(),
    }),
    z.object({ sessions: z.array(Summary), nextCursor: z.string().optional(), total: z.number() }),
  ),
  ...SEARCH_METHODS,
  ...USAGE_METHODS,
  "sessions/start": method(
    "Starts a session. `commandId` becomes its id.",
    z.object({
      ...command,
      cwd: Path,
      title: z.string().max(200).optional(),
      prompt: Content.optional(),
      uploads: z.array(Id).max(40).optional().describe("Uploads of the prompt."),
      continue: z
        .boolean()
        .optional()
        .describe(
          "Continues the latest conversation of the folder, under its own id. If Quarterdeck knows it, only model, mode, thinking and title change.",
        ),
      fromPr: z.union([z.string().max(300), z.number().int()]).optional(),
      settings: StartSettings.optional(),
      worktree: WorktreeWish.optional().describe("Starts in a new worktree of the folder's repository."),
      withoutFolderSettings: z
        .boolean()
        .optional()
        .describe("In an untrusted folder: start without its hooks, servers and settings."),
    }),
    z.object({ session: Summary }),
  ),
  "sessions/resume": method(
    "Starts a process for a stored session, or takes over a session that started in a terminal.",
    z.object({
      ...command,
      ...ofSession,
      takeOver: z
        .boolean()
        .optional()
        .describe("Ends the terminal process that has the session open, and takes the session over."),
      adopt: z
        .boolean()
        .optional()
        .describe("Takes over a session that started in a terminal, unless a process has it open (`session-held`)."),
      allowBypass: z
        .boolean()
        .optional()
        .describe("Lets this and later processes of the session switch to the mode `bypassPermissions`."),
      debugFile: z
        .string()
        .min(1)
        .max(4096)
        .nullable()
        .optional()
        .describe("This and later processes write the CLI's debug log here, inside of the roots. Null ends that."),
      settings: StartSettings.optional().describe(
        "Flags for this process only, added to those of the session. `session-live` if it has a process.",
      ),
      withoutFolderSettings: z.boolean().optional(),
    }),
    z.object({ session: Summary }),
  ),
  "sessions/fork": method(
    "Starts a session with the same past, or with the past up to one row. `commandId` becomes its id.",
    z.object({
      ...command,
      ...ofSession,
      atRow: Id.optional(),
      title: z.string().max(200).optional(),
      withoutFolderSettings: z.boolean().optional(),
    }),
    z.object({ session: Summary }),
  ),
  "sessions/close": method(
    "Ends the process. The session stays. `bySignals` is for a CLI that does not react: SIGINT, SIGTERM, SIGKILL at once.",
    z.object({
      ...command,
      ...ofSession,
      finishTurn: z.boolean().optional(),
      bySignals: z.boolean().optional(),
    }),
    Done,
  ),
  "sessions/handOver": method(
    "Ends the process, so that a terminal can continue the session. `sessions/resume` takes it back.",
    z.object({ ...command, ...ofSession, finishTurn: z.boolean().optional() }),
    z.object({ session: Summary, command: z.string().describe("For sh, bash and zsh.") }),
  ),
  "sessions/rename": method("", z.object({ ...command, ...ofSession, title: z.string().min(1).max(200) }), Done),
  "sessions/archive": method("", z.object({ ...command, ...ofSession, archived: z.boolean() }), Done),
  "sessions/delete": method(
    "Deletes log, rows, blobs and index. The CLI's own transcript stays and is listed with the terminal sessions, unless `transcript` is true.",
    z.object({
      ...command,
      ...ofSession,
      transcript: z
        .boolean()
        .optional()
        .describe("Deletes the CLI's own transcript too, also of a session that started in a terminal."),
    }),
    Done,
  ),
  ...PROJECTS_METHODS,

  "session/subscribe": method(
    "Follows one session. `ok`: the changes since the cursor. `reset`: the head and the last rows.",
    z.object({
      ...ofSession,
      cursor: Cursor.optional(),
      rows: z.number().int().min(0).max(500).optional(),
      paceMs: z
        .number()
        .int()
        .min(0)
        .max(5000)
        .optional()
        .describe("Minimum milliseconds between two frames of drafts."),
    }),
    z.object({
      status: z.enum(["ok", "reset"]),
      cursor: z.string(),
      head: HeadPatch.describe("The whole head after a reset, otherwise the fields that changed."),
      unset: z.array(z.string()),
      rows: z.array(RowValue),
      removed: z.array(z.string()),
      more: z.boolean().describe("Whether there are earlier rows."),
      drafts: z.array(DraftValue),
      watchers: z.array(Watcher),
      readOnly: z.boolean().describe("A terminal runs the session, so clients can read it but not control it."),
    }),
  ),
  "session/rows": method(
    "Returns rows before or after a place in the order, or around a row.",
    z.object({
      ...ofSession,
      before: z.number().optional(),
      after: z.number().optional(),
      around: Id.optional(),
      limit: z.number().int().min(1).max(500).optional(),
    }),
    z.object({ rows: z.array(RowValue), moreBefore: z.boolean(), moreAfter: z.boolean(), cursor: z.string() }),
  ),
  "session/find": method(
    "Finds rows of one session that contain the text, oldest first.",
    z.object({ ...ofSession, text: z.string().min(1).max(500), limit: z.number().int().min(1).max(1000).optional() }),
    z.object({
      hits: z.array(z.object({ rowId: z.string(), order: z.number(), excerpt: z.string() })),
      complete: z.boolean(),
    }),
  ),
  "session/events": method(
    "Returns facts of the log after a `seq`, or facts by number, such as the raw messages of a row.",
    z.object({
      ...ofSession,
      after: z.number().int().min(0).optional(),
      seqs: z.array(z.number().int().min(1)).max(500).optional(),
      limit: z.number().int().min(1).max(1000).optional(),
      judge: z.boolean().optional().describe("Also say which messages the protocol does not know."),
    }),
    z.object({
      events: z.array(EventValue),
      lastSeq: z.number(),
      unknown: z
        .array(z.object({ seq: z.number(), reason: z.string() }))
        .optional()
        .describe("Messages of the CLI among `events` that the protocol does not know, and why."),
      knownTypes: z.number().optional().describe("How many types of messages the protocol knows."),
    }),
  ),
  "session/unsubscribe": method("", z.object(ofSession), Done),
  "session/ack": method(
    "Acknowledges what the client has applied. Sent as a notification.",
    z.object({
      ...ofSession,
      cursor: Cursor,
      bytes: z
        .number()
        .optional()
        .describe("Characters (UTF-16 units) of this session's frames since `session/subscribe` was answered."),
    }),
    Done,
  ),

  "session/prompt": method(
    "Sends a prompt, which is durable when the call is answered. `commandId` becomes its uuid. Resumes the session if it has no process.",
    z.object({
      ...command,
      ...ofSession,
      content: Content,
      uploads: z.array(Id).max(40).optional(),
      priority: z
        .enum(["now", "next", "later"])
        .optional()
        .describe(
          "Default: added at the next tool boundary. `later`: after this turn. `now`: interrupts and runs next.",
        ),
    }),
    z.object({ uuid: z.string(), rowId: z.string() }),
  ),
  "session/editPrompt": method(
    "Changes a prompt that has not started, or sends a held prompt.",
    z.object({ ...command, ...ofSession, uuid: Id, content: Content, uploads: z.array(Id).max(40).optional() }),
    z.object({ uuid: z.string(), rowId: z.string() }),
  ),
  "session/cancelPrompt": method(
    "Withdraws a prompt that has not started.",
    z.object({ ...command, ...ofSession, uuid: Id }),
    z.object({ cancelled: z.boolean() }),
  ),
  "session/interrupt": method(
    "Interrupts the running turn. With `holdQueue`, queued prompts are held.",
    z.object({ ...command, ...ofSession, holdQueue: z.boolean().optional() }),
    z.object({ held: z.array(z.string()) }),
  ),
  "session/respond": method(
    "Answers an open request. The answer names the process incarnation and the hash of the exact input. The first answer wins.",
    z.object({
      ...command,
      ...ofSession,
      requestId: Id,
      incarnation: z.number().int(),
      inputHash: z
        .string()
        .regex(/^[0-9a-f]{64}$/u)
        .describe("SHA-256 in hex of `canonicalJson` of the request."),
      answer: Answer,
    }),
    z.object({ by: Actor, at: Time }),
  ),
  "session/request": method(
    "Sends a control request of the CLI's protocol.",
    z.object({
      ...command,
      ...ofSession,
      request: z.looseObject({ subtype: z.string().max(100) }),
      timeoutMs: z.number().int().min(1).max(600_000).optional(),
    }),
    z.object({ response: Json }),
  ),
  "session/setModel": method("", z.object({ ...command, ...ofSession, model: z.string().max(200).nullable() }), Done),
  "session/setPermissionMode": method("", z.object({ ...command, ...ofSession, mode: z.string().max(50) }), Done),
  "session/setThinking": method(
    "Sets the max thinking tokens. With null the CLI decides.",
    z.object({ ...command, ...ofSession, maxTokens: z.number().int().min(0).nullable() }),
    Done,
  ),

  "files/suggest": method(
    "Completes an @-mention: files, folders, servers and their resources.",
    z.object({
      session: Id.optional(),
      cwd: Path.optional(),
      query: z.string().max(500),
      limit: z.number().int().min(1).max(100).optional(),
      open: z.array(Path).max(20).optional().describe("Files that the person looks at. They come first among equals."),
    }),
    z.object({
      suggestions: z.array(
        z.object({
          kind: z.enum(["file", "folder", "server", "resource", "agent"]),
          value: z.string().describe("The text after the @."),
          about: z.string().optional(),
          matches: z
            .array(z.tuple([z.number(), z.number()]))
            .describe("Matched characters of `value`, as pairs of start and end."),
        }),
      ),
      incomplete: z.boolean(),
    }),
  ),
  "files/list": method(
    "Lists a folder that the device may see. Without a path: the roots for an admin; for other roles, folders with sessions and trusted folders.",
    z.object({ path: Path.optional(), hidden: z.boolean().optional() }),
    z.object({
      path: z.string().optional(),
      parent: z.string().optional(),
      entries: z.array(
        z.object({
          name: z.string(),
          path: z.string(),
          kind: z.enum(["folder", "file", "link", "other"]),
          size: z.number().optional(),
          git: z.boolean().optional(),
        }),
      ),
      truncated: z.boolean(),
    }),
  ),
  "files/read": method(
    "Reads a file in a folder that the device may see, or a path that a row of the session names. Never a hidden file (docs/serving.md).",
    z.object({
      session: Id.optional(),
      path: Path,
      maxBytes: z.number().int().min(1).max(4_000_000).optional(),
      offset: z.number().int().min(0).optional().describe("Reads on from this byte: `next` of the answer before."),
    }),
    z.object({
      path: z.string(),
      size: z.number(),
      kind: z.enum(["text", "image", "pdf", "binary"]),
      mediaType: z.string(),
      text: z.string().optional(),
      encoding: z.literal("latin-1").optional().describe("Absent: UTF-8."),
      truncated: z.boolean(),
      next: z.number().optional().describe("Where the rest of a long text begins."),
      url: z.string().optional().describe("For images and PDFs: an address that works once."),
    }),
  ),
  ...REVIEW_METHODS,
  "requests/preview": method(
    "Shows what an open request would change in the file that it names, even outside the roots.",
    z.object({ ...ofSession, requestId: Id }),
    z.object({
      kind: z.enum(["diff", "new-file", "unreadable", "none"]),
      path: z.string().optional(),
      reason: z.string().optional(),
      hunks: z.array(Hunk),
      text: z.string().optional(),
      before: z.string().optional().describe("The current file, if an editor needs it."),
    }),
  ),

  ...SETTINGS_METHODS,
  ...NOTIFY_METHODS,
  ...MCP_METHODS,
  ...RULES_METHODS,
  ...POLICIES_METHODS,

  ...GIT_METHODS,

  "tickets/create": method(
    "Creates an HTTP address that works once: `upload` (PUT), `export` of a session, `audit` of all, or `file` in the roots.",
    z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("upload"), name: z.string().max(300), size: z.number().int().min(0) }),
      z.object({ kind: z.literal("export"), ...ofSession, ...exportFields }),
      z.object({ kind: z.literal("audit"), format: z.enum(["csv", "json"]), ...AuditFilter.shape }),
      z.object({ kind: z.literal("file"), session: Id.optional(), path: Path }),
    ]),
    z.object({ url: z.string(), expiresAt: Time }),
  ),
  ...DEVICES_METHODS,
  ...FLEET_METHODS,
  ...RELAY_METHODS,
} as const;

export const NOTIFICATIONS = {
  "server/challenge": z.object({ bridge: z.number(), serverId: z.string(), nonce: z.string(), version: z.string() }),
  "server/notice": z.object({
    level: z.enum(["info", "warning", "error"]),
    code: z.enum([
      "shutting-down",
      "demo-agent",
      "agent-missing",
      "agent-ready",
      "no-room",
      "store-failing",
      "version",
      "revoked",
      "session-failed",
    ]),
    text: z.string(),
    session: z.string().optional().describe("Set if the notice is about one session."),
  }),
  "sessions/changed": z.object({ sessions: z.array(Summary), removed: z.array(z.string()) }),
  "session/changed": z.object({
    session: z.string(),
    cursor: z.string(),
    rows: z.array(RowValue).optional(),
    removed: z.array(z.string()).optional(),
    head: HeadPatch.optional(),
    unset: z.array(z.string()).optional().describe("Head fields that are now absent."),
    watchers: z.array(Watcher).optional(),
    reset: z
      .literal(true)
      .optional()
      .describe("The client is too far behind. It must subscribe again without a cursor."),
  }),
  "session/draft": z.object({
    session: z.string(),
    drafts: z.array(DraftValue),
    ended: z.array(z.string()).optional().describe("Drafts that ended without a row."),
  }),
  ...FLEET_NOTIFICATIONS,
  ...RELAY_NOTIFICATIONS,
} as const;

export { HeadValue, RequestValue };
export type BridgeAnswer = z.output<typeof Answer>;
export type { CliRequest };
