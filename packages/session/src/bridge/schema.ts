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
import { GIT_METHODS, WorktreeMark, WorktreeWish } from "./git-schema.ts";
import { command, Done, Hunk, Id, method, ofSession, Path, Time } from "./shapes.ts";
import { StartSettings } from "./start-settings.ts";

const Cursor = z.string().regex(/^[\w-]{1,64}:\d{1,15}$/u, "A cursor has the form epoch:rev.");

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
  .describe("Text, or content blocks of the CLI. Name uploads by the id that the upload returned.");

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
    .describe("The tool and its subject in a few words, shortened from the real input. Not enough to decide on."),
  tool: z.string().optional(),
});

const Summary = z.object({
  id: z.string(),
  title: z.string().optional(),
  cwd: z.string(),
  project: z.string().describe("The root of the repository, if the folder is in one."),
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
  lastText: z.string().optional().describe("The end of the conversation, shortened."),
  lastOrder: z.number().describe("Grows with every row. A client can store it to know what is unread."),
  watching: z.number(),
  origin: z
    .enum(["quarterdeck", "terminal"])
    .describe(
      "`terminal`: a transcript of the CLI that Quarterdeck does not manage yet. `sessions/resume` takes it over.",
    ),
  held: z.boolean().describe("A terminal has the session open now."),
  changes: z
    .object({ files: z.number(), added: z.number(), removed: z.number() })
    .optional()
    .describe("What the session has changed in its folder, by tools and commands. Absent without snapshots."),
  forkOf: z.string().optional(),
  worktree: WorktreeMark.optional().describe("Set if the session works in a worktree that Quarterdeck made."),
});

const Watcher = z.object({ id: z.string(), name: z.string(), since: Time });
const Inspection = z.object({
  folder: z.string(),
  exists: z.boolean(),
  trust: z.enum(["trusted", "changed", "unknown"]),
  hash: z
    .string()
    .describe(
      "Hash of the contents below, because trust covers only what was seen. Empty for devices below admin, which cannot trust.",
    ),
  files: z
    .array(
      z.object({
        path: z.string(),
        kind: z
          .enum(["file", "binary", "link-outside", "folder", "special", "too-large", "too-many", "unreadable"])
          .describe("What is at the path. A folder can be trusted only if every entry is `file` or `binary`."),
        runsSomething: z.boolean(),
        runs: z.array(z.string()).describe("What the file would run, as written in it. Empty for devices below admin."),
        text: z.string().optional().describe("Only for admins, and only for a `file`."),
      }),
    )
    .describe("Files that the CLI would use. Devices below admin get names and kinds."),
  obstacle: z.string().optional().describe("Why the folder cannot be trusted now, and what to do."),
  runs: z.boolean(),
  git: z.object({ root: z.string(), branch: z.string().optional(), dirty: z.boolean() }).optional(),
});

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

const usageSum = {
  costUsd: z.number(),
  turns: z.number(),
  apiMs: z.number(),
  byModel: z.record(
    z.string(),
    z.object({
      input: z.number(),
      output: z.number(),
      cacheRead: z.number(),
      cacheWrite: z.number(),
      costUsd: z.number(),
    }),
  ),
};
// Reviews.

const Against = z
  .enum(["start", "head"])
  .describe("`start`: snapshots of the session. `head`: the last commit of git.");
const scope = {
  against: Against.optional().describe("Default: `head`, or `start` if a turn is named."),
  turn: Id.optional().describe("The id of a prompt: only what changed in its turn."),
};
const Origin = z
  .enum(["tool", "shell", "outside"])
  .describe("An edit tool of the session, a command of the session, or a person or another session.");
const Counts = z.object({ files: z.number(), added: z.number(), removed: z.number() });
const HunkPlace = z.object({
  oldStart: z.number().int(),
  oldLines: z.number().int(),
  newStart: z.number().int(),
  newLines: z.number().int(),
});
const revert = {
  path: Path,
  ...scope,
  hunk: HunkPlace.optional().describe("The place of the hunk in the diff. Without it: the whole file."),
  version: z.string().max(100).optional().describe("Of the diff that was shown. If it is another now: `changed`."),
};
const rewind = {
  prompt: Id,
  what: z.enum(["code", "conversation", "both"]),
  outside: z
    .enum(["also", "only"])
    .optional()
    .describe("Files that others changed too are left alone. `also` restores them, `only` restores nothing else."),
  keep: z.array(Path).max(2000).optional().describe("Files that stay as they are."),
};
const Left = z.object({ path: z.string().optional(), reason: z.string(), by: z.array(Origin).optional() });
const Plan = z.object({
  files: z.array(
    z.object({
      path: z.string(),
      action: z.enum(["write", "create", "remove"]),
      added: z.number().optional(),
      removed: z.number().optional(),
      by: z.array(Origin),
    }),
  ),
  left: z
    .array(Left)
    .describe("Files that would stay as they are, and why. A file that the device may not see has no path."),
});
const Restored = z.object({
  id: z.string().optional().describe("For the undo. Absent if no file was changed."),
  done: z.array(z.string()),
  left: z.array(Left),
});

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
  "usage/report": method(
    "What sessions cost, by day, project, model and session. A fork counts its own turns only.",
    z.object({
      from: z.number().optional().describe("Milliseconds. Whole hours count."),
      to: z.number().optional(),
      project: Path.optional(),
      timeZone: z.string().max(64).optional().describe("An IANA name, for the borders of days. Default: the server's."),
      limit: z.number().int().min(1).max(1000).optional().describe("Most sessions that are named. Default: 100."),
    }),
    z.object({
      total: z.object(usageSum),
      days: z.array(z.object({ day: z.string().describe("`2026-11-18`"), ...usageSum })),
      projects: z.array(z.object({ path: z.string(), ...usageSum })),
      sessions: z.array(
        z.object({
          id: z.string(),
          title: z.string().optional(),
          project: z.string(),
          forkOf: z.string().optional(),
          ...usageSum,
        }),
      ),
      sessionCount: z.number(),
    }),
  ),
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
    "Ends the process. The session stays.",
    z.object({ ...command, ...ofSession, finishTurn: z.boolean().optional() }),
    Done,
  ),
  "sessions/rename": method("", z.object({ ...command, ...ofSession, title: z.string().min(1).max(200) }), Done),
  "sessions/archive": method("", z.object({ ...command, ...ofSession, archived: z.boolean() }), Done),
  "sessions/delete": method(
    "Deletes log, rows, blobs and index. The CLI's own transcript stays, and is listed with the terminal sessions.",
    z.object({ ...command, ...ofSession }),
    Done,
  ),
  "projects/list": method(
    "Lists folders with sessions, including terminal sessions, newest first.",
    z.object({}),
    z.object({
      projects: z.array(
        z.object({ path: z.string(), name: z.string(), sessions: z.number(), live: z.number(), lastAt: Time }),
      ),
    }),
  ),
  "projects/inspect": method(
    "Shows what the folder would run, and whether it is trusted.",
    z.object({ cwd: Path }),
    Inspection,
  ),
  "projects/trust": method(
    "Trusts the folder as it was shown (`hash` of `projects/inspect`), or revokes trust.",
    z.object({ ...command, cwd: Path, hash: z.string(), trusted: z.boolean() }),
    Inspection,
  ),

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
  "changes/list": method(
    "Lists the files that changed: since the session's start or in one turn (from snapshots), or since git's last commit.",
    z.object({ ...ofSession, ...scope }),
    z.object({
      against: Against,
      git: z.object({ root: z.string(), branch: z.string().optional(), head: z.string().optional() }).optional(),
      files: z.array(
        z.object({
          path: z.string(),
          from: z.string().optional().describe("The old path of a renamed file."),
          status: z.enum(["added", "modified", "deleted", "renamed", "untracked", "unchanged"]),
          added: z.number().optional().describe("Lines. Absent for a binary file."),
          removed: z.number().optional(),
          binary: z.boolean().optional(),
          generated: z.boolean().optional().describe("By its name, a tool writes this file, such as a lock file."),
          submodule: z.boolean().optional().describe("A repository inside of this one, at another commit now."),
          version: z.string().optional().describe("Names the contents of both sides."),
          by: z.array(Origin).describe("Who changed it, as far as snapshots tell. Empty: unknown."),
          bySession: z.boolean(),
          inGit: z.boolean().describe("Git's last commit, or `git add`, knows the difference."),
        }),
      ),
      totals: Counts.describe("Of the files that the session changed itself; against `head`, of all files."),
      turns: z
        .array(
          z.object({
            prompts: z.array(z.string()).describe("Ids of the prompts that the turn answered."),
            at: Time,
            endedAt: Time.optional(),
            totals: Counts,
          }),
        )
        .describe("Turns that have snapshots, oldest first."),
      notes: z.array(
        z.object({
          kind: z.enum([
            "off",
            "problem",
            "late",
            "ignored",
            "repositories",
            "large",
            "unreadable",
            "special",
            "hidden",
          ]),
          text: z.string(),
          paths: z.array(z.string()).optional().describe("Some of the paths, relative to the session's folder."),
        }),
      ),
      truncated: z.boolean().describe("There are more files than the list has."),
    }),
  ),
  "changes/diff": method(
    "Returns the changes of one file, in the same scope as `changes/list`.",
    z.object({
      ...ofSession,
      path: Path,
      ...scope,
      whitespace: z.enum(["show", "ignore"]).optional(),
    }),
    z.object({
      path: z.string(),
      from: z.string().optional(),
      kind: z.enum(["diff", "new-file", "deleted", "binary", "none"]),
      hunks: z.array(Hunk),
      truncated: z.boolean(),
      version: z.string().optional().describe("Names both sides. `revert/apply` compares it."),
    }),
  ),
  "changes/content": method(
    "Returns one side of a changed file, for images and notebooks.",
    z.object({
      ...ofSession,
      path: Path,
      ...scope,
      side: z.enum(["before", "after"]),
      maxBytes: z.number().int().min(1).max(4_000_000).optional(),
    }),
    z.object({
      exists: z.boolean(),
      size: z.number(),
      kind: z.enum(["text", "image", "pdf", "binary"]),
      mediaType: z.string(),
      text: z.string().optional(),
      truncated: z.boolean(),
      url: z.string().optional().describe("For images and PDFs: an address that works once."),
    }),
  ),
  "changes/patch": method(
    "Returns the changes as a patch that `git apply` takes in the session's folder.",
    z.object({ ...ofSession, ...scope, paths: z.array(Path).max(2000).optional() }),
    z.object({
      patch: z.string().optional().describe("Absent if it is long or not UTF-8: use the address."),
      bytes: z.number(),
      files: z.number(),
      url: z.string().describe("An address that works once."),
    }),
  ),
  "revert/preview": method(
    "Says what a revert of a file, or of one hunk of its diff, would do.",
    z.object({ ...ofSession, ...revert }),
    Plan,
  ),
  "revert/apply": method(
    "Reverts a file, or one hunk of its diff. `commandId` becomes the id for the undo.",
    z.object({ ...command, ...ofSession, ...revert }),
    Restored,
  ),
  "revert/undo": method(
    "Undoes a revert, or an undo. Files that changed since are left alone.",
    z.object({ ...command, ...ofSession, id: Id }),
    Restored,
  ),
  "rewind/preview": method(
    "Says what a rewind to a prompt would do: to the state before the prompt was sent.",
    z.object({ ...ofSession, ...rewind }),
    Plan.extend({
      canRewindCode: z.boolean().describe("The prompt has a snapshot."),
      running: z.boolean().describe("A turn is running, so a rewind is refused now."),
      rows: z.number().describe("Rows of the conversation from the prompt on."),
    }),
  ),
  "rewind/apply": method(
    "Rewinds to a prompt. For the conversation, a fork continues before the prompt and this session stays as it is. `commandId` becomes the id for the undo, and of the fork.",
    z.object({ ...command, ...ofSession, ...rewind }),
    Restored.extend({ session: Summary.optional().describe("The fork that continues the conversation.") }),
  ),
  "rewind/undo": method(
    "Undoes the code part of a rewind, or an undo. Files that changed since are left alone.",
    z.object({ ...command, ...ofSession, id: Id }),
    Restored,
  ),
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
    "Creates a pairing link that works once, within two minutes.",
    z.object({ ...command, role: RoleName, name: z.string().max(100).optional() }),
    z.object({ link: z.string(), code: z.string(), expiresAt: Time }),
  ),
  "devices/reach": method(
    "Says whether other machines can reach the address of pairing links, and if not, what Tailscale on this machine would need.",
    z.object({}),
    z.object({
      origin: z.string(),
      fromOutside: z.boolean().describe("The address uses HTTPS and is not this machine's own."),
      tailscale: z.object({ name: z.string(), isServed: z.boolean() }).optional(),
      commands: z.array(z.string()).describe("For a terminal on the server's machine."),
    }),
  ),
  "devices/addToken": method(
    "Creates a bearer token for a program. It is shown only once.",
    z.object({ ...command, role: RoleName, name: z.string().min(1).max(100) }),
    z.object({ id: z.string(), token: z.string() }),
  ),
  "devices/revoke": method(
    "Revokes a device and closes its sockets within a second.",
    z.object({ ...command, id: Id }),
    Done,
  ),
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
} as const;

export { HeadValue, RequestValue };
export type BridgeAnswer = z.output<typeof Answer>;
export type { CliRequest };
