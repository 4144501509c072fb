// [S75] Every change that Quarterdeck makes with git, in repositories whose settings, hooks and attributes name a canary.

import { randomUUID } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GitBench } from "./git-bench.fixture.ts";

let bench: GitBench;
beforeAll(() => {
  bench = new GitBench();
});
afterAll(() => bench.remove());

const HOOKS = [
  ...[
    "pre-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "post-checkout",
    "post-merge",
    "pre-merge-commit",
  ],
  ...["reference-transaction", "post-index-change", "pre-auto-gc", "post-rewrite", "fsmonitor-watchman", "pre-push"],
];

interface Kit {
  readonly root: string;
  readonly ring: string;
}
const hooksIn = (folder: string, ring: string): void => {
  mkdirSync(folder, { recursive: true });
  for (const hook of HOOKS) {
    writeFileSync(join(folder, hook), `#!/bin/sh\n${ring}\n`);
    chmodSync(join(folder, hook), 0o755);
  }
};
const config = ({ root }: Kit, ...pairs: readonly (readonly [string, string])[]): void => {
  for (const [key, value] of pairs) bench.run(root, "config", key, value);
};

const KINDS: Readonly<Record<string, (kit: Kit) => void>> = {
  "hooks in the git directory": ({ root, ring }) => hooksIn(join(root, ".git/hooks"), ring),
  "hooks among the files": (kit) => {
    hooksIn(join(kit.root, ".hooks"), kit.ring);
    config(kit, ["core.hooksPath", ".hooks"]);
  },
  "hooks in the settings": (kit) => config(kit, ["hook.x.command", kit.ring], ["hook.x.event", "post-index-change"]),
  "a file-system monitor": (kit) => config(kit, ["core.fsmonitor", kit.ring]),
  "a monitor for one branch": (kit) => {
    writeFileSync(join(kit.root, "more.txt"), `[core]\n\tfsmonitor = ${kit.ring}\n`);
    config(kit, ["includeIf.onbranch:work.path", "../more.txt"]);
  },
  "filters without attributes": (kit) =>
    config(kit, ["filter.evil.clean", kit.ring], ["filter.evil.smudge", kit.ring], ["filter.evil.process", kit.ring]),
  "diff and merge drivers": (kit) => {
    config(kit, ["diff.evil.command", kit.ring], ["diff.evil.textconv", kit.ring], ["diff.external", kit.ring]);
    config(kit, ["merge.evil.driver", kit.ring], ["merge.default", "evil"]);
    writeFileSync(join(kit.root, ".git/info/attributes"), "* diff=evil merge=evil\n");
  },
  "programs for signatures, passwords and editors": (kit) => {
    config(kit, ["gpg.program", kit.ring], ["commit.gpgSign", "true"], ["tag.gpgSign", "true"]);
    config(kit, ["gpg.ssh.program", kit.ring], ["log.showSignature", "true"]);
    config(kit, ["core.editor", kit.ring], ["sequence.editor", kit.ring], ["core.askPass", kit.ring]);
    config(kit, ["core.pager", kit.ring], ["pager.log", kit.ring], ["credential.helper", `!${kit.ring}`]);
  },
  "aliases with the names of commands": (kit) =>
    config(
      kit,
      ...["status", "diff", "update-index", "apply"].map((name) => [`alias.${name}`, `!${kit.ring}`] as const),
    ),
  "settings that change what commands do": (kit) => {
    config(
      kit,
      ["diff.noprefix", "true"],
      ["diff.mnemonicPrefix", "true"],
      ["diff.context", "0"],
      ["color.ui", "always"],
    );
    config(kit, ["status.short", "true"], ["status.branch", "false"], ["apply.whitespace", "fix"], ["log.date", "raw"]);
    config(kit, ["diff.suppressBlankEmpty", "true"], ["core.quotePath", "false"], ["diff.renames", "copies"]);
    config(kit, ["status.showUntrackedFiles", "no"], ["log.decorate", "full"], ["diff.relative", "true"]);
  },
};

/** Each group is one repository. Kinds of one group do not hide each other. */
const GROUPS: readonly (readonly string[])[] = [
  [
    ...["hooks in the git directory", "a file-system monitor", "filters without attributes"],
    "aliases with the names of commands",
  ],
  ["hooks among the files", "hooks in the settings", "diff and merge drivers", "settings that change what commands do"],
  ["a monitor for one branch", "programs for signatures, passwords and editors"],
];
/** Plain git 2.39 runs none of these, or only other commands. */
const NOT_RUN: ReadonlySet<string> = new Set([
  ...["aliases with the names of commands", "settings that change what commands do", "hooks in the settings"],
]);

describe("[S75] a repository with", () => {
  test.each(GROUPS.map((kinds) => [kinds.join("; "), kinds] as const))(
    "%s: nothing of it runs",
    async (_name, kinds) => {
      const at = kinds[0]!.replaceAll(/\W+/g, "-");
      const markOf = (kind: string): string => join(bench.folder, `mark-${kind.replaceAll(/\W+/g, "-")}`);
      const ringOf = (kind: string): string =>
        bench.program(`ring-${kind.replaceAll(/\W+/g, "-")}`, `: > ${markOf(kind)}\nexit 1`);
      const rung = (): string[] => kinds.filter((kind) => existsSync(markOf(kind)));
      const lines = Array.from({ length: 30 }, (_, line) => (line === 14 ? "" : `line ${line}`));
      const root = bench.repository(at, { "a.txt": `${lines.join("\n")}\n`, "b.txt": "b\n" });
      const { git, sight } = bench;
      const command = () => ({ commandId: randomUUID() });
      for (const kind of kinds) KINDS[kind]!({ root, ring: ringOf(kind) });

      const work = await git.addWorktree(root, { name: "work" }, sight);
      bench.write(work, {
        "a.txt": `${lines.with(2, "two  ").with(25, "twenty-five").join("\n")}\n`,
        "new.txt": "n\n",
      });
      const { hunks } = await git.diff(work, { path: "a.txt", side: "unstaged" }, sight);
      expect(hunks).toHaveLength(2);
      await git.stage(
        work,
        { ...command(), files: [{ path: "a.txt", hunks: [hunks[0]!.id] }, { path: "new.txt" }] },
        sight,
      );
      const { tree } = await git.state(work, sight);
      expect(tree!.staged.map(({ path }) => path)).toEqual(["a.txt", "new.txt"]);
      expect(tree!.unstaged.map(({ path }) => path)).toEqual(["a.txt"]);
      const made = await git.commit(work, { ...command(), message: "Work", stagedId: tree!.stagedId }, sight);
      await git.undo(work, made.undo.id, sight);
      const again = (await git.state(work, sight)).tree!;
      expect(again.stagedId).toBe(tree!.stagedId);
      await git.commit(work, { ...command(), message: "Work", stagedId: again.stagedId }, sight);
      const merged = await git.merge(work, sight);
      expect(merged.outcome).toBe("fast-forward");
      await git.undo(root, merged.undo!.id, sight);
      expect((await git.compare(work, undefined, sight)).files.map(({ path }) => path)).toEqual(["a.txt", "new.txt"]);
      await git.worktrees(root, sight);
      await git.remote(root, sight);
      const { seen } = await git.planDiscard(work, sight);
      const { undo } = await git.discard(work, seen, sight);
      await git.undo(root, undo.id, sight);
      expect((await git.state(work, sight)).tree?.unstaged.map(({ path }) => path)).toEqual(["a.txt"]);
      expect(rung()).toEqual([]);

      // The canaries are real: git itself runs them.
      writeFileSync(join(root, ".git/info/attributes"), "* filter=evil diff=evil merge=evil\n");
      for (const where of [root, work]) {
        bench.write(where, { "a.txt": "changed\n" });
        for (const args of [["status"], ["diff"], ["add", "--all"], ["commit", "-m", "x"], ["commit", "-m", "x", "-n"]])
          try {
            bench.run(where, ...args);
          } catch {
            // A canary makes git fail.
          }
      }
      expect(rung()).toEqual(kinds.filter((kind) => !NOT_RUN.has(kind)));
    },
  );

  test("a merge driver: both sides of a change are a conflict, and the driver does not decide", async () => {
    const mark = join(bench.folder, "mark-driver");
    const ring = bench.program("ring-driver", `: > ${mark}\nexit 0`);
    const root = bench.repository("driver", { "a.txt": "1\n2\n3\n4\n5\n" });
    config({ root, ring }, ["merge.evil.driver", ring]);
    writeFileSync(join(root, ".git/info/attributes"), "* merge=evil\n");
    const work = await bench.git.addWorktree(root, { name: "work" }, bench.sight);
    bench.write(work, { "a.txt": "one\n2\n3\n4\n5\n" });
    bench.run(work, "commit", "--quiet", "-am", "One");
    bench.write(root, { "a.txt": "1\n2\n3\n4\nfive\n" });
    bench.run(root, "commit", "--quiet", "-am", "Five");
    expect(await bench.git.planMerge(work, bench.sight)).toMatchObject({ outcome: "conflict", conflicts: ["a.txt"] });
    expect(existsSync(mark)).toBe(false);
  });
});
