// A session in the list.

import { z } from "zod";
import { WorktreeMark } from "./git-schema.ts";
import { Phase, RequestKind, Time } from "./shapes.ts";

const Waiting = z.object({
  id: z.string(),
  kind: RequestKind,
  at: Time,
  about: z
    .string()
    .describe("The tool and its subject in a few words, shortened from the real input. Not enough to decide on."),
  tool: z.string().optional(),
  quick: z
    .object({ line: z.string(), incarnation: z.number().int(), inputHash: z.string() })
    .optional()
    .describe(
      "The whole request in one line, if it is short and harmless. A list may answer it with the incarnation and the hash.",
    ),
});

export const Summary = z.object({
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
  handedOver: z
    .object({ at: Time, command: z.string() })
    .optional()
    .describe("A person continues it in a terminal, with this command. `sessions/resume` takes it back."),
  changes: z
    .object({ files: z.number(), added: z.number(), removed: z.number() })
    .optional()
    .describe("What the session has changed in its folder, by tools and commands. Absent without snapshots."),
  forkOf: z.string().optional(),
  worktree: WorktreeMark.optional().describe("Set if the session works in a worktree that Quarterdeck made."),
});
