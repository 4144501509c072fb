// The methods of git: what a person stages, commits, pushes and merges, and the worktrees of sessions. Paths of files are relative to
// the root of the working tree.

import { z } from "zod";
import { command, Hunk, Id, method, Path, Time } from "./shapes.ts";

const ofFolder = { session: Id.optional(), cwd: Path.optional().describe("If no session is given.") };

const Name = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$/u, "A name has letters, digits, dots, dashes and underscores.");
const Revision = z
  .string()
  .max(200)
  .regex(/^[^\s\p{Cc}-][^\s\p{Cc}]*$/u, "A branch or a commit.");

export const WorktreeWish = z.object({
  name: Name.describe("The name of the folder and of the new branch."),
  base: Revision.optional().describe("A branch or a commit. Default: the branch of the folder."),
});

export const WorktreeMark = z.object({
  name: z.string(),
  branch: z.string(),
  base: z.string().describe("The branch or the commit that it started from."),
  repository: z.string().describe("The main working tree."),
});

const FileStatus = z.enum(["added", "modified", "deleted", "type", "untracked", "conflict"]);
const GitFile = z.object({
  path: z.string(),
  status: FileStatus,
  added: z.number().optional(),
  removed: z.number().optional(),
  filter: z
    .string()
    .optional()
    .describe(
      "The filter that the file needs, such as `lfs`. Quarterdeck runs no filters, so it cannot stage the file.",
    ),
});
const Commit = z.object({ id: z.string(), subject: z.string(), author: z.string(), at: Time });
const Undo = z.object({ id: z.string(), words: z.string().describe("What would be undone."), at: Time });
const SessionName = z.object({ id: z.string(), title: z.string().optional() });

const Brief = {
  branch: z.string().optional().describe("Absent: no branch is checked out."),
  ahead: z.number().optional().describe("Commits that the upstream lacks. Absent: there is no upstream."),
  behind: z.number().optional(),
};

const FilePart = z.object({
  path: Path,
  hunks: z
    .array(z.string().max(64))
    .max(5000)
    .optional()
    .describe("Ids of hunks, from `git/diff`. Without them: the whole file."),
});

const Change = z.object({
  path: z.string(),
  status: FileStatus,
  added: z.number().optional(),
  removed: z.number().optional(),
});

const Merge = {
  outcome: z.enum(["nothing", "fast-forward", "merge", "conflict"]),
  into: z.string(),
  place: z.string().optional().describe("The working tree that has the base checked out. Its files change."),
  commits: z.array(Commit),
  files: z.number(),
  conflicts: z.array(z.string()),
  uncommitted: z.array(z.string()).describe("Files that are not committed. They stay in the worktree."),
};

const Loss = {
  path: z.string(),
  branch: z.string().optional(),
  uncommitted: z.array(z.string()),
  commits: z.array(Commit).describe("Commits that are on no other branch."),
  ignored: z.array(z.string()).describe("Ignored files and folders. They are lost."),
};

export const GIT_METHODS = {
  "git/state": method(
    "Shows the working tree of a folder: branch, staged and unstaged files. Empty if the folder has no repository that the device may see.",
    z.object(ofFolder),
    z.object({
      tree: z
        .object({
          root: z.string(),
          ...Brief,
          head: z.string().optional().describe("Absent before the first commit."),
          upstream: z.string().optional(),
          staged: z.array(GitFile),
          stagedId: z.string().describe("Changes with what is staged. `git/commit` compares it."),
          unstaged: z.array(GitFile),
          submodules: z
            .array(z.object({ path: z.string(), before: z.string().optional(), after: z.string().optional() }))
            .optional()
            .describe("Submodules at another commit than in the last commit."),
          truncated: z.boolean(),
          obstacle: z.string().optional().describe("Why nothing can be changed here now."),
          worktree: z
            .object({ name: z.string(), main: z.string(), base: z.string().optional() })
            .optional()
            .describe("Set in a linked worktree."),
          busy: z.array(SessionName).describe("Sessions that work here now. Changes are refused until they rest."),
          last: Commit.optional(),
          undos: z.array(Undo).describe("What can be undone in this repository, newest first."),
        })
        .optional(),
    }),
  ),
  "git/brief": method(
    "Shows branch and state of several folders, for a list.",
    z.object({ folders: z.array(Path).max(40) }),
    z.object({
      folders: z.array(z.object({ cwd: z.string(), ...Brief, dirty: z.boolean() })),
    }),
  ),
  "git/diff": method(
    "Returns the hunks of one file, with an id for each.",
    z.object({
      ...ofFolder,
      path: Path,
      side: z
        .enum(["staged", "unstaged", "base"])
        .describe("`base`: everything since the base of the worktree, committed or not."),
    }),
    z.object({
      path: z.string(),
      kind: z.enum(["diff", "new-file", "deleted", "binary", "none"]),
      hunks: z.array(z.object({ ...Hunk.shape, id: z.string() })),
      truncated: z.boolean(),
    }),
  ),
  "git/stage": method(
    "Stages files or hunks.",
    z.object({ ...command, ...ofFolder, files: z.array(FilePart).min(1).max(2000) }),
    z.object({}),
  ),
  "git/unstage": method(
    "Takes files or hunks out of what is staged. The files stay as they are.",
    z.object({ ...command, ...ofFolder, files: z.array(FilePart).min(1).max(2000) }),
    z.object({}),
  ),
  "git/commit": method(
    "Commits what is staged. Runs no hooks and does not sign.",
    z.object({
      ...command,
      ...ofFolder,
      message: z.string().min(1).max(100_000),
      stagedId: z.string().max(64).describe("From `git/state`: what the person saw."),
    }),
    z.object({ commit: z.string(), undo: Undo }),
  ),
  "git/undo": method(
    "Undoes a commit, a merge or the removal of a worktree.",
    z.object({ ...command, ...ofFolder, id: Id }),
    z.object({ words: z.string().describe("What was done.") }),
  ),
  "git/remote": method(
    "Shows where a push would go.",
    z.object(ofFolder),
    z.object({
      remote: z.string().optional(),
      url: z.string().optional().describe("Without a password."),
      branch: z.string().optional(),
      commits: z.array(Commit).describe("Commits that the remote lacks, by the last fetch of this repository."),
      obstacle: z.string().optional().describe("Why a push is not possible."),
      pullRequest: z
        .object({ base: z.string(), title: z.string(), obstacle: z.string().optional() })
        .optional()
        .describe("Set if `gh` is installed."),
    }),
  ),
  "git/push": method(
    "Pushes the branch to its remote over https or ssh. Never forces.",
    z.object({
      ...command,
      ...ofFolder,
      url: z.string().max(2000).describe("From `git/remote`: what the person saw."),
      head: z.string().max(64).describe("The commit that the person saw."),
    }),
    z.object({ words: z.string() }),
  ),
  "git/pullRequest": method(
    "Creates a pull request with `gh`. The branch must be pushed.",
    z.object({
      ...command,
      ...ofFolder,
      title: z.string().min(1).max(300),
      body: z.string().max(60_000),
      base: Revision,
      draft: z.boolean().optional(),
    }),
    z.object({ url: z.string() }),
  ),
  "git/worktrees": method(
    "Lists the working trees of the folder's repository, and proposes a new one.",
    z.object(ofFolder),
    z.object({
      worktrees: z.array(
        z.object({
          path: z.string(),
          name: z.string(),
          main: z.boolean(),
          branch: z.string().optional(),
          base: z.string().optional(),
          ahead: z.number().optional().describe("Commits since the base."),
          behind: z.number().optional(),
          uncommitted: z.number(),
          madeAt: Time.optional().describe("Set if Quarterdeck made it."),
          missing: z.boolean(),
          locked: z.boolean(),
          sessions: z.array(z.object({ ...SessionName.shape, live: z.boolean(), archived: z.boolean() })),
          forgotten: z.boolean().describe("Quarterdeck made it, and no session uses it that is not archived."),
        }),
      ),
      proposal: z.object({ name: z.string(), base: z.string() }).optional(),
      branches: z.array(z.string()).describe("Local branches, the last used first."),
    }),
  ),
  "git/compare": method(
    "Compares a worktree, with its uncommitted files, with its base.",
    z.object({ ...ofFolder, base: Revision.optional() }),
    z.object({
      base: z.string(),
      branch: z.string().optional(),
      ahead: z.number(),
      behind: z.number(),
      commits: z.array(Commit),
      files: z.array(Change),
      truncated: z.boolean(),
    }),
  ),
  "git/planMerge": method(
    "Says what a merge of a worktree into its base would do.",
    z.object(ofFolder),
    z.object({ ...Merge, obstacle: z.string().optional().describe("Why the merge is not possible now.") }),
  ),
  "git/merge": method(
    "Merges the commits of a worktree into its base.",
    z.object({ ...command, ...ofFolder }),
    z.object({ ...Merge, undo: Undo.optional() }),
  ),
  "git/planDiscard": method(
    "Says what would be lost with a worktree.",
    z.object(ofFolder),
    z.object({
      ...Loss,
      seen: z.string().describe("Changes with what would be lost. `git/discard` compares it."),
      obstacle: z.string().optional().describe("Why the worktree cannot be removed now."),
    }),
  ),
  "git/discard": method(
    "Removes a worktree and its branch. An undo brings back all but ignored files.",
    z.object({ ...command, ...ofFolder, seen: z.string().max(64).describe("From `git/planDiscard`.") }),
    z.object({ ...Loss, undo: Undo }),
  ),
} as const;
