import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "@quarterdeck/test-kit/scratch-folder";
import { describe, expect, it } from "vitest";
import { Host } from "../host.ts";
import type { Session } from "../session/session.ts";
import { Checkpoints } from "./checkpoints.ts";
import { contentsOf, git, put, reviewBench, said, script, shell, write } from "./checkpoints.fixture.ts";

describe("checkpoints", () => {
  it("[C1] tell apart what a tool, a command and a person changed, per turn and in all", async () => {
    const made = await reviewBench((folder) => [
      script("first", write(join(folder, "a.txt"), "one\ntwo\n"), shell("echo shell > b.txt")),
      script("second", shell("sed -i s/one/1/ a.txt")),
    ]);
    const { cwd, start, reviews } = made;
    put(cwd, { "old.txt": "old\n" });
    const session = await start();
    const first = await said(made, session, "first");
    put(cwd, { "old.txt": "mine\n" });
    const second = await said(made, session, "second");
    const all = (await reviews.changes(session))!;
    const files = (review: typeof all) => review.files.map(({ path, status, by }) => [path, status, by.join(" ")]);
    expect(files(all)).toEqual([
      ["a.txt", "added", "tool shell"],
      ["b.txt", "added", "shell"],
      ["old.txt", "modified", "outside"],
    ]);
    expect(all.totals).toEqual({ files: 2, added: 3, removed: 0 });
    expect(all.turns.map(({ prompts, totals }) => [prompts, totals])).toEqual([
      [[first], { files: 2, added: 3, removed: 0 }],
      [[second], { files: 1, added: 1, removed: 1 }],
    ]);
    expect(files((await reviews.changes(session, { turn: second }))!)).toEqual([["a.txt", "modified", "shell"]]);
    expect(session.head.changes).toEqual({ files: 2, added: 3, removed: 0 });
  });

  it("[C1] know a tool's path that begins at the session's folder", async () => {
    const made = await reviewBench(() => [script("first", write("src/a.txt", "one\n"))]);
    const session = await made.start();
    await said(made, session, "first");
    expect((await made.reviews.changes(session))!.files).toMatchObject([{ path: "src/a.txt", by: ["tool"] }]);
    expect(session.head.changes).toEqual({ files: 1, added: 1, removed: 0 });
  });

  it("[C1] do not name a prompt that was refused while its snapshot was taken", async () => {
    const folder = scratchFolder();
    put(folder, { "a.txt": "one\n" });
    const owner = { count: async () => {}, cwdOf: () => folder };
    const checkpoints = new Checkpoints({ folder: scratchFolder() }, owner);
    const session = { id: "s1", head: { phase: "idle", queue: [], tasks: [] }, rowsBefore: () => ({ rows: [] }) };
    const send = (prompt: string, checked: Promise<unknown>): Promise<void> =>
      checkpoints.beforePrompt(session as unknown as Session, prompt, checked);
    await send("refused", Promise.reject(new Error("The folder has changed.")));
    await send("accepted", Promise.resolve());
    await checkpoints.close();
    expect(checkpoints.journalOf("s1").lines).toMatchObject([{ kind: "before", prompt: "accepted" }]);
  });

  it("[C4] rewind to a prompt leaves what a person wrote, can be undone, and is refused during a turn", async () => {
    const made = await reviewBench((folder) => [
      script("first", write(join(folder, "a.txt"), "one\n")),
      script("second", shell("echo two > a.txt; mkdir d; echo x > d/x; rm old.txt")),
    ]);
    const { cwd, start, wayBack } = made;
    put(cwd, { "old.txt": "old\n", "mine.txt": "1\n" });
    const session = await start();
    const first = await said(made, session, "first");
    const second = await said(made, session, "second");
    put(cwd, { "mine.txt": "2\n" });
    const before = contentsOf(cwd);
    const plan = await wayBack.planRewind(session, { prompt: second });
    expect(plan.files.map(({ path, action }) => [path, action])).toEqual([
      ["a.txt", "write"],
      ["d/x", "remove"],
      ["old.txt", "create"],
    ]);
    expect(plan.left).toMatchObject([{ path: "mine.txt", by: ["outside"] }]);
    const done = await wayBack.rewind(session, { prompt: second }, { id: "r1" });
    expect(contentsOf(cwd)).toEqual({ "a.txt": "one\n", "old.txt": "old\n", "mine.txt": "2\n" });
    expect(existsSync(join(cwd, "d"))).toBe(false);
    await wayBack.undo(session, done.id!, { id: "u1" });
    expect(contentsOf(cwd)).toEqual(before);
    await wayBack.rewind(session, { prompt: first, outside: "also" }, { id: "r2" });
    expect(contentsOf(cwd)).toEqual({ "old.txt": "old\n", "mine.txt": "1\n" });
  });

  it("[C7] a prompt does not wait for a long first snapshot, and files that changed before they were stored are named", async () => {
    const tools = scratchFolder();
    const go = join(tools, "go");
    const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
    const hold = `case " $* " in *" update-index "*) while [ ! -e '${go}' ]; do sleep 0.05; done;; esac`;
    writeFileSync(join(tools, "git"), `#!/bin/sh\n${hold}\nexec '${real}' "$@"\n`, { mode: 0o755 });
    const path = `${tools}:${process.env["PATH"] ?? ""}`;
    const snapshots = { folder: join(scratchFolder(), "snapshots"), limits: { long: 1 }, path, waitMs: 3_600_000 };
    const made = await reviewBench((folder) => [script("first", write(join(folder, "a.txt"), "two\n"))], { snapshots });
    const { cwd, start, reviews } = made;
    put(cwd, { "a.txt": "one\n", "b.txt": "b\n" });
    // A time of a change before the prompt.
    await expect.poll(() => Date.now() - statSync(join(cwd, "b.txt")).ctimeMs > 200).toBe(true);
    const session = await start();
    const { uuid } = await session.prompt("first");
    // The snapshot is held, and the turn ends all the same.
    await session.reply(uuid);
    expect(contentsOf(cwd)).toMatchObject({ "a.txt": "two\n" });
    writeFileSync(go, "");
    expect(await reviews.changes(session)).toMatchObject({ files: [], late: true, unsure: ["a.txt"] });
    const { uuid: next } = await session.prompt("talk");
    await session.reply(next);
    expect(await reviews.changes(session, { turn: next })).toMatchObject({ late: false, unsure: [] });
  });

  it("[C1] mark what another session changed in the folder at the same time", async () => {
    const made = await reviewBench((folder) => [
      script(
        "mine",
        shell("touch began; while [ ! -e stop ]; do sleep 0.05; done"),
        write(join(folder, "a.txt"), "a\n"),
      ),
      script("theirs", write(join(folder, "b.txt"), "b\n")),
      script("command", shell("echo c > c.txt")),
    ]);
    const { cwd, start, reviews } = made;
    const [first, second] = [await start(), await start()];
    const mine = first.prompt("mine");
    await expect.poll(() => existsSync(join(cwd, "began"))).toBe(true);
    await said(made, second, "theirs");
    await said(made, second, "command");
    put(cwd, { stop: "" });
    await first.reply((await mine).uuid);
    const files = (await reviews.changes(first))!.files.map(({ path, by }) => [path, by.toSorted().join(" ")]);
    expect(files).toEqual([
      ["a.txt", "tool"],
      ["b.txt", "outside"],
      // Either of them, or a person: nobody can know.
      ["began", "outside shell"],
      ["c.txt", "outside shell"],
      ["stop", "outside shell"],
    ]);
    // A turn that ran no command changed only what its tools say.
    put(cwd, { "person.txt": "p\n" });
    expect((await reviews.changes(second))!.files.map(({ path, by }) => [path, by.join(" ")])).toContainEqual([
      "person.txt",
      "outside",
    ]);
  });

  it("[C4] rewind to a prompt that was sent during a turn, or queued behind it", async () => {
    const made = await reviewBench((folder) => [
      script("wait", write(join(folder, "a.txt"), "a\n"), shell("while [ ! -e stop ]; do sleep 0.05; done")),
      script("next", shell("while [ ! -e go ]; do sleep 0.05; done"), write(join(folder, "b.txt"), "b\n")),
    ]);
    const { cwd, start, reviews, wayBack } = made;
    const session = await start();
    const first = await session.prompt("wait");
    const runs = (name: string): boolean => session.rows.some((row) => row.kind === "tool" && row.name === name);
    await expect.poll(() => runs("Bash")).toBe(true);
    const later = await session.prompt("next", { priority: "later" });
    await expect
      .poll(() => session.head.queue.some(({ uuid, state }) => uuid === later.uuid && state !== "accepted"))
      .toBe(true);
    put(cwd, { stop: "" });
    await session.reply(first.uuid);
    // The CLI starts the next turn by itself, and a model is slower than a snapshot.
    await reviews.changes(session);
    put(cwd, { go: "" });
    await session.reply(later.uuid);
    const { turns } = (await reviews.changes(session))!;
    expect(turns.map(({ prompts }) => prompts)).toEqual([[first.uuid], [later.uuid]]);
    await wayBack.rewind(session, { prompt: later.uuid }, { id: "r1" });
    expect(Object.keys(contentsOf(cwd))).toEqual(["a.txt", "stop"]);
    await wayBack.rewind(session, { prompt: first.uuid }, { id: "r2" });
    expect(contentsOf(cwd)).toEqual({});
  });

  it("[C5] undo what was undone, each once, and keep what a person wrote since", async () => {
    const made = await reviewBench((folder) => [
      script("first", write(join(folder, "a.txt"), "one\n"), write(join(folder, "b.txt"), "b\n")),
    ]);
    const { cwd, start, wayBack, reviews } = made;
    const session = await start();
    const prompt = await said(made, session, "first");
    await wayBack.rewind(session, { prompt }, { id: "rewind" });
    expect(session.head.changes).toEqual({ files: 0, added: 0, removed: 0 });
    await wayBack.undo(session, "rewind", { id: "undo" });
    expect(session.head.changes).toEqual({ files: 2, added: 2, removed: 0 });
    expect((await reviews.changes(session))!.files.map(({ by }) => by)).toEqual([["tool"], ["tool"]]);
    await wayBack.undo(session, "undo", { id: "redo" });
    expect(contentsOf(cwd)).toEqual({});
    expect(() => wayBack.undo(session, "rewind", { id: "again" })).toThrow("undone already");
    expect(() => wayBack.undo(session, "nothing", { id: "x" })).toThrow("nothing to undo");
    put(cwd, { "a.txt": "mine\n" });
    const last = await wayBack.undo(session, "redo", { id: "last" });
    expect(last).toMatchObject({ done: ["b.txt"], left: [{ path: "a.txt" }] });
    expect(contentsOf(cwd)).toEqual({ "a.txt": "mine\n", "b.txt": "b\n" });
  });

  it("[C7] never break a turn: without git, without a folder to write to, without the session's folder", async () => {
    const scripts = (folder: string) => [
      script("write", write(join(folder, "a.txt"), "one\n")),
      script("vanish", shell("cd ..; mv work gone")),
    ];
    const without = await reviewBench(scripts, {
      snapshots: { folder: join(scratchFolder(), "s"), path: "/nonexistent" },
    });
    const session = await without.start();
    await said(without, session, "write");
    const review = (await without.reviews.changes(session))!;
    expect(review).toMatchObject({ files: [], problem: "Git is not installed, and reviews of changes need it." });

    const data = scratchFolder();
    put(data, { file: "in the way\n" });
    const blocked = await reviewBench(scripts, { snapshots: { folder: join(data, "file") } });
    await said(blocked, await blocked.start(), "write");
    expect(contentsOf(blocked.cwd)).toEqual({ "a.txt": "one\n" });

    const made = await reviewBench(scripts);
    const vanishing = await made.start();
    await said(made, vanishing, "write");
    await said(made, vanishing, "vanish");
    const seen = (await made.reviews.changes(vanishing))!;
    expect(seen.problem).toContain("gone");
    // What was recorded can still be seen.
    expect(seen.files.map(({ path, by }) => [path, by])).toEqual([["a.txt", ["tool"]]]);
  });

  it("[C8] go on in a fork, survive the host, and end with the last session that needs them", async () => {
    const made = await reviewBench((folder) => [
      script("first", write(join(folder, "a.txt"), "one\n")),
      script("second", shell("echo two > a.txt")),
    ]);
    const { cwd, start, host, reviews, options, data } = made;
    const session = await start();
    const first = await said(made, session, "first");
    const second = await said(made, session, "second");
    const fork = await host.fork(session.id, { beforeRow: `prompt/${second}` });
    const turns = (await reviews.changes(fork))!.turns.map(({ prompts }) => prompts);
    expect(turns).toEqual([[first]]);
    await host.fork(session.id, { beforeRow: `prompt/${first}` }).then((empty) => host.delete(empty.id));

    // Another host of the same data reads the same journal.
    const next = await Host.open({ ...options });
    await next.wayBack!.rewind(next.get(session.id), { prompt: first }, { id: "r" });
    expect(contentsOf(cwd)).toEqual({});
    const stores = (): string[] => readdirSync(join(data, "snapshots", "folders"));
    expect(stores()).toHaveLength(1);
    await host.delete(session.id);
    expect(stores()).toHaveLength(1);
    // As if the host had died before it deleted the snapshots, too.
    await fork.close();
    await options.store.deleteSession(fork.id);
    await Host.open({ ...options });
    expect(stores()).toHaveLength(0);
    expect(readdirSync(join(data, "snapshots", "sessions"))).toEqual([]);
  });

  it("[C10] give a patch that makes the same of a copy: binary files, renames, modes, and lines without an end", async () => {
    const made = await reviewBench((folder) => [
      script(
        "work",
        write(join(folder, "new.txt"), "no end"),
        shell(
          "printf '\\0\\1\\2' > bytes; mv old.txt 'a name with \"quotes\"'; printf '\\377\\n' >> latin.txt; chmod +x run; rm gone",
        ),
      ),
    ]);
    const { cwd, start, reviews, root } = made;
    put(cwd, { "old.txt": "text\n".repeat(9), "latin.txt": "a\n", run: "#!/bin/sh\n", gone: "x\n" });
    const copy = join(root, "copy");
    cpSync(cwd, copy, { recursive: true });
    const session = await start();
    await said(made, session, "work");
    const { patch, files } = await reviews.patch(session, { mostBytes: 1_000_000, isWanted: () => true });
    expect(files).toBe(7);
    writeFileSync(join(root, "changes.patch"), patch);
    git(copy, "apply", join(root, "changes.patch"));
    expect(contentsOf(copy)).toEqual(contentsOf(cwd));
    expect(statSync(join(copy, "run")).mode & 0o111).not.toBe(0);
  });
});
