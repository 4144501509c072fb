// Projects, what their folders would run, and trust in them.

import { z } from "zod";
import { Path, Time, command, method } from "./shapes.ts";

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

export const PROJECTS_METHODS = {
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
} as const;
