// Permission rules across the bridge: read, tested, previewed, saved and undone, by the roles that may.

import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Bench } from "./bench.ts";
import type { RawClient } from "./raw-client.ts";
import { bindingOf, refusalOf } from "./raw-client.ts";

const shared = Bench.shared();

type Json = any; // oxlint-disable-line typescript/no-explicit-any -- a stranger has no types

const LOCAL = ".claude/settings.local.json";
const PROJECT = ".claude/settings.json";

const write = (folder: string, file: string, value: unknown): string => {
  const path = join(folder, file);
  mkdirSync(join(path, ".."), { recursive: true });
  const text = typeof value === "string" ? value : `${JSON.stringify(value, null, 2)}\n`;
  writeFileSync(path, text);
  return text;
};
const read = (folder: string, file: string): string => readFileSync(join(folder, file), "utf8");

/** A session whose CLI waits for permission to run `touch made.txt`. */
const askedToTouch = async (bench: Bench, client: RawClient) => {
  const session = await bench.session(client);
  const mirror = await bench.mirror(client, session);
  await client.command("session/prompt", { session, content: "touch" });
  await mirror.until(() => mirror.head["requests"]?.length === 1);
  return { session, mirror, request: mirror.head["requests"][0] };
};

/** Preview, then save what was previewed. */
const change = async (client: RawClient, cwd: string, wanted: Json): Promise<Json> => {
  const { files } = await client.call("rules/preview", { cwd, change: wanted });
  const hashes = files.map(({ hash }: { hash: string }) => hash);
  return client.command("rules/save", { cwd, change: wanted, hashes });
};
const place = (rule: string, scope = "localSettings", behavior = "allow") => ({ scope, behavior, rule });
const rulesIn = (text: string): Json => JSON.parse(text).permissions;

describe("[E110] the rules of a folder", () => {
  it("are listed with scope, file, line and what is wrong or risky, with no process anywhere", async () => {
    const bench = await shared();
    const client = await bench.client();
    const { cwd } = bench;
    write(cwd, LOCAL, { permissions: { allow: ["Bash(npm test:*)", "Bash(python3:*)"] } });
    write(cwd, PROJECT, { permissions: { ask: ["Bash(git push:*)"], deny: ["Write(secret.env)"] } });
    const found = await client.call("rules/list", { cwd });
    expect(found).toMatchObject({ folder: cwd, mode: "default", trust: "unknown", looked: { calls: 0 } });
    const own = found.rules.filter(({ path }: Json) => path?.startsWith(cwd));
    expect(own.map(({ scope, behavior, rule, path, line }: Json) => [scope, behavior, rule, path, line])).toEqual([
      ["localSettings", "allow", "Bash(npm test:*)", join(cwd, LOCAL), 4],
      ["localSettings", "allow", "Bash(python3:*)", join(cwd, LOCAL), 5],
      ["projectSettings", "ask", "Bash(git push:*)", join(cwd, PROJECT), 4],
      ["projectSettings", "deny", "Write(secret.env)", join(cwd, PROJECT), 7],
    ]);
    const byRule = Object.fromEntries(own.map((rule: Json) => [rule.rule, rule]));
    expect(byRule["Bash(npm test:*)"]).toMatchObject({ matched: 0, problems: [] });
    expect(byRule["Bash(python3:*)"].risk).toMatchObject({ level: "high" });
    expect(byRule["Write(secret.env)"].problems).toMatchObject([{ kind: "matches-nothing" }]);
  });

  it("say which file is not in effect, and why", async () => {
    const bench = await shared();
    const client = await bench.client();
    write(bench.cwd, PROJECT, '{ "permissions": { "allow": ["Bash(ls)"] } // no comments\n}');
    const { files, rules } = await client.call("rules/list", { cwd: bench.cwd });
    const file = files.find(({ scope }: Json) => scope === "projectSettings");
    expect(file).toMatchObject({
      path: join(bench.cwd, PROJECT),
      exists: true,
      problem: expect.stringContaining("JSON"),
    });
    expect(rules.filter(({ scope }: Json) => scope === "projectSettings")).toEqual([]);
  });

  it("count the latest calls that each rule decided, and have what a session was allowed", async () => {
    const bench = await shared();
    const client = await bench.client();
    const { session, mirror, request } = await askedToTouch(bench, client);
    const rule = { toolName: "Bash", ruleContent: "touch made.txt" };
    const update = { type: "addRules", rules: [rule], behavior: "allow", destination: "session" };
    await client.command("session/respond", {
      session,
      ...bindingOf(request),
      answer: { kind: "allow", updatedPermissions: [update] },
    });
    await mirror.until(() => mirror.head["phase"] === "idle");
    await change(client, bench.cwd, { to: place("Bash(touch:*)") });
    const { rules, looked } = await client.call("rules/list", { session });
    expect(looked.calls).toBe(1);
    expect(rules.find(({ rule: text }: Json) => text === "Bash(touch made.txt)")).toMatchObject({ scope: "session" });
    const [wide] = (await client.call("rules/list", { cwd: bench.cwd })).rules.filter(
      ({ rule: text }: Json) => text === "Bash(touch:*)",
    );
    expect(wide).toMatchObject({ matched: 1, lastAt: expect.any(Number) });
  });
});

describe("[E111] a tested call", () => {
  it("gets a verdict with its rule, file and line, part by part, in each mode, and nothing runs", async () => {
    const bench = await shared();
    const client = await bench.client();
    const { cwd } = bench;
    write(cwd, PROJECT, { permissions: { allow: ["Bash(npm run:*)"], ask: ["Bash(git push --force:*)"] } });
    const test = (command: string, more = {}) =>
      client.call("rules/test", { cwd, tool: "Bash", input: { command }, ...more });
    const tested = await test("npm run build && git push --force origin x");
    expect(tested).toMatchObject({ mode: "default", behavior: "ask" });
    expect(tested.parts[0].reason).toMatchObject({ kind: "rule", scope: "projectSettings", path: join(cwd, PROJECT) });
    const bypassed = await test("curl -s example.com -o x", { mode: "bypassPermissions" });
    expect(bypassed).toMatchObject({ mode: "bypassPermissions", behavior: "allow", parts: [] });
    // A policy of this host decides above the rules, and the test says so.
    const policy = { name: "No push", behavior: "deny", rules: ["Bash(git push:*)"], folder: cwd };
    const { policy: added } = await client.command("policies/add", policy);
    expect(await test("eval 'git push origin x'", { mode: "bypassPermissions" })).toMatchObject({
      behavior: "allow",
      policy: { id: added.id, name: "No push", behavior: "deny" },
    });
    expect((await test("npm run build")).policy).toBeUndefined();
    await client.command("policies/remove", { id: added.id });
    expect((await refusalOf(test("ls", { mode: "yolo" }))).code).toBe("bad-request");
    expect((await refusalOf(client.call("rules/test", { cwd }))).code).toBe("bad-request");
    expect((await refusalOf(client.call("rules/test", { tool: "Bash" }))).code).toBe("bad-request");
    expect(existsSync(join(cwd, "x"))).toBe(false);
  });

  it("of an open request is the server's own copy, and rules are compared with earlier calls only", async () => {
    const bench = await shared();
    const client = await bench.client();
    const { session, mirror, request } = await askedToTouch(bench, client);
    const requestId = request.id;
    const rules = ["Bash(touch:*)", "Bash(npm:*)", "Bash("];
    const watcher = await bench.clientWith("view", client);
    const tested = await watcher.call("rules/test", { session, requestId, rules });
    expect(tested).toMatchObject({ behavior: "ask", looked: { calls: 0 } });
    expect(tested.rules).toMatchObject([
      { matched: 0, newly: 0 },
      { matched: 0 },
      { error: { position: expect.any(Number) } },
    ]);
    await client.command("session/respond", {
      session,
      ...bindingOf(request),
      answer: { kind: "allow" },
    });
    await mirror.until(() => mirror.head["phase"] === "idle");
    const later = await client.call("rules/test", { session, tool: "Bash", input: { command: "ls" }, rules });
    expect(later).toMatchObject({ looked: { calls: 1 } });
    expect(later.rules).toMatchObject([
      { rule: "Bash(touch:*)", matched: 1, newly: 1, examples: ["Bash touch made.txt"] },
      { rule: "Bash(npm:*)", matched: 0, newly: 0, examples: [] },
      {},
    ]);
    expect((await refusalOf(client.call("rules/test", { session, requestId }))).code).toBe("not-open");
  });
});

describe("[E112] a change of a rule", () => {
  it("is shown as a diff that hides other settings, saved as shown, and undone to the byte", async () => {
    const bench = await shared();
    const client = await bench.client();
    const { cwd } = bench;
    const before = write(cwd, LOCAL, {
      env: { SOME_NAME: "hunter2" },
      permissions: { allow: ["Bash(npm test:*)"], deny: ["Bash(rm:*)"] },
      model: "opus",
    });
    const wanted = { to: place("Bash(npm run lint)") };
    const preview = await client.call("rules/preview", { cwd, change: wanted });
    expect(preview.files).toMatchObject([{ scope: "localSettings", path: join(cwd, LOCAL), creates: false }]);
    const lines = preview.files[0].hunks.flatMap((hunk: Json) => hunk.lines);
    expect(lines.some((line: string) => line.startsWith("+") && line.includes("Bash(npm run lint)"))).toBe(true);
    expect(JSON.stringify(preview)).not.toContain("hunter2");
    expect(read(cwd, LOCAL)).toBe(before);
    const saved = await change(client, cwd, wanted);
    const after = JSON.parse(read(cwd, LOCAL));
    expect(after).toEqual({
      env: { SOME_NAME: "hunter2" },
      permissions: { allow: ["Bash(npm test:*)", "Bash(npm run lint)"], deny: ["Bash(rm:*)"] },
      model: "opus",
    });
    const undone = await client.command("rules/save", { cwd, undo: saved.undo });
    expect(read(cwd, LOCAL)).toBe(before);
    await client.command("rules/save", { cwd, undo: undone.undo });
    expect(JSON.parse(read(cwd, LOCAL))).toEqual(after);
    expect((await refusalOf(client.command("rules/save", { cwd, undo: saved.undo }))).code).toBe("not-found");
  });

  it("that moves a rule is both files or none, and is undone in both", async () => {
    const bench = await shared();
    const client = await bench.client();
    const { cwd } = bench;
    const before = write(cwd, LOCAL, { permissions: { allow: ["Bash(a)", "Bash(c)"] } });
    const moved = await change(client, cwd, { from: place("Bash(c)"), to: place("Bash(c)", "projectSettings", "ask") });
    expect(moved.files).toMatchObject([{ scope: "projectSettings" }, { scope: "localSettings" }]);
    expect(rulesIn(read(cwd, LOCAL)).allow).toEqual(["Bash(a)"]);
    expect(rulesIn(read(cwd, PROJECT)).ask).toEqual(["Bash(c)"]);
    await client.command("rules/save", { cwd, undo: moved.undo });
    expect(read(cwd, LOCAL)).toBe(before);
    expect(rulesIn(read(cwd, PROJECT))?.ask ?? []).toEqual([]);
  });

  it("is refused if the file changed since it was shown, and if it is not a rule", async () => {
    const bench = await shared();
    const client = await bench.client();
    const { cwd } = bench;
    write(cwd, LOCAL, { permissions: { allow: ["Bash(a)"] } });
    const wanted = { to: place("Bash(b)") };
    const { files } = await client.call("rules/preview", { cwd, change: wanted });
    const other = write(cwd, LOCAL, { permissions: { allow: [] }, model: "opus" });
    const stale = client.command("rules/save", { cwd, change: wanted, hashes: [files[0].hash] });
    expect((await refusalOf(stale)).code).toBe("changed");
    expect(read(cwd, LOCAL)).toBe(other);
    const gone = client.call("rules/preview", { cwd, change: { from: place("Bash(a)") } });
    expect((await refusalOf(gone)).code).toBe("changed");
    const bad = await refusalOf(client.call("rules/preview", { cwd, change: { to: place("Bash(") } }));
    expect(bad).toMatchObject({ code: "bad-request", data: { position: expect.any(Number) } });
    expect((await refusalOf(client.command("rules/save", { cwd, change: wanted, hashes: [] }))).code).toBe(
      "bad-request",
    );
    expect((await refusalOf(client.command("rules/save", { cwd }))).code).toBe("bad-request");
    write(cwd, PROJECT, "{ not json");
    const broken = client.call("rules/preview", { cwd, change: { to: place("Bash(b)", "projectSettings") } });
    expect((await refusalOf(broken)).code).toBe("unsupported");
    expect(read(cwd, PROJECT)).toBe("{ not json");
  });
});

describe("[E113] a saved rule", () => {
  it("keeps a trusted folder trusted and its process running", async () => {
    const bench = await shared();
    const client = await bench.client();
    const { cwd } = bench;
    const session = await bench.session(client);
    const mirror = await bench.mirror(client, session);
    const { undo } = await change(client, cwd, { to: place("Bash(touch:*)") });
    await change(client, cwd, { to: place("Bash(npm:*)", "projectSettings", "deny") });
    expect(await client.call("projects/inspect", { cwd })).toMatchObject({ trust: "trusted" });
    await client.command("session/prompt", { session, content: "hello" });
    await mirror.until(() => mirror.head["phase"] === "idle" && mirror.rows.size >= 2);
    await client.command("rules/save", { cwd, undo });
    expect(await client.call("projects/inspect", { cwd })).toMatchObject({ trust: "trusted" });
    expect(mirror.head["process"]).toMatchObject({ running: true, incarnation: 1 });
    // Changes by others do not count here.
    write(cwd, PROJECT, { permissions: { allow: ["Bash"] } });
    expect(await client.call("projects/inspect", { cwd })).toMatchObject({ trust: "changed" });
    await change(client, cwd, { to: place("Bash(ls)") });
    expect(await client.call("projects/inspect", { cwd })).toMatchObject({ trust: "changed" });
  });
});

describe("[E114] rules", () => {
  it("are changed by admins only, in folders inside of the roots only", async () => {
    const bench = await shared();
    const admin = await bench.client();
    const { cwd, place: at } = bench;
    await bench.session(admin);
    const operator = await bench.clientWith("operate", admin);
    expect((await operator.call("rules/list", { cwd })).folder).toBe(cwd);
    const wanted = { to: place("Bash(ls)") };
    const isRefused = async (call: Promise<unknown>, code: string): Promise<void> =>
      expect((await refusalOf(call)).code).toBe(code);
    await isRefused(operator.call("rules/preview", { cwd, change: wanted }), "forbidden");
    await isRefused(operator.command("rules/save", { cwd, change: wanted, hashes: ["none"] }), "forbidden");
    await isRefused(operator.command("rules/save", { cwd, undo: "x" }), "forbidden");
    expect(existsSync(join(cwd, ".claude"))).toBe(false);

    const link = join(cwd, "link");
    symlinkSync(at.home, link);
    for (const outside of [at.home, link, "/", join(cwd, "..", "..", "home")]) {
      const call = { tool: "Bash", input: { command: "ls" } };
      await isRefused(admin.call("rules/list", { cwd: outside }), "outside-roots");
      await isRefused(admin.call("rules/test", { cwd: outside, ...call }), "outside-roots");
      await isRefused(admin.call("rules/preview", { cwd: outside, change: wanted }), "outside-roots");
      const saved = admin.command("rules/save", { cwd: outside, change: wanted, hashes: ["none"] });
      await isRefused(saved, "outside-roots");
    }
    // An operator gets nothing about a folder that nobody opened.
    const closed = join(at.cwd, `closed-${Date.now().toString()}`);
    mkdirSync(closed);
    expect((await refusalOf(operator.call("rules/list", { cwd: closed }))).code).toBe("outside-roots");
    expect((await admin.call("rules/list", { cwd: closed })).rules).toEqual(expect.any(Array));
    expect((await refusalOf(admin.call("rules/list", { session: "none" }))).code).toBe("unknown-session");
  });

  it("are not written through a link that leads out of the folder", async () => {
    const bench = await shared();
    const client = await bench.client();
    const { cwd, place: at } = bench;
    const target = join(at.home, `aim-${Date.now().toString()}.json`);
    writeFileSync(target, "{}");
    mkdirSync(join(cwd, ".claude"));
    symlinkSync(target, join(cwd, LOCAL));
    const wanted = { to: place("Bash(ls)") };
    expect((await refusalOf(client.call("rules/preview", { cwd, change: wanted }))).code).toBe("unsupported");
    const saved = client.command("rules/save", { cwd, change: wanted, hashes: ["none"] });
    expect((await refusalOf(saved)).code).toBe("unsupported");
    expect(readFileSync(target, "utf8")).toBe("{}");
  });
});
