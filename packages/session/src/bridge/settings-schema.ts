// The methods of settings: those of one session, defaults for new sessions, budgets, and the settings of the server.

import { z } from "zod";
import { command, Done, Id, method, ofSession, Path, Time } from "./shapes.ts";

const Word = z.string().min(1).max(200);
const Amount = z.number().positive().max(1_000_000);

/** What a new session starts with, if its starter names nothing else. */
const Defaults = z.object({
  model: Word.optional(),
  effort: Word.optional(),
  permissionMode: Word.optional(),
  maxThinkingTokens: z.number().int().min(0).max(1_000_000).optional(),
  maxTurns: z.number().int().min(1).max(1_000_000).optional(),
  maxBudgetUsd: Amount.optional(),
});

const Budget = z.object({
  dayUsd: Amount.optional().describe("For all sessions together, from midnight to midnight on the server's clock."),
  eachUsd: Amount.optional().describe("For each session that has no budget of its own."),
  spentTodayUsd: z.number(),
  session: z
    .object({
      limitUsd: Amount.optional().describe("What holds for the session: its own budget, or the one for each session."),
      isOwn: z.boolean().describe("The session has its own budget, or was freed of the one for each session."),
      spentUsd: z.number(),
    })
    .optional(),
});

const Retention = z.object({
  days: z.number().int().min(1).max(36_500).nullable().describe("Null: nothing is deleted by itself."),
  onlyArchived: z.boolean(),
});

const Doomed = z.object({
  count: z.number(),
  bytes: z.number(),
  sessions: z.array(z.object({ id: z.string(), title: z.string().optional(), cwd: z.string(), usedAt: Time })),
});

export const SETTINGS_METHODS = {
  "session/settings": method(
    "The start options of the session that clients may set, and where it runs.",
    z.object(ofSession),
    z.object({
      cwd: z.string(),
      withoutFolderSettings: z.boolean(),
      started: Defaults.extend({
        fallbackModel: Word.optional(),
        agent: z.string().optional(),
        fastMode: z.string().optional(),
        thinking: z.string().optional(),
        autocompact: z.string().optional(),
        addDir: z.array(z.string()).optional(),
        tools: z.array(z.string()).optional(),
        disallowedTools: z.array(z.string()).optional(),
      }),
    }),
  ),

  "defaults/get": method(
    "The defaults of new sessions: for all projects, and for the project of a folder. Those of the project come first.",
    z.object({ cwd: Path.optional() }),
    z.object({
      all: Defaults,
      project: z.object({ path: z.string(), settings: Defaults }).optional(),
    }),
  ),
  "defaults/set": method(
    "Sets the defaults of new sessions. Running sessions keep theirs. Clients fill in the values; a start names what it wants.",
    z.object({
      ...command,
      cwd: Path.optional().describe("A folder of the project. Without it: all."),
      settings: Defaults,
    }),
    Done,
  ),

  "budgets/get": method("The budgets, and what was spent.", z.object({ session: Id.optional() }), Budget),
  "budgets/set": method(
    "Sets budgets. Null removes one. For a session, null frees it of the budget for each session.",
    z.object({
      ...command,
      dayUsd: Amount.nullable().optional(),
      eachUsd: Amount.nullable().optional(),
      session: Id.optional(),
      limitUsd: Amount.nullable().optional().describe("The budget of `session`."),
    }),
    Budget,
  ),

  "server/settings": method(
    "How the server is set up: folders, limits, retention, and the names of variables that sessions get.",
    z.object({}),
    z.object({
      version: z.string(),
      startedAt: Time,
      dataDir: z.string(),
      configDir: z.string().describe("The configuration folder of Claude Code."),
      roots: z.array(z.string()),
      limits: z.object({
        sessions: z.number().optional(),
        live: z.number(),
        waiting: z.number(),
        frameBytes: z.number(),
        uploadBytes: z.number(),
      }),
      environment: z.array(z.string()).describe("Names of the variables that sessions get. Never their values."),
      variables: z
        .array(z.object({ folder: z.string(), names: z.array(z.string()) }))
        .describe("Variables that sessions in a folder get in addition. Never their values."),
      trusted: z.array(
        z.object({
          folder: z.string(),
          at: Time.optional().describe("Absent for a folder that an older version recorded."),
          files: z.array(z.string()).describe("The files that were trusted with it. At most 200."),
          exists: z.boolean(),
        }),
      ),
      stored: z.object({ sessions: z.number(), bytes: z.number() }),
      retention: Retention.extend({
        last: z.object({ at: Time, deleted: z.number() }).optional().describe("When it last deleted sessions."),
      }),
    }),
  ),
  "server/setVariable": method(
    "Sets a variable for new sessions in a folder and below it. Null removes it. Its value is never returned.",
    z.object({ ...command, folder: Path, name: z.string().max(200), value: z.string().max(100_000).nullable() }),
    Done,
  ),
  "server/revokeTrust": method(
    "Takes back that a folder is trusted. Works for folders that are gone, too.",
    z.object({ ...command, folder: Path }),
    Done,
  ),
  "server/planRetention": method("Says what a retention would delete now.", Retention, Doomed),
  "server/setRetention": method(
    "Sets how long ended sessions are kept, and deletes the older ones at once, then every few hours. Deletes logs and attachments, never project files or the transcripts of Claude Code.",
    z.object({ ...command, ...Retention.shape }),
    z.object({ deleted: z.number() }),
  ),
} as const;
