// The bridge's source of truth: every call and notification with its shape. Only the server loads
// this, to decode each call once; `docs/bridge.md` and the JSON Schemas are generated from it. Unknown fields are ignored,
// except in `initialize`: who declares a privilege there is refused.

import { z } from "zod";
import { isRecord } from "@quarterdeck/protocol";
import type { CliRequest, PermissionUpdate } from "@quarterdeck/protocol";
import type { Event } from "../event.ts";
import type { Head, OpenRequest } from "../head.ts";
import type { Row } from "../row.ts";
import type { DraftPiece } from "./draft-piece.ts";
import { StartSettings } from "./start-settings.ts";

const Id = z.string().min(1).max(200);
const Uuid = z.uuid();
const Time = z.number();
const Path = z
  .string()
  .min(1)
  .max(4096)
  .refine((path) => !path.includes("\0"), "A path has no NUL.");
const CommandId = Uuid.describe(
  "Made by the client, one for each thing it wants done. A resend returns the recorded outcome; it happens once.",
);
const Cursor = z.string().regex(/^[\w-]{1,64}:\d{1,15}$/u, "A cursor is epoch:rev.");

const RoleName = z.enum(["view", "answer", "operate", "admin"]);
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
  .describe("Text, or blocks as the CLI takes them; uploads are named by the id that the upload returned.");

const Phase = z.enum([
  "starting",
  "ready",
  "thinking",
  "streaming",
  "tool",
  "awaiting",
  "compacting",
  "retrying",
  "idle",
  "error",
  "ended",
  "died",
]);

const Waiting = z.object({
  id: z.string(),
  kind: z.enum(["permission", "question", "plan", "elicitation", "dialog", "hook", "mcp"]),
  at: Time,
  about: z
    .string()
    .describe("A few words: the tool and what it is about. From the real input, cut; never enough to decide on."),
  tool: z.string().optional(),
});

const Summary = z.object({
  id: z.string(),
  title: z.string().optional(),
  cwd: z.string(),
  project: z.string().describe("The repository's root where the folder is in one."),
  createdAt: Time,
  updatedAt: Time,
  archived: z.boolean(),
  live: z.boolean(),
  phase: Phase,
  since: Time,
  lastEventAt: Time,
  model: z.string().optional(),
  mode: z.string().optional(),
  costUsd: z.number(),
  contextShare: z.number().optional(),
  waiting: z.array(Waiting),
  queued: z.number(),
  tasks: z.number(),
  lastText: z.string().optional().describe("The last words of the conversation, cut."),
  lastOrder: z.number().describe("Rises with every row; a client that remembers it knows what is unread."),
  watching: z.number(),
  origin: z
    .enum(["quarterdeck", "terminal"])
    .describe("`terminal`: the CLI's own transcript, not ours yet; `sessions/resume` takes it over."),
  held: z.boolean().describe("A terminal has it open now."),
  forkOf: z.string().optional(),
});

const Watcher = z.object({ id: z.string(), name: z.string(), since: Time });
const Hunk = z.object({
  oldStart: z.number(),
  oldLines: z.number(),
  newStart: z.number(),
  newLines: z.number(),
  lines: z.array(z.string()).describe("As in a `structuredPatch`: each begins with a space, `+` or `-`."),
});

const Inspection = z.object({
  folder: z.string(),
  exists: z.boolean(),
  trust: z.enum(["trusted", "changed", "unknown"]),
  hash: z
    .string()
    .describe(
      "Of the contents below: trust is given to what was seen. Empty for devices that may not trust (below admin).",
    ),
  files: z
    .array(
      z.object({
        path: z.string(),
        kind: z
          .enum(["file", "binary", "link-outside", "folder", "special", "too-large", "too-many", "unreadable"])
          .describe("What is at the path. A folder with anything but `file` and `binary` in it cannot be trusted."),
        runsSomething: z.boolean(),
        runs: z.array(z.string()).describe("What it would run, in its own words. Empty for devices below admin."),
        text: z.string().optional().describe("Only for admins, and only of a `file`."),
      }),
    )
    .describe("Files that the CLI would act on. Devices below admin get names and kinds."),
  obstacle: z.string().optional().describe("Why nobody can trust the folder as it stands, and what to do."),
  runs: z.boolean(),
  git: z.object({ root: z.string(), branch: z.string().optional(), dirty: z.boolean() }).optional(),
});

const Answer = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("allow"),
    updatedInput: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("Only an edit that a person made and saw; without it the server sends its own copy of what was asked."),
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
      .describe("By the question's text; several choices are joined as the CLI wants them."),
    notes: z.record(z.string(), z.string()).optional(),
  }),
  z.object({
    kind: z.literal("elicitation"),
    action: z.enum(["accept", "decline", "cancel"]),
    content: Json.optional(),
  }),
  z.object({ kind: z.literal("dialog"), result: Json }),
]);

const method = <P extends z.ZodType, R extends z.ZodType>(about: string, params: P, result: R) => ({
  about,
  params,
  result,
});
const Done = z.object({});
const ofSession = { session: Id };
const command = { commandId: CommandId };

export const METHODS = {
  initialize: method(
    "Comes in. First call on a socket; the server's `server/challenge` precedes it.",
    z.strictObject({
      bridge: z.number().int(),
      client: z.strictObject({ name: z.string().max(100), version: z.string().max(50) }),
      device: z
        .strictObject({ id: Id, signature: z.string().max(500) })
        .optional()
        .describe(
          "A browser's device key over the challenge. A program has a bearer token in its `Authorization` header instead.",
        ),
    }),
    z.object({
      bridge: z.number(),
      server: z.object({ name: z.string(), version: z.string(), id: z.string(), startedAt: Time }),
      device: z.object({ id: z.string(), name: z.string(), role: RoleName }),
      agent: z.object({
        kind: z.enum(["claude", "demo"]).describe("`demo`: no CLI was found, the built-in agent plays."),
        version: z.string().optional(),
        path: z.string().optional(),
        loggedIn: z.boolean().optional(),
        problem: z.string().optional(),
      }),
      machine: z.object({
        hostname: z.string(),
        platform: z.string(),
        home: z.string(),
        roots: z.array(z.string()).describe("Empty for roles below admin."),
      }),
      limits: z.object({ frameBytes: z.number(), uploadBytes: z.number(), sessions: z.number().optional() }),
      notice: z.string().optional().describe("Set where client and server differ in version, and what that means."),
    }),
  ),

  ping: method("Is anybody there? A client that hears nothing asks.", z.object({}), Done),

  "sessions/list": method(
    "Sessions, what waits for a person first, then the newest. Afterwards `sessions/changed` tells this client of changes.",
    z.object({
      query: z.string().max(200).optional(),
      project: Path.optional(),
      state: z.enum(["all", "live", "waiting", "ended", "archived"]).optional(),
      terminal: z.boolean().optional().describe("Also the CLI's own transcripts, begun in a terminal."),
      cursor: z.string().max(200).optional(),
      limit: z.number().int().min(1).max(500).optional(),
    }),
    z.object({ sessions: z.array(Summary), nextCursor: z.string().optional(), total: z.number() }),
  ),
  "sessions/search": method(
    "Full text over all sessions.",
    z.object({ query: z.string().min(1).max(200), limit: z.number().int().min(1).max(200).optional() }),
    z.object({ hits: z.array(z.object({ session: z.string(), rowId: z.string(), excerpt: z.string() })) }),
  ),
  "sessions/start": method(
    "A new session. `commandId` becomes its id.",
    z.object({
      ...command,
      cwd: Path,
      title: z.string().max(200).optional(),
      prompt: Content.optional(),
      uploads: z.array(Id).max(40).optional().describe("Of the prompt."),
      continue: z
        .boolean()
        .optional()
        .describe(
          "Goes on with the newest conversation of the folder, under the id that it has. Of one that is known here, model, mode, thinking and title change; other settings stay.",
        ),
      fromPr: z.union([z.string().max(300), z.number().int()]).optional(),
      settings: StartSettings.optional(),
      withoutFolderSettings: z
        .boolean()
        .optional()
        .describe("In a folder that is not trusted: start without its own hooks, servers and settings."),
    }),
    z.object({ session: Summary }),
  ),
  "sessions/resume": method(
    "Gives a stored session a process again, or takes over one that was begun in a terminal.",
    z.object({
      ...command,
      ...ofSession,
      takeOver: z.boolean().optional().describe("Ends the terminal that has the session open, and takes the session."),
      adopt: z
        .boolean()
        .optional()
        .describe("Takes a session that a terminal began, unless a process has it open (`session-held`)."),
      withoutFolderSettings: z.boolean().optional(),
    }),
    z.object({ session: Summary }),
  ),
  "sessions/fork": method(
    "A new session with the same past, or with its past up to one row. `commandId` becomes its id.",
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
    "Ends the process; the session stays.",
    z.object({ ...command, ...ofSession, finishTurn: z.boolean().optional() }),
    Done,
  ),
  "sessions/rename": method("", z.object({ ...command, ...ofSession, title: z.string().min(1).max(200) }), Done),
  "sessions/archive": method("", z.object({ ...command, ...ofSession, archived: z.boolean() }), Done),
  "sessions/delete": method(
    "Really deletes: log, rows, blobs, index. What the CLI itself wrote down stays its own: it is listed among the terminal's sessions.",
    z.object({ ...command, ...ofSession }),
    Done,
  ),
  "projects/list": method(
    "Folders with sessions, ours and the terminal's, newest first.",
    z.object({}),
    z.object({
      projects: z.array(
        z.object({ path: z.string(), name: z.string(), sessions: z.number(), live: z.number(), lastAt: Time }),
      ),
    }),
  ),
  "projects/inspect": method(
    "What the folder would run by itself, and whether it is trusted.",
    z.object({ cwd: Path }),
    Inspection,
  ),
  "projects/trust": method(
    "Trusts the folder as it was seen (`hash` of `projects/inspect`), or takes trust back.",
    z.object({ ...command, cwd: Path, hash: z.string(), trusted: z.boolean() }),
    Inspection,
  ),

  "session/subscribe": method(
    "Follows one session. `ok`: what changed since the cursor. `reset`: the head and the last rows.",
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
        .describe("At least so many milliseconds between two frames of drafts."),
    }),
    z.object({
      status: z.enum(["ok", "reset"]),
      cursor: z.string(),
      head: HeadPatch.describe("The whole head at a reset, else the fields that changed."),
      unset: z.array(z.string()),
      rows: z.array(RowValue),
      removed: z.array(z.string()),
      more: z.boolean().describe("Whether there are rows before the first."),
      drafts: z.array(DraftValue),
      watchers: z.array(Watcher),
      readOnly: z.boolean().describe("Followed while a terminal runs it: it can be read, not steered."),
    }),
  ),
  "session/rows": method(
    "Rows before a place in the order, or around a row.",
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
    "Rows of one session that contain the text, oldest first.",
    z.object({ ...ofSession, text: z.string().min(1).max(500), limit: z.number().int().min(1).max(1000).optional() }),
    z.object({
      hits: z.array(z.object({ rowId: z.string(), order: z.number(), excerpt: z.string() })),
      complete: z.boolean(),
    }),
  ),
  "session/events": method(
    "Facts of the log after a `seq`, or those with these numbers: the raw messages of a row.",
    z.object({
      ...ofSession,
      after: z.number().int().min(0).optional(),
      seqs: z.array(z.number().int().min(1)).max(500).optional(),
      limit: z.number().int().min(1).max(1000).optional(),
    }),
    z.object({ events: z.array(EventValue), lastSeq: z.number() }),
  ),
  "session/unsubscribe": method("", z.object(ofSession), Done),
  "session/ack": method(
    "What the client has applied. Sent as a notification.",
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
    "Durable when answered. `commandId` becomes the prompt's uuid. Resumes the session if it has no process.",
    z.object({
      ...command,
      ...ofSession,
      content: Content,
      uploads: z.array(Id).max(40).optional(),
      priority: z
        .enum(["now", "next", "later"])
        .optional()
        .describe(
          "Absent: folds in at the next tool boundary. `later`: after this turn. `now`: interrupts and runs next.",
        ),
    }),
    z.object({ uuid: z.string(), rowId: z.string() }),
  ),
  "session/editPrompt": method(
    "Changes a prompt that has not begun, or sends a held one.",
    z.object({ ...command, ...ofSession, uuid: Id, content: Content, uploads: z.array(Id).max(40).optional() }),
    z.object({ uuid: z.string(), rowId: z.string() }),
  ),
  "session/cancelPrompt": method(
    "Takes a prompt back that has not begun.",
    z.object({ ...command, ...ofSession, uuid: Id }),
    z.object({ cancelled: z.boolean() }),
  ),
  "session/interrupt": method(
    "Ends the running turn. `holdQueue` gives queued prompts back as held drafts.",
    z.object({ ...command, ...ofSession, holdQueue: z.boolean().optional() }),
    z.object({ held: z.array(z.string()) }),
  ),
  "session/respond": method(
    "Answers an open request. Bound to the process incarnation and to the hash of the exact input; the first answer wins.",
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
    "A control request of the CLI's protocol.",
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
    "Thinking tokens at most; null lets the CLI decide.",
    z.object({ ...command, ...ofSession, maxTokens: z.number().int().min(0).nullable() }),
    Done,
  ),

  "files/suggest": method(
    "Completion of an @-mention: files, folders, servers and their resources.",
    z.object({
      session: Id.optional(),
      cwd: Path.optional(),
      query: z.string().max(500),
      limit: z.number().int().min(1).max(100).optional(),
    }),
    z.object({
      suggestions: z.array(
        z.object({
          kind: z.enum(["file", "folder", "server", "resource", "agent"]),
          value: z.string().describe("What stands after the @."),
          about: z.string().optional(),
          matches: z
            .array(z.tuple([z.number(), z.number()]))
            .describe("Which characters of `value` matched: pairs of start and end."),
        }),
      ),
      incomplete: z.boolean(),
    }),
  ),
  "files/list": method(
    "A folder that the device sees. Without a path: the roots for an admin, for other roles the folders of sessions and of trusted projects.",
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
    "A file in a folder that the device sees, or a path that the session's own rows name. Never a hidden one (docs/serving.md).",
    z.object({ session: Id.optional(), path: Path, maxBytes: z.number().int().min(1).max(4_000_000).optional() }),
    z.object({
      path: z.string(),
      size: z.number(),
      kind: z.enum(["text", "image", "pdf", "binary"]),
      mediaType: z.string(),
      text: z.string().optional(),
      truncated: z.boolean(),
      url: z.string().optional().describe("Of images and PDFs: a one-use address."),
    }),
  ),
  "changes/list": method(
    "What this session and git say changed.",
    z.object(ofSession),
    z.object({
      git: z.object({ root: z.string(), branch: z.string().optional(), head: z.string().optional() }).optional(),
      files: z.array(
        z.object({
          path: z.string(),
          status: z.enum(["added", "modified", "deleted", "renamed", "untracked", "unchanged"]),
          added: z.number().optional(),
          removed: z.number().optional(),
          bySession: z.boolean(),
          inGit: z.boolean(),
        }),
      ),
    }),
  ),
  "changes/diff": method(
    "One file's change against git's HEAD, or as this session made it.",
    z.object({ ...ofSession, path: Path }),
    z.object({
      path: z.string(),
      kind: z.enum(["diff", "new-file", "deleted", "binary", "none"]),
      hunks: z.array(Hunk),
      truncated: z.boolean(),
    }),
  ),
  "requests/preview": method(
    "What the one path of an open request would become, even outside the roots.",
    z.object({ ...ofSession, requestId: Id }),
    z.object({
      kind: z.enum(["diff", "new-file", "unreadable", "none"]),
      path: z.string().optional(),
      reason: z.string().optional(),
      hunks: z.array(Hunk),
      text: z.string().optional(),
      before: z.string().optional().describe("The file as it is, where an editor needs it."),
    }),
  ),

  "tickets/create": method(
    "A one-use address for HTTP: `upload` (PUT), `export` of a session, `file` of the roots.",
    z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("upload"), name: z.string().max(300), size: z.number().int().min(0) }),
      z.object({
        kind: z.literal("export"),
        ...ofSession,
        format: z.enum(["ndjson", "markdown", "html", "ccpocket"]),
      }),
      z.object({ kind: z.literal("file"), session: Id.optional(), path: Path }),
    ]),
    z.object({ url: z.string(), expiresAt: Time }),
  ),
  "devices/list": method(
    "",
    z.object({}),
    z.object({
      devices: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          kind: z.enum(["browser", "program"]),
          role: RoleName,
          createdAt: Time,
          lastSeenAt: Time.optional(),
          connected: z.number(),
        }),
      ),
    }),
  ),
  "devices/pair": method(
    "A pairing link: one use, two minutes.",
    z.object({ ...command, role: RoleName, name: z.string().max(100).optional() }),
    z.object({ link: z.string(), code: z.string(), expiresAt: Time }),
  ),
  "devices/addToken": method(
    "A bearer token for a program; shown this once.",
    z.object({ ...command, role: RoleName, name: z.string().min(1).max(100) }),
    z.object({ id: z.string(), token: z.string() }),
  ),
  "devices/revoke": method("Closes its sockets within a second.", z.object({ ...command, id: Id }), Done),
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
    session: z.string().optional().describe("Where it is about one."),
  }),
  "sessions/changed": z.object({ sessions: z.array(Summary), removed: z.array(z.string()) }),
  "session/changed": z.object({
    session: z.string(),
    cursor: z.string(),
    rows: z.array(RowValue).optional(),
    removed: z.array(z.string()).optional(),
    head: HeadPatch.optional(),
    unset: z.array(z.string()).optional().describe("Head fields that are gone."),
    watchers: z.array(Watcher).optional(),
    reset: z
      .literal(true)
      .optional()
      .describe("The client fell so far behind that it must begin anew: subscribe again without a cursor."),
  }),
  "session/draft": z.object({
    session: z.string(),
    drafts: z.array(DraftValue),
    ended: z.array(z.string()).optional().describe("Drafts that ended without a row."),
  }),
} as const;

export { HeadValue, RequestValue };
export type BridgeAnswer = z.output<typeof Answer>;
export type { CliRequest };
