import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GitBench, refusalIn } from "./git-bench.fixture.ts";

let bench: GitBench;
beforeAll(() => {
  bench = new GitBench();
});
afterAll(() => bench.remove());

const command = () => ({ commandId: randomUUID() });
const stateOf = async (cwd: string) => (await bench.git.state(cwd, bench.sight)).tree!;
const stage = (cwd: string, ...files: { path: string; hunks?: string[] }[]) =>
  bench.git.stage(cwd, { ...command(), files }, bench.sight);
const unstage = (cwd: string, ...files: { path: string; hunks?: string[] }[]) =>
  bench.git.unstage(cwd, { ...command(), files }, bench.sight);
const diffOf = (cwd: string, path: string, side: "staged" | "unstaged" | "base") =>
  bench.git.diff(cwd, { path, side }, bench.sight);
const commit = async (cwd: string, message: string) =>
  bench.git.commit(cwd, { ...command(), message, stagedId: (await stateOf(cwd)).stagedId }, bench.sight);
const undo = (cwd: string, id: string) => bench.git.undo(cwd, id, bench.sight);

const LINES = Array.from({ length: 40 }, (_, at) => `line ${at}`);
const edited = (...edits: readonly (readonly [number, string])[]): string =>
  `${LINES.map((line, at) => edits.find(([where]) => where === at)?.[1] ?? line).join("\n")}\n`;

describe("[V1] the state", () => {
  test("lists staged and unstaged files, and not what the device may not see", async () => {
    const root = bench.repository("state", { "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" });
    bench.write(root, { "a.txt": "a\nmore\n", "new file.txt": "new\n", ".env": "SECRET=1\n", "--force": "x\n" });
    bench.run(root, "rm", "--quiet", "b.txt");
    const { branch, staged, unstaged, head, last, busy, undos } = await stateOf(root);
    expect({ branch, staged, busy, undos }).toEqual({
      branch: "main",
      staged: [{ path: "b.txt", status: "deleted", added: 0, removed: 1 }],
      busy: [],
      undos: [],
    });
    expect(unstaged).toEqual([
      { path: "a.txt", status: "modified", added: 1, removed: 0 },
      { path: "--force", status: "untracked" },
      { path: "new file.txt", status: "untracked" },
    ]);
    expect(last).toMatchObject({ id: head, subject: "First", author: "Ada" });
  });

  test("is empty in a folder without git, and brief for a list", async () => {
    const root = bench.repository("brief");
    bench.write(bench.shared, { "plain/x": "" });
    expect(await bench.git.state(join(bench.shared, "plain"), bench.sight)).toEqual({});
    bench.write(root, { "a.txt": "other\n" });
    const folders = [root, join(bench.shared, "plain"), bench.home, root];
    expect(await bench.git.brief(folders, bench.sight)).toEqual([{ cwd: root, branch: "main", dirty: true }]);
  });
});

describe("staging", () => {
  test("[V2] takes whole files with any name, and gives them back", async () => {
    const root = bench.repository("whole");
    const strange = ["--all", ":(glob)**", "*", "ä ö.txt", "sub/x"];
    bench.write(root, Object.fromEntries(strange.map((path) => [path, "x\n"])));
    unlinkSync(join(root, "a.txt"));
    await stage(root, { path: "--all" }, { path: "a.txt" });
    expect((await stateOf(root)).staged.map(({ path, status }) => [path, status])).toEqual([
      ["--all", "added"],
      ["a.txt", "deleted"],
    ]);
    await stage(root, ...strange.slice(1).map((path) => ({ path })));
    expect((await stateOf(root)).unstaged).toEqual([]);
    await unstage(root, { path: "*" }, { path: "a.txt" });
    const { staged, unstaged } = await stateOf(root);
    expect(staged.map(({ path }) => path)).toEqual(["--all", ":(glob)**", "sub/x", "ä ö.txt"]);
    expect(unstaged.map(({ path, status }) => [path, status])).toEqual([
      ["a.txt", "deleted"],
      ["*", "untracked"],
    ]);
  });

  test("[V2] takes single hunks, in bytes of any encoding, and gives them back", async () => {
    const root = bench.repository("hunks", { "a.txt": edited() });
    const latin = Buffer.from(edited([2, "caf\xe9"], [20, "twenty"], [38, "last"]).replace(/\n$/, ""), "latin1");
    bench.write(root, { "a.txt": latin });
    const shown = await diffOf(root, "a.txt", "unstaged");
    expect([shown.kind, shown.hunks.length]).toEqual(["diff", 3]);
    const [first, second, third] = shown.hunks.map(({ id }) => id);
    await stage(root, { path: "a.txt", hunks: [third!, first!] });
    expect(bench.run(root, "diff", "--cached", "--numstat")).toBe("3\t3\ta.txt");
    const rest = await diffOf(root, "a.txt", "unstaged");
    expect(rest.hunks.map(({ lines }) => lines.filter((line) => !line.startsWith(" ")))).toEqual([
      ["-line 20", "+twenty"],
    ]);
    // The second hunk is at the same place, so its id stays. The first one is staged already.
    expect(rest.hunks[0]!.id).toBe(second);
    expect((await refusalIn(stage(root, { path: "a.txt", hunks: [first!] }))).code).toBe("changed");
    const staged = await diffOf(root, "a.txt", "staged");
    await unstage(root, { path: "a.txt", hunks: [staged.hunks[1]!.id] });
    await stage(root, { path: "a.txt", hunks: [second!] });
    const index = bench.run(root, "diff", "--cached", "-U0", "--no-color").split("\n");
    expect(index.filter((line) => /^[+-][^+-]/.test(line)).map((line) => line.slice(0, 4))).toEqual([
      ...["-lin", "+caf", "-lin", "+twe"],
    ]);
    expect(readFileSync(join(root, "a.txt"))).toEqual(latin);
  });

  test("[V3] refuses paths out of the tree, of git, hidden ones, and files that did not change", async () => {
    const root = bench.repository("refused");
    bench.write(root, { ".env": "x\n" });
    bench.write(bench.shared, { "other.txt": "x\n" });
    const codes = await Promise.all(
      ["../other.txt", ".git/config", "sub/.GIT/x", "/etc/passwd", ".env", "a.txt", "."].map(
        async (path) => (await refusalIn(stage(root, { path }))).code,
      ),
    );
    expect(codes).toEqual([
      ...["bad-request", "bad-request", "bad-request", "bad-request", "outside-roots", "changed", "bad-request"],
    ]);
  });

  test("[V3] refuses files that need a filter, and says which", async () => {
    const root = bench.repository("filter", { ".gitattributes": "*.bin filter=lfs\n", "a.txt": "a\n" });
    bench.write(root, { "big.bin": "bytes\n", "a.txt": "b\n" });
    expect((await stateOf(root)).unstaged.find(({ path }) => path === "big.bin")?.filter).toBe("lfs");
    const refused = await refusalIn(stage(root, { path: "a.txt" }, { path: "big.bin" }));
    expect(refused).toEqual({
      code: "unsupported",
      message: "big.bin needs the filter “lfs”, which Quarterdeck does not run. Use git in a terminal for it.",
    });
    expect((await stateOf(root)).staged).toEqual([]);
  });

  test("[V3] refuses while a session works in this tree, and names it", async () => {
    const root = bench.repository("busy");
    bench.write(root, { "a.txt": "b\n", "sub/x": "x\n" });
    bench.sessions = [{ id: "s1", title: "Fix the bell", cwd: join(root, "sub"), phase: "tool" }];
    const refused = await refusalIn(stage(root, { path: "a.txt" }));
    expect(refused.code).toBe("folder-in-use");
    expect(refused.message).toContain("“Fix the bell”");
    expect((await stateOf(root)).busy).toEqual([{ id: "s1", title: "Fix the bell" }]);
    bench.sessions = [{ id: "s1", title: "Fix the bell", cwd: join(root, "sub"), phase: "idle" }];
    await stage(root, { path: "a.txt" });
    bench.sessions = [];
  });
});

describe("[V4] a commit", () => {
  test("has the person's name, and its undo stages the changes again", async () => {
    const root = bench.repository("commit");
    bench.write(root, { "a.txt": "changed\n", "b.txt": "not staged\n" });
    await stage(root, { path: "a.txt" });
    const before = await stateOf(root);
    const made = await commit(root, "Change a\n\nAnd say why.\n");
    expect(bench.run(root, "log", "-1", "--format=%H %an <%ae> %cn%n%B")).toBe(
      `${made.commit} Ada <ada@example.com> Ada\nChange a\n\nAnd say why.\n`,
    );
    const after = await stateOf(root);
    expect(after).toMatchObject({ staged: [], undos: [{ id: made.undo.id, words: "Commit “Change a”" }] });
    await undo(root, made.undo.id);
    expect(await stateOf(root)).toEqual(before);
    // The commit is kept.
    expect(bench.run(root, "rev-parse", `refs/quarterdeck/kept/${made.undo.id}`)).toBe(made.commit);
    expect((await refusalIn(undo(root, made.undo.id))).code).toBe("not-found");
  });

  test("can be the first one of a repository", async () => {
    const root = join(bench.shared, "unborn");
    bench.write(root, { "a.txt": "a\n" });
    bench.run(root, "init", "--quiet", "-b", "main");
    await stage(root, { path: "a.txt" });
    const { undo: kept } = await commit(root, "First");
    expect(bench.run(root, "log", "--format=%s")).toBe("First");
    await undo(root, kept.id);
    expect(await stateOf(root)).toMatchObject({ branch: "main", staged: [{ path: "a.txt", status: "added" }] });
    await unstage(root, { path: "a.txt" });
    expect((await stateOf(root)).unstaged).toEqual([{ path: "a.txt", status: "untracked" }]);
  });

  test("is refused if what is staged has changed, if nothing is staged, and in a merge", async () => {
    const root = bench.repository("stale");
    const seen = (await stateOf(root)).stagedId;
    const refused = async (stagedId: string) =>
      refusalIn(bench.git.commit(root, { ...command(), message: "x", stagedId }, bench.sight));
    expect((await refused(seen)).message).toBe("Nothing is staged.");
    bench.write(root, { "a.txt": "b\n" });
    await stage(root, { path: "a.txt" });
    expect((await refused(seen)).code).toBe("changed");
    writeFileSync(join(root, ".git", "MERGE_HEAD"), `${(await stateOf(root)).head}\n`);
    expect((await refused((await stateOf(root)).stagedId)).message).toContain("A merge is not finished here.");
  });

  test("is not undone when it was pushed, or when another came after it", async () => {
    const root = bench.repository("later");
    bench.write(root, { "a.txt": "b\n" });
    await stage(root, { path: "a.txt" });
    const made = await commit(root, "Second");
    bench.run(root, "update-ref", "refs/remotes/origin/main", made.commit);
    expect((await refusalIn(undo(root, made.undo.id))).message).toContain("was pushed");
    bench.run(root, "update-ref", "-d", "refs/remotes/origin/main");
    bench.run(root, "commit", "--quiet", "--allow-empty", "-m", "Third");
    expect((await refusalIn(undo(root, made.undo.id))).code).toBe("changed");
  });

  test("[S75] does not write through a link in the git directory", async () => {
    const root = bench.repository("links");
    bench.write(root, { "a.txt": "b\n" });
    const target = join(bench.home, "profile");
    writeFileSync(target, "mine\n");
    unlinkSync(join(root, ".git/logs/HEAD"));
    symlinkSync(target, join(root, ".git/logs/HEAD"));
    expect((await refusalIn(stage(root, { path: "a.txt" }))).message).toContain("has links in it");
    expect((await stateOf(root)).obstacle).toContain("has links in it");
    expect(readFileSync(target, "utf8")).toBe("mine\n");
    expect(existsSync(join(root, ".git/index.lock"))).toBe(false);
  });
});
