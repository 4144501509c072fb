// Reviews over the bridge: what changed and who changed it, patches, and the way back.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Scenario, Script } from "@quarterdeck/simulator";
import { describe, expect, it } from "vitest";
import { Bench, randomUUID } from "./bench.ts";
import { refusalOf } from "./raw-client.ts";
import type { RawClient } from "./raw-client.ts";
import { makePlace } from "./server-process.ts";

const script = (when: string, ...steps: readonly { tool: string; input: Record<string, unknown> }[]): Script => ({
  when,
  steps: [...steps.map((step) => ({ say: [step] })), { say: [{ text: "Done." }] }],
});
const bash = (command: string) => ({ tool: "Bash", input: { command } });
const write = (path: string, content: string) => ({
  tool: "Write",
  input: { file_path: `{{cwd}}/${path}`, content },
});

const LINES = Array.from({ length: 40 }, (_, at) => `line ${String(at)}\n`);
const SCENARIO: Scenario = {
  name: "review",
  scripts: [
    script("by tool", write("made.txt", "one\ntwo\n"), write(".netrc", "secret\n")),
    script("by command", bash("sed -i 's/^line 2$/second/; s/^line 35$/last/' long.txt; mv old.txt new.txt")),
    { when: "wait", steps: [{ say: [{ text: "word ".repeat(4000) }], pace: { deltaMs: 50, deltaChars: 5 } }] },
  ],
};

const git = (cwd: string, ...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@x", ...args], {
    cwd,
    encoding: "utf8",
    env: { PATH: process.env["PATH"] ?? "", HOME: cwd, GIT_CONFIG_NOSYSTEM: "1" },
  });

/** The folder as it is told, and as it is after both prompts. */
const reviewed = async (flags: readonly string[] = []) => {
  const bench = await Bench.start(makePlace(SCENARIO), flags);
  const client = await bench.client();
  const { cwd } = bench;
  git(cwd, "init", "-q", "-b", "main");
  writeFileSync(join(cwd, "long.txt"), LINES.join(""));
  writeFileSync(join(cwd, "old.txt"), "some text that moves\n".repeat(5));
  git(cwd, "add", ".");
  git(cwd, "commit", "-q", "-m", "first");
  const settings = { permissionMode: "acceptEdits", allowedTools: ["Bash", "Write"] };
  const session = await bench.session(client, settings);
  const mirror = await bench.mirror(client, session);
  const say = async (content: string): Promise<string> => {
    const { uuid } = await client.command("session/prompt", { session, content });
    await expect.poll(() => mirror.rows.get(`prompt/${uuid}`)?.state).toBe("done");
    return uuid;
  };
  return { bench, client, cwd, session, mirror, say };
};

const shown = (cwd: string, files: readonly { path: string; status: string; by: string[] }[]): string[] =>
  files.map(({ path, status, by }) => `${status} ${path.slice(cwd.length + 1)} ${by.join("+")}`);

describe("[E145] against the last commit", () => {
  it("what commands and people changed is told apart, a moved file is one file, and a submodule has its commits", async () => {
    const { client, cwd, session, say, bench } = await reviewed();
    const library = join(bench.place.root, "library");
    mkdirSync(library);
    git(library, "init", "-q", "-b", "main");
    writeFileSync(join(library, "a.txt"), "a\n");
    git(library, "add", ".");
    git(library, "commit", "-q", "-m", "Library");
    git(cwd, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "part");
    git(cwd, "commit", "-q", "-m", "second");
    writeFileSync(join(cwd, "long.txt"), `before\n${LINES.join("")}`);
    const said = await say("by command");
    // What a person writes before the turn's snapshot is taken would count as the command's.
    const ended = async () =>
      (await client.call("changes/list", { session, against: "start" })).turns[0]?.endedAt !== undefined;
    await expect.poll(ended).toBe(true);
    writeFileSync(join(cwd, "mine.txt"), "by hand\n");
    writeFileSync(join(cwd, "part/a.txt"), "b\n");
    git(join(cwd, "part"), "commit", "-q", "-a", "-m", "More of the library");
    const [from, to] = ["HEAD~1", "HEAD"].map((name) => git(join(cwd, "part"), "rev-parse", name).trim());

    const head = await client.call("changes/list", { session, against: "head" });
    expect(shown(cwd, head.files)).toEqual([
      "modified long.txt shell",
      "untracked mine.txt outside",
      "renamed new.txt shell",
      "modified part outside",
    ]);
    expect(head.files[2]).toMatchObject({ from: join(cwd, "old.txt"), added: 0, removed: 0, bySession: true });
    expect(head.files[3]).toMatchObject({ submodule: true, bySession: false });
    const diff = (path: string) => client.call("changes/diff", { session, against: "head", path: join(cwd, path) });
    expect(await diff("new.txt")).toMatchObject({ kind: "diff", from: join(cwd, "old.txt"), hunks: [] });
    const { hunks } = await diff("part");
    expect(hunks[0].lines).toEqual([
      `-Submodule at ${from!}`,
      `+Submodule at ${to!}`,
      `+  ${to!.slice(0, 7)} More of the library`,
    ]);
    const side = { session, against: "head", path: join(cwd, "new.txt"), side: "before" };
    expect(await client.call("changes/content", side)).toMatchObject({ text: "some text that moves\n".repeat(5) });
    const state = await client.call("git/state", { session });
    expect(state.tree.submodules).toEqual([{ path: "part", before: from, after: to }]);
    // The way back is offered here too.
    expect(head.turns.map(({ prompts }: { prompts: string[] }) => prompts)).toEqual([[said]]);
    // Since the start it is the same, and a note says that no file of a submodule is recorded.
    const start = await client.call("changes/list", { session, against: "start" });
    expect(start.notes).toMatchObject([{ kind: "repositories", paths: ["part"] }]);
    expect(start.files.at(-1)).toMatchObject({ path: join(cwd, "part"), status: "modified", submodule: true });
    expect(shown(cwd, start.files).at(-1)).toBe("modified part outside");
    const since = await client.call("changes/diff", { session, against: "start", path: join(cwd, "part") });
    expect(since.hunks[0].lines).toEqual(hunks[0].lines);
    const turn = await client.call("changes/list", { session, against: "start", turn: said });
    expect(shown(cwd, turn.files)).not.toContain("modified part outside");
  });
});

describe("[E130] changes of a session", () => {
  it(
    "are told by turn and by who made them, without hidden files, with totals in the head and the list (S74)",
    { tags: "long" },
    async () => {
      const { client, cwd, session, mirror, say, bench } = await reviewed();
      const first = await say("by tool");
      const list = (more = {}) => client.call("changes/list", { session, against: "start", ...more });
      // Waits for the snapshot: what is written from now on is a person's.
      await list();
      writeFileSync(join(cwd, "mine.txt"), "mine\n");
      const second = await say("by command");
      const all = await list();
      expect(shown(cwd, all.files)).toEqual([
        "modified long.txt shell",
        "added made.txt tool",
        "added mine.txt outside",
        "renamed new.txt shell",
      ]);
      expect(all.files.at(-1)).toMatchObject({ from: join(cwd, "old.txt"), added: 0, removed: 0 });
      expect(all.notes).toMatchObject([{ kind: "hidden" }]);
      expect(all.turns.map(({ prompts }: { prompts: string[] }) => prompts)).toEqual([[first], [second]]);
      expect(shown(cwd, (await list({ turn: second })).files)).toEqual([
        "modified long.txt shell",
        "renamed new.txt shell",
      ]);
      await expect.poll(() => mirror.head["changes"]).toEqual({ files: 4, added: 5, removed: 2 });
      const { sessions } = await client.call("sessions/list");
      expect(sessions[0].changes).toEqual({ files: 4, added: 5, removed: 2 });

      const diff = (path: string, more = {}) =>
        client.call("changes/diff", { session, path: join(cwd, path), against: "start", ...more });
      const { hunks: whole, truncated: isCut } = await diff("long.txt");
      expect(whole).toHaveLength(2);
      expect(isCut).toBe(false);
      const { hunks: beginning, truncated } = await diff("long.txt", { maxLines: 2 });
      expect(beginning).toEqual([{ ...whole[0], lines: whole[0].lines.slice(0, 2) }]);
      expect(truncated).toBe(true);
      expect((await refusalOf(diff(".netrc"))).code).toBe("outside-roots");
      expect((await refusalOf(diff("../../home/x"))).code).toBe("outside-roots");
      const before = await client.call("changes/content", {
        session,
        path: join(cwd, "long.txt"),
        against: "start",
        side: "before",
      });
      expect(before).toMatchObject({ exists: true, kind: "text", text: LINES.join("") });

      // The patch makes the same of the same beginning.
      const viewer = await bench.clientWith("view", client);
      const { patch, files } = await viewer.call("changes/patch", { session, against: "start" });
      expect(files).toBe(5);
      expect(patch).not.toContain("secret");
      const copy = join(bench.place.root, "copy");
      git(bench.place.root, "clone", "-q", cwd, copy);
      execFileSync("git", ["apply"], { cwd: copy, input: patch });
      for (const name of ["long.txt", "made.txt", "new.txt", "mine.txt"])
        expect(readFileSync(join(copy, name), "utf8")).toBe(readFileSync(join(cwd, name), "utf8"));
      expect(existsSync(join(copy, "old.txt"))).toBe(false);
      const toHead = await client.call("changes/patch", { session, against: "head" });
      execFileSync("git", ["apply", "--check", "-R"], { cwd: copy, input: toHead.patch });

      expect((await refusalOf(viewer.command("revert/apply", { session, path: join(cwd, "made.txt") }))).code).toBe(
        "forbidden",
      );
    },
  );
});

const revertsOf = (client: RawClient, session: string, path: string) => ({
  preview: (more = {}) => client.call("revert/preview", { session, path, against: "start", ...more }),
  apply: (more = {}) => client.command("revert/apply", { session, path, against: "start", ...more }),
});

describe("[E131] a revert", () => {
  it(
    "takes back a hunk or a file, against the start or the last commit, and can be undone",
    { tags: "long" },
    async () => {
      const { client, cwd, session, say } = await reviewed();
      await say("by tool");
      await say("by command");
      const path = join(cwd, "long.txt");
      const text = (): string => readFileSync(path, "utf8");
      const after = text();
      const { hunks, version } = await client.call("changes/diff", { session, path, against: "start" });
      const { lines: _lines, ...hunk } = hunks[0];
      const { preview, apply } = revertsOf(client, session, path);
      expect(await preview({ hunk, version })).toEqual({
        files: [{ path, action: "write", added: 1, removed: 1, by: ["shell"] }],
        left: [],
      });
      const done = await apply({ hunk, version });
      expect(text()).toBe(after.replace("second", "line 2"));
      expect((await refusalOf(apply({ hunk, version }))).code).toBe("changed");
      await client.command("revert/undo", { session, id: done.id });
      expect(text()).toBe(after);
      expect((await refusalOf(client.command("revert/undo", { session, id: done.id }))).code).toBe("not-open");

      const whole = await apply();
      expect(text()).toBe(LINES.join(""));
      writeFileSync(path, "mine\n");
      // What a person wrote since is not overwritten.
      expect(await client.command("revert/undo", { session, id: whole.id })).toEqual({
        done: [],
        left: [{ path, reason: "It has changed since." }],
      });
      expect(text()).toBe("mine\n");
      const toHead = await client.command("revert/apply", { session, path, against: "head" });
      expect(toHead.done).toEqual([path]);
      expect(text()).toBe(LINES.join(""));
      await client.command("revert/undo", { session, id: toHead.id });
      expect(text()).toBe("mine\n");
    },
  );
});

describe("[E132] a rewind", () => {
  it("restores code, conversation or both before a prompt, after a preview, and never during a turn (S74)", async () => {
    const { client, cwd, session, mirror, say, bench } = await reviewed();
    const first = await say("by tool");
    const second = await say("by command");
    await client.call("changes/list", { session, against: "start" });
    writeFileSync(join(cwd, "long.txt"), `${readFileSync(join(cwd, "long.txt"), "utf8")}mine\n`);
    const preview = (params: object) => client.call("rewind/preview", { session, what: "code", ...params });
    const plan = await preview({ prompt: second });
    expect(plan).toMatchObject({ canRewindCode: true, running: false });
    expect(plan.files.map(({ path, action }: { path: string; action: string }) => [path, action])).toEqual([
      [join(cwd, "new.txt"), "remove"],
      [join(cwd, "old.txt"), "create"],
    ]);
    expect(plan.left).toMatchObject([{ path: join(cwd, "long.txt"), by: ["shell", "outside"] }]);
    const rewind = (params: object) => client.command("rewind/apply", { session, what: "code", ...params });
    const code = await rewind({ prompt: second, outside: "also", keep: [join(cwd, "new.txt")] });
    expect(code.done).toEqual([join(cwd, "long.txt"), join(cwd, "old.txt")]);
    expect(readFileSync(join(cwd, "long.txt"), "utf8")).toBe(LINES.join(""));
    expect(existsSync(join(cwd, "new.txt"))).toBe(true);
    await client.command("rewind/undo", { session, id: code.id });
    expect(readFileSync(join(cwd, "long.txt"), "utf8")).toMatch(/mine\n$/u);

    const both = await rewind({ prompt: second, what: "both", outside: "also" });
    expect(both.session).toMatchObject({ forkOf: session });
    const fork = both.session.id as string;
    const past = await bench.mirror(client, fork);
    expect([...past.rows.keys()].filter((id) => id.startsWith("prompt/"))).toEqual([`prompt/${first}`]);
    expect(mirror.rows.has(`prompt/${second}`)).toBe(true);
    const inherited = await client.call("changes/list", { session: fork, against: "start" });
    expect(shown(cwd, inherited.files)).toEqual(["added made.txt tool"]);
    // The fork can be rewound to a turn of its parent.
    await client.command("rewind/apply", { session: fork, prompt: first, what: "code" });
    expect(existsSync(join(cwd, "made.txt"))).toBe(false);
    // This device may not see the file, so it is left alone.
    expect(existsSync(join(cwd, ".netrc"))).toBe(true);

    await client.command("session/prompt", { session, content: "wait" });
    await expect.poll(() => mirror.drafts.size).toBeGreaterThan(0);
    expect((await refusalOf(rewind({ prompt: first }))).code).toBe("turn-running");
    await client.command("session/interrupt", { session });
    expect((await refusalOf(rewind({ prompt: randomUUID() }))).code).toBe("unknown-prompt");
  });

  it("needs snapshots, which --no-snapshots turns off", { tags: "long" }, async () => {
    const { client, cwd, session, say, bench } = await reviewed(["--no-snapshots"]);
    const first = await say("by tool");
    const list = await client.call("changes/list", { session, against: "start" });
    expect(list).toMatchObject({ files: [], notes: [{ kind: "off" }] });
    const refused = await refusalOf(client.command("rewind/apply", { session, prompt: first, what: "code" }));
    expect(refused.code).toBe("unsupported");
    expect(existsSync(join(bench.place.dataDir, "snapshots"))).toBe(false);
    const head = await client.call("changes/list", { session });
    expect(head.files).toMatchObject([{ path: join(cwd, "made.txt"), status: "untracked", added: 2, removed: 0 }]);
    rmSync(join(cwd, "made.txt"));
  });
});
