// What a session changed, and how it is reverted or rewound.

import { z } from "zod";
import { Hunk, Id, Path, Time, command, method, ofSession } from "./shapes.ts";
import { Summary } from "./summary-shape.ts";

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
  version: z
    .string()
    .max(100)
    .optional()
    .describe("The version of the diff that was shown. If the diff has changed, the error is `changed`."),
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

export const REVIEW_METHODS = {
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
          generated: z
            .boolean()
            .optional()
            .describe("By its path, a program writes this file, such as a lock file or a build."),
          submodule: z.boolean().optional().describe("A repository inside of this one, at another commit now."),
          version: z.string().optional().describe("Names the contents of both sides."),
          by: z.array(Origin).describe("Who changed it, according to the snapshots. Empty: unknown."),
          bySession: z.boolean(),
          inGit: z.boolean().describe("Git's last commit, or `git add`, knows the difference."),
        }),
      ),
      totals: Counts.describe("Counts the files that the session changed itself, or all files if the base is `head`."),
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
      maxLines: z
        .number()
        .int()
        .min(1)
        .max(40_000)
        .optional()
        .describe("Only the first lines, so that a long diff can be drawn at once. Hunks keep their counts."),
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
} as const;
