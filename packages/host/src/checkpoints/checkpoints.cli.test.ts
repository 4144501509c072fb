// Snapshots around turns of the real CLI, newest and 2.1.38: edits by a tool, by sed, by an agent and by a person.

import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { bench } from "@quarterdeck/test-kit/real-host";
import { scratchFolder } from "@quarterdeck/test-kit/scratch-folder";
import type { Script } from "@quarterdeck/simulator";
import { describe, expect, it } from "vitest";
import type { Session } from "../session/session.ts";
import { contentsOf, git, put, said, script, shell, write } from "./checkpoints.fixture.ts";
import { TRIED_VERSIONS } from "@quarterdeck/test-kit/how-much";

const CLI = { permissionMode: "acceptEdits", allowedTools: ["Bash", "Write", "Edit", "Task", "Agent"] } as const;

const agent = (when: string, prompt: string): Script =>
  script(when, {
    tool: "Task",
    input: { description: "Write it", prompt, subagent_type: "general-purpose", run_in_background: false },
  });

const reviewed = async (version: string, cwd: string, scripts: readonly Script[]) => {
  const data = scratchFolder();
  const { host, start } = await bench(version, { snapshots: { folder: join(data, "snapshots") } }, scripts);
  const session = await start({ cwd, cli: { ...CLI, allowedTools: [...CLI.allowedTools] } });
  const reviews = host.reviews!;
  const files = async (of: Session, turn?: string): Promise<string[]> =>
    (await reviews.changes(of, turn === undefined ? {} : { turn }))!.files.map(
      ({ path, status, by }) => `${status} ${path} ${by.join("+")}`,
    );
  return { host, session, reviews, wayBack: host.wayBack!, files };
};

describe.each(TRIED_VERSIONS)("[C1] snapshots with the real CLI %s", (version) => {
  it("tell apart tool, sed, agent and person in a worktree with a submodule, and a rewind brings all back", async () => {
    const root = scratchFolder();
    const [main, part, cwd] = [join(root, "main"), join(root, "part"), join(root, "tree")];
    for (const folder of [main, part]) mkdirSync(folder);
    for (const folder of [part, main]) {
      git(folder, "init", "-q");
      put(folder, { "a.txt": "one\ntwo\nthree\n", "moves.txt": "some text\n".repeat(10), "mine.txt": "1\n" });
      git(folder, "add", ".");
      git(folder, "commit", "-q", "-m", "first");
    }
    git(main, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", part, "module");
    git(main, "commit", "-q", "-m", "second");
    git(main, "worktree", "add", "-q", cwd);
    git(cwd, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init");
    const made = await reviewed(version, cwd, [
      script("[[tool]]", write(join(cwd, "made.txt"), "made\n")),
      script("[[sed]]", shell("sed -i s/two/2/ a.txt; mv moves.txt moved.txt; echo x >> module/a.txt")),
      agent("[[agent]]", "please [[inner]]"),
      script("[[inner]]", write(join(cwd, "agents.txt"), "from an agent\n")),
    ]);
    const { session, reviews, wayBack, files } = made;
    const before = contentsOf(cwd);
    const tool = await said(made, session, "[[tool]]");
    put(cwd, { "mine.txt": "2\n" });
    const sed = await said(made, session, "[[sed]]");
    const byAgent = await said(made, session, "[[agent]]");
    expect(await files(session, tool)).toEqual(["added made.txt tool"]);
    expect(await files(session, sed)).toEqual(["modified a.txt shell", "renamed moved.txt shell"]);
    expect(await files(session, byAgent)).toEqual(["added agents.txt tool"]);
    expect(await files(session)).toEqual([
      "modified a.txt shell",
      "added agents.txt tool",
      "added made.txt tool",
      "modified mine.txt outside",
      "renamed moved.txt shell",
    ]);
    expect((await reviews.changes(session))!.leftOut!.repositories).toEqual(["module"]);
    expect(session.head.changes).toEqual({ files: 4, added: 3, removed: 1 });
    expect(git(cwd, "stash", "list")).toBe("");
    const done = await wayBack.rewind(session, { prompt: tool }, { id: "r" });
    expect(done.left.map(({ path }) => path)).toEqual(["mine.txt"]);
    // The submodule is not recorded, so it is left alone.
    const module = { "module/a.txt": "one\ntwo\nthree\nx\n" };
    expect(contentsOf(cwd)).toEqual({ ...before, "mine.txt": "2\n", ...module });
    await wayBack.undo(session, "r", { id: "u" });
    expect(readFileSync(join(cwd, "moved.txt"), "utf8")).toBe("some text\n".repeat(10));
  });

  it(
    "rewind code and conversation in a folder without git, where a fork continues before the prompt",
    { tags: "long" },
    async () => {
      const cwd = scratchFolder();
      const made = await reviewed(version, cwd, [
        script("[[first]]", write(join(cwd, "a.txt"), "one\n")),
        script("[[second]]", shell("echo two > a.txt; mkdir -p deep/er; echo x > deep/er/x")),
        script("[[third]]", shell("cat a.txt > copy.txt")),
      ]);
      const { host, session, wayBack, files } = made;
      put(cwd, { "kept.txt": "kept\n" });
      await said(made, session, "[[first]]");
      const second = await said(made, session, "[[second]]");
      const fork = await host.fork(session.id, { beforeRow: `prompt/${second}` });
      await wayBack.rewind(session, { prompt: second }, { id: "r" });
      expect(contentsOf(cwd)).toEqual({ "a.txt": "one\n", "kept.txt": "kept\n" });
      expect(existsSync(join(cwd, "deep"))).toBe(false);
      // The CLI of the fork knows the first prompt and not the second.
      await said(made, fork, "[[third]]");
      expect(await files(fork)).toEqual(["added a.txt tool", "added copy.txt shell"]);
      expect(fork.rows.filter(({ kind }) => kind === "prompt")).toHaveLength(2);
      renameSync(join(cwd, "copy.txt"), join(cwd, "again.txt"));
      expect(await files(fork)).toContain("added again.txt outside");
    },
  );
});
