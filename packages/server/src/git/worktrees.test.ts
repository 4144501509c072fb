import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GitBench, refusalIn } from "./git-bench.fixture.ts";

let bench: GitBench;
beforeAll(() => {
  bench = new GitBench();
});
afterAll(() => bench.remove());

const add = (cwd: string, name: string, base?: string) => bench.git.addWorktree(cwd, { name, base }, bench.sight);
const listed = async (cwd: string) => (await bench.git.worktrees(cwd, bench.sight)).worktrees;
const account = (cwd: string) => bench.git.planDiscard(cwd, bench.sight);
const discard = (cwd: string, seen: string) => bench.git.discard(cwd, seen, bench.sight);
const commitAll = (cwd: string, message: string): void => {
  bench.run(cwd, "add", "--all");
  bench.run(cwd, "commit", "--quiet", "-m", message);
};

describe("[J1] a new worktree", () => {
  test("is a branch of its own in the folder of worktrees, and git ignores it", async () => {
    const root = bench.repository("new", { "sub/a.txt": "a\n" });
    const { proposal } = await bench.git.worktrees(root, bench.sight);
    expect(proposal).toEqual({ name: "anchor", base: "main" });
    const at = await add(join(root, "sub"), "anchor");
    expect(at).toBe(join(root, ".claude/worktrees/anchor/sub"));
    expect(readFileSync(join(at, "a.txt"), "utf8")).toBe("a\n");
    expect(bench.run(at, "status", "--porcelain", "--branch")).toBe("## anchor");
    expect(bench.run(root, "status", "--porcelain")).toBe("");
    expect(bench.git.worktreeAt(at)).toMatchObject({
      name: "anchor",
      branch: "anchor",
      base: "main",
      repository: root,
    });
    expect((await bench.git.worktrees(root, bench.sight)).proposal).toEqual({ name: "beacon", base: "main" });
    // Asked again, before anything happened in it, it is the same one.
    expect(await add(root, "anchor")).toBe(join(root, ".claude/worktrees/anchor"));
    expect((await bench.git.state(at, bench.sight)).tree?.worktree).toEqual({
      name: "anchor",
      main: root,
      base: "main",
    });
  });

  test("is refused with a name that is taken, an unknown base, a link in the way, and files that need a filter", async () => {
    const root = bench.repository("no", { "a.bin": "a\n" });
    bench.run(root, "branch", "taken");
    mkdirSync(join(root, ".claude/worktrees/there"), { recursive: true });
    expect((await refusalIn(add(root, "taken"))).message).toContain("A branch “taken” exists already.");
    expect((await refusalIn(add(root, "there"))).message).toContain("exists already");
    expect((await refusalIn(add(root, "x.lock"))).code).toBe("bad-request");
    expect((await refusalIn(add(root, "x", "nothing"))).code).toBe("not-found");
    bench.write(root, { ".gitattributes": "*.bin filter=lfs\n" });
    commitAll(root, "Attributes");
    expect((await refusalIn(add(root, "filtered"))).message).toContain("a.bin needs the filter “lfs”");
    expect(bench.run(root, "branch", "--list", "filtered")).toBe("");
    expect(existsSync(join(root, ".claude/worktrees/filtered"))).toBe(false);
    const linked = bench.repository("linked");
    symlinkSync(bench.home, join(linked, ".claude"));
    expect((await refusalIn(add(linked, "x"))).message).toContain("is a link");
  });
});

describe("a worktree and its base", () => {
  test("[J2] are compared with commits and with files that are not committed", async () => {
    const root = bench.repository("compare", { "a.txt": "1\n2\n3\n", "b.txt": "b\n" });
    const at = await add(root, "work");
    bench.write(at, { "a.txt": "1\ntwo\n3\n" });
    commitAll(at, "Change a");
    bench.write(at, { "b.txt": "b\nmore\n", "new.txt": "n\n", ".env": "x\n" });
    bench.write(root, { "c.txt": "c\n" });
    commitAll(root, "Elsewhere");
    const compared = await bench.git.compare(at, undefined, bench.sight);
    expect(compared).toMatchObject({ base: "main", branch: "work", ahead: 1, behind: 1, truncated: false });
    expect(compared.commits.map(({ subject }) => subject)).toEqual(["Change a"]);
    expect(compared.files).toEqual([
      { path: "a.txt", status: "modified", added: 1, removed: 1 },
      { path: "b.txt", status: "modified", added: 1, removed: 0 },
      { path: "new.txt", status: "untracked" },
    ]);
    const { hunks } = await bench.git.diff(at, { path: "a.txt", side: "base" }, bench.sight);
    expect(hunks.map(({ lines }) => lines)).toEqual([[" 1", "-2", "+two", " 3"]]);
    const work = (await listed(root)).find(({ main }) => !main);
    expect(work).toMatchObject({ name: "work", branch: "work", base: "main", ahead: 1, behind: 1, uncommitted: 3 });
  });

  test("[J3] are merged, with the files where the base is checked out, and the undo puts everything back", async () => {
    const root = bench.repository("merge", { "a.txt": "1\n2\n3\n4\n5\n", "b.txt": "b\n" });
    const at = await add(root, "work");
    bench.write(at, { "a.txt": "one\n2\n3\n4\n5\n", "new.txt": "n\n" });
    commitAll(at, "Change the first line");
    bench.write(at, { "left.txt": "not committed\n" });
    bench.write(root, { "a.txt": "1\n2\n3\n4\nfive\n" });
    commitAll(root, "Change the last line");
    const before = bench.run(root, "rev-parse", "main");
    bench.write(root, { "b.txt": "a change of the person\n" });
    const plan = await bench.git.planMerge(at, bench.sight);
    expect(plan).toMatchObject({ outcome: "merge", into: "main", place: root, files: 2, uncommitted: ["left.txt"] });
    expect(bench.run(root, "rev-parse", "main")).toBe(before);
    const merged = await bench.git.merge(at, bench.sight);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\n2\n3\n4\nfive\n");
    expect(bench.run(root, "log", "-1", "--format=%s %an")).toBe("Merge branch 'work' into main Ada");
    expect(bench.run(root, "status", "--porcelain")).toBe(" M b.txt");
    expect((await bench.git.planMerge(at, bench.sight)).outcome).toBe("nothing");
    await bench.git.undo(root, merged.undo!.id, bench.sight);
    expect(bench.run(root, "rev-parse", "main")).toBe(before);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("1\n2\n3\n4\nfive\n");
    expect(existsSync(join(root, "new.txt"))).toBe(false);
    expect(bench.run(root, "status", "--porcelain")).toBe(" M b.txt");
  });

  test("[J3] are not merged over changes, into a folder in which a session works, or with conflicts", async () => {
    const root = bench.repository("stopped", { "a.txt": "1\n", "b.txt": "b\n" });
    const at = await add(root, "work");
    bench.write(at, { "a.txt": "one\n" });
    commitAll(at, "Change");
    const before = bench.run(root, "rev-parse", "main");
    bench.write(root, { "a.txt": "mine\n" });
    expect((await refusalIn(bench.git.merge(at, bench.sight))).message).toContain("would be lost");
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("mine\n");
    bench.run(root, "checkout", "--quiet", "a.txt");
    bench.sessions = [{ id: "s", title: "Other work", cwd: root, phase: "tool" }];
    expect((await bench.git.planMerge(at, bench.sight)).obstacle).toContain("“Other work”");
    expect((await refusalIn(bench.git.merge(at, bench.sight))).code).toBe("folder-in-use");
    // A session in the worktree does not work in the main tree, although that folder is around it.
    bench.sessions = [{ id: "s", title: "Other work", cwd: at, phase: "tool" }];
    expect((await bench.git.state(root, bench.sight)).tree?.busy).toEqual([]);
    expect((await bench.git.state(at, bench.sight)).tree?.busy).toEqual([{ id: "s", title: "Other work" }]);
    bench.sessions = [];
    expect(bench.run(root, "rev-parse", "main")).toBe(before);
    bench.write(root, { "a.txt": "uno\n" });
    commitAll(root, "Another change");
    const plan = await bench.git.planMerge(at, bench.sight);
    expect([plan.outcome, plan.conflicts]).toEqual(["conflict", ["a.txt"]]);
    expect((await refusalIn(bench.git.merge(at, bench.sight))).code).toBe("changed");
  });
});

describe("a worktree that is discarded", () => {
  test("[J4] is accounted for first, and the undo brings back all but ignored files", async () => {
    const root = bench.repository("discard", { "a.txt": "a\n", ".gitignore": "out/\n" });
    const at = await add(root, "work");
    bench.write(at, { "b.txt": "b\n" });
    commitAll(at, "Only here");
    bench.write(at, { "a.txt": "changed\n", "new.txt": "n\n", "out/x": "built\n", ".env": "S=1\n" });
    const tip = bench.run(at, "rev-parse", "HEAD");
    const shown = await account(at);
    expect(shown).toMatchObject({ path: at, branch: "work", ignored: ["out/"] });
    expect(shown.uncommitted).toEqual(["a.txt", "new.txt", "1 hidden file"]);
    expect(shown.commits.map(({ subject }) => subject)).toEqual(["Only here"]);
    bench.write(at, { "later.txt": "l\n" });
    expect((await refusalIn(discard(at, shown.seen))).code).toBe("changed");
    const { seen } = await account(at);
    const { undo } = await discard(at, seen);
    expect(existsSync(at)).toBe(false);
    expect(bench.run(root, "branch", "--list", "work")).toBe("");
    await bench.git.undo(root, undo.id, bench.sight);
    expect(bench.run(at, "rev-parse", "work")).toBe(tip);
    expect(bench.run(at, "status", "--porcelain")).toBe(" M a.txt\n?? .env\n?? later.txt\n?? new.txt");
    expect([readFileSync(join(at, "a.txt"), "utf8"), existsSync(join(at, "out"))]).toEqual(["changed\n", false]);
    expect(bench.git.worktreeAt(at)).toMatchObject({ name: "work" });
  });

  test("[J4] is refused for the main tree, with a repository in it, and while a session works in it", async () => {
    const root = bench.repository("kept");
    expect((await refusalIn(account(root))).code).toBe("bad-request");
    const at = await add(root, "work");
    bench.sessions = [{ id: "s", title: "At work", cwd: at, phase: "tool" }];
    const { seen, obstacle } = await account(at);
    expect(obstacle).toContain("“At work”");
    expect((await refusalIn(discard(at, seen))).code).toBe("folder-in-use");
    bench.sessions = [];
    bench.write(at, { "nested/x": "x\n" });
    bench.run(join(at, "nested"), "init", "--quiet");
    bench.run(join(at, "nested"), "commit", "--quiet", "--allow-empty", "-m", "x");
    const nested = await account(at);
    expect(nested.obstacle).toContain("nested/ is a repository of its own");
    expect((await refusalIn(discard(at, nested.seen))).code).toBe("unsupported");
    expect(existsSync(at)).toBe(true);
  });

  test("[J2] is called forgotten when no session uses it, or only archived ones", async () => {
    const root = bench.repository("forgotten");
    const [one, two] = [await add(root, "one"), await add(root, "two")];
    bench.run(root, "worktree", "add", "--quiet", join(bench.shared, "by-hand"));
    bench.sessions = [
      { id: "a", title: "A", cwd: one, phase: "idle" },
      { id: "b", title: "B", cwd: two, phase: "idle", archived: true },
    ];
    const found = await listed(root);
    expect(found.map(({ name, forgotten, sessions }) => [name, forgotten, sessions.map(({ id }) => id)])).toEqual([
      ["forgotten", false, []],
      ["by-hand", false, []],
      ["one", false, ["a"]],
      ["two", true, ["b"]],
    ]);
    bench.sessions = [];
  });
});
