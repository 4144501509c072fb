// Git over the bridge: a session in a worktree of its own, what a person stages and commits in it, and who may do what.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Bench, randomUUID } from "./bench.ts";
import { refusalOf } from "./raw-client.ts";

const shared = Bench.shared();

const gitIn = (bench: Bench, cwd: string, ...args: readonly string[]): string =>
  execFileSync("git", args, {
    cwd,
    env: { PATH: process.env["PATH"], HOME: bench.place.home, GIT_CONFIG_NOSYSTEM: "1" },
    stdio: "pipe",
  })
    .toString()
    .trim();

/** A repository with one commit, in the folder of this test. */
const repositoryIn = (bench: Bench, files: Readonly<Record<string, string>> = { "a.txt": "one\n" }): string => {
  const root = realpathSync(bench.cwd);
  writeFileSync(join(bench.place.home, ".gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.com\n");
  gitIn(bench, root, "init", "--quiet", "-b", "main");
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text);
  gitIn(bench, root, "add", "--all");
  gitIn(bench, root, "commit", "--quiet", "-m", "First");
  return root;
};

describe("[E150] a session in a new worktree", () => {
  it("works there, is marked as such, is compared, merged and discarded", { tags: "long" }, async () => {
    const bench = await shared();
    const root = repositoryIn(bench);
    const client = await bench.client();
    const { proposal } = await client.call("git/worktrees", { cwd: root });
    expect(proposal).toEqual({ name: "anchor", base: "main" });
    const start = {
      commandId: randomUUID(),
      cwd: root,
      worktree: proposal,
      settings: { permissionMode: "acceptEdits" },
    };
    const { session } = await client.call("sessions/start", start);
    const at = join(root, ".claude/worktrees/anchor");
    expect(session).toMatchObject({
      cwd: at,
      project: root,
      worktree: { name: "anchor", branch: "anchor", base: "main", repository: root },
    });
    // The same command again is the same session.
    expect((await client.call("sessions/start", start)).session.id).toBe(session.id);
    const ofSession = { session: session.id };
    const mirror = await bench.mirror(client, session.id);
    await client.command("session/prompt", { ...ofSession, content: "write" });
    await mirror.until(({ head }) => head["phase"] === "idle" && existsSync(join(at, "note.txt")));
    expect(existsSync(join(root, "note.txt"))).toBe(false);

    await client.command("git/stage", { ...ofSession, files: [{ path: "note.txt" }] });
    const { tree } = await client.call("git/state", ofSession);
    expect(tree).toMatchObject({ branch: "anchor", staged: [{ path: "note.txt", status: "added", added: 2 }] });
    await client.command("git/commit", { ...ofSession, message: "Add a note", stagedId: tree.stagedId });
    expect(await client.call("git/compare", ofSession)).toMatchObject({ base: "main", ahead: 1, behind: 0 });
    const merged = await client.command("git/merge", ofSession);
    expect(merged).toMatchObject({ outcome: "fast-forward", into: "main", place: root, files: 1 });
    expect(readFileSync(join(root, "note.txt"), "utf8")).toBe("one\ntwo\n");

    const { seen, commits } = await client.call("git/planDiscard", ofSession);
    expect(commits).toEqual([]);
    const { undo } = await client.command("git/discard", { ...ofSession, seen });
    expect(existsSync(at)).toBe(false);
    const { sessions } = await client.call("sessions/list", { project: root });
    expect(sessions).toMatchObject([{ id: session.id, live: false, worktree: { name: "anchor" } }]);
    await client.command("git/undo", { cwd: root, id: undo.id });
    expect(existsSync(join(at, "note.txt"))).toBe(true);
    expect((await client.command("sessions/resume", ofSession)).session.live).toBe(true);
  });

  it("asks for trust of what the commit brings, and starts in the same worktree afterwards (S55)", async () => {
    const bench = await shared();
    const root = repositoryIn(bench);
    mkdirSync(join(root, ".claude"));
    const hooks = { Stop: [{ hooks: [{ type: "command", command: "true" }] }] };
    writeFileSync(join(root, ".claude/settings.json"), JSON.stringify({ hooks }));
    gitIn(bench, root, "add", "--all");
    gitIn(bench, root, "commit", "--quiet", "-m", "Settings");
    const client = await bench.client();
    const start = { cwd: root, worktree: { name: "hooked" } };
    const refused = await refusalOf(client.command("sessions/start", start));
    expect([refused.code, refused.data["folder"]]).toEqual([
      "folder-untrusted",
      join(root, ".claude/worktrees/hooked"),
    ]);
    const { folder: cwd, hash } = refused.data;
    await client.command("projects/trust", { cwd, hash, trusted: true });
    expect((await client.command("sessions/start", start)).session.cwd).toBe(cwd);
  });
});

describe("[E151] git in a folder", () => {
  it("changes nothing while a session works there, and says which", async () => {
    const bench = await shared();
    const root = repositoryIn(bench);
    const client = await bench.client();
    const session = await bench.session(client);
    await client.command("sessions/rename", { session, title: "Slow work" });
    const mirror = await bench.mirror(client, session);
    await client.command("session/prompt", { session, content: "slow" });
    await mirror.until(({ drafts }) => drafts.size > 0);
    writeFileSync(join(root, "a.txt"), "two\n");
    const refused = await refusalOf(client.command("git/stage", { session, files: [{ path: "a.txt" }] }));
    expect([refused.code, refused.data["sessions"]]).toEqual(["folder-in-use", [{ id: session, title: "Slow work" }]]);
    await client.command("session/interrupt", { session });
    await mirror.until(({ head }) => head["phase"] === "idle");
    await client.command("git/stage", { session, files: [{ path: "a.txt" }] });
    expect(gitIn(bench, root, "diff", "--cached", "--name-only")).toBe("a.txt");
  });

  it("is changed by operators, and removed or sent away by admins only", async () => {
    const bench = await shared();
    const root = repositoryIn(bench);
    const admin = await bench.client();
    const { session } = await admin.command("sessions/start", { cwd: root, worktree: { name: "work" } });
    const ofSession = { session: session.id };
    const viewer = await bench.clientWith("view", admin);
    const operator = await bench.clientWith("operate", admin);
    writeFileSync(join(session.cwd, "a.txt"), "two\n");
    const stage = { ...ofSession, files: [{ path: "a.txt" }] };
    expect((await viewer.call("git/state", ofSession)).tree.unstaged).toHaveLength(1);
    expect((await refusalOf(viewer.command("git/stage", stage))).code).toBe("forbidden");
    await operator.command("git/stage", stage);
    const { seen } = await viewer.call("git/planDiscard", ofSession);
    expect((await refusalOf(operator.command("git/discard", { ...ofSession, seen }))).code).toBe("forbidden");
    const push = { ...ofSession, url: "https://example.com/x", head: "0" };
    expect((await refusalOf(operator.command("git/push", push))).code).toBe("forbidden");
    // A folder that this role does not see.
    const outside = await refusalOf(operator.call("git/state", { cwd: bench.place.home }));
    expect(outside.code).toBe("outside-roots");
  });
});
