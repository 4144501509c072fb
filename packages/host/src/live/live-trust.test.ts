// Folders that change under a live process. The simulator stands in for the CLI. e2e/attack/live-trust.test.ts tests
// real CLIs.

import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { trust } from "../trust/folder-trust.ts";
import type { TrustRecord, TrustStore } from "../trust/folder-trust.ts";
import { bench, codeOf, HELLO, isReceived, prompts, SLOW, turn, until } from "../host-bench.fixture.ts";
import type { Bench } from "../host-bench.fixture.ts";
import type { Session } from "../session/session.ts";

interface Trusted extends Bench {
  readonly folder: string;
  readonly session: Session;
  readonly put: (name: string, content?: unknown) => void;
  readonly trustAgain: () => Promise<void>;
}

/** A session in a folder that was trusted when it was empty. */
const trusted = async (): Promise<Trusted> => {
  const records = new Map<string, TrustRecord>();
  const store: TrustStore = {
    get: (folder) => records.get(folder),
    set: (record) => void records.set(record.folder, record),
    delete: (folder) => void records.delete(folder),
  };
  const made = await bench([HELLO, SLOW], { trust: store });
  const folder = join(made.cwd, "project");
  mkdirSync(folder);
  const trustAgain = (): Promise<void> => trust(folder, store, { configDir: join(made.cwd, ".claude") });
  await trustAgain();
  const put = (name: string, content: unknown = {}): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), JSON.stringify(content));
  };
  return { ...made, folder, put, trustAgain, session: await made.host.start({ cwd: folder }) };
};

const SETTINGS = ".claude/settings.json";
const SCHEDULE = ".claude/scheduled_tasks.json";
const HOOKS = { hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", command: "true" }] }] } };
const notices = (session: Session) => session.rows.filter((row) => row.kind === "notice" && row.topic === "folder");

describe("a folder that changes under a live process (S34)", () => {
  it("[H35] refuses the next prompt and keeps nothing of it, until the folder is trusted again", async () => {
    const { session, put, trustAgain, host } = await trusted();
    await turn(session, "hello");
    put(".mcp.json", { mcpServers: { evil: { command: "evil" } } });
    expect(await codeOf(session.prompt("hello again"))).toBe("folder-changed");
    await session.ended;
    expect(prompts(session)).toEqual([["hello", "done"]]);
    expect(notices(session)).toHaveLength(1);
    await trustAgain();
    await host.resume(session.id);
    await turn(session, "hello at last");
    expect(prompts(session)).toEqual([
      ["hello", "done"],
      ["hello at last", "done"],
    ]);
    expect(notices(session)).toHaveLength(1);
  });

  it("[H35] [S35] refuses the next prompt when a checkout brings in what git would run", async () => {
    const { session, folder, trustAgain, host } = await trusted();
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@example.com", ...args], {
        cwd: folder,
        stdio: "pipe",
      });
    const hook = (text: string): void => {
      mkdirSync(join(folder, "hooks"), { recursive: true });
      writeFileSync(join(folder, "hooks/post-index-change"), text, { mode: 0o755 });
      git("add", "--all");
      git("commit", "--quiet", "--no-verify", "--message", "a hook");
    };
    await session.close();
    git("init", "--quiet", "--initial-branch", "main");
    hook("#!/bin/sh\n");
    git("checkout", "--quiet", "-b", "other");
    hook("#!/bin/sh\n: another\n");
    git("checkout", "--quiet", "main");
    git("config", "core.hooksPath", "hooks");
    await trustAgain();
    await host.resume(session.id);
    await turn(session, "hello");
    git("-c", "core.hooksPath=/dev/null", "checkout", "--quiet", "other");
    expect(await codeOf(session.prompt("hello again"))).toBe("folder-changed");
    await session.ended;
    // Changes that git makes by itself do not end the trust.
    await trustAgain();
    await host.resume(session.id);
    git("-c", "core.hooksPath=/dev/null", "commit", "--quiet", "--allow-empty", "--message", "nothing");
    await turn(session, "hello");
  });

  it("[H35] ends an idle process before the CLI reloads its settings", async () => {
    const { session, put } = await trusted();
    put(SETTINGS, HOOKS);
    await session.ended;
    expect(session.isLive).toBe(false);
    expect(notices(session)).toMatchObject([{ text: expect.stringContaining(SETTINGS) as unknown }]);
  });

  it("[H35] ends a running turn, and keeps queued prompts for the next process", async () => {
    const { session, put, host, trustAgain, folder } = await trusted();
    const begun = until(session, isReceived("system", "init"));
    await session.prompt("slow");
    await begun;
    await session.prompt("hello", { priority: "later" });
    put(SETTINGS, HOOKS);
    await session.ended;
    expect(prompts(session)).toEqual([
      ["slow", "interrupted"],
      ["hello", "accepted"],
    ]);
    await trustAgain();
    expect(await host.folderTrusted(folder)).toEqual([session.id]);
    const done = until(session, isReceived("result"));
    await host.resume(session.id);
    await done;
    expect(prompts(session)).toEqual([
      ["slow", "interrupted"],
      ["hello", "done"],
    ]);
  });

  it("[H35] refuses requests that would reload the folder, and allows the others", async () => {
    const { session, put } = await trusted();
    const begun = until(session, isReceived("system", "init"));
    await session.prompt("slow");
    await begun;
    put(".mcp.json");
    expect(await codeOf(session.control.mcp_reconnect({ serverName: "evil" }))).toBe("folder-changed");
    expect(await codeOf(session.control.apply_flag_settings({ settings: {} }))).toBe("folder-changed");
    expect(await codeOf(session.setPermissionMode("plan"))).toBe("resolved");
    expect(await codeOf(session.interrupt())).toBe("resolved");
  });

  it("[H35] refuses such requests also while the process is closing", async () => {
    const { session, put } = await trusted();
    put(".mcp.json");
    expect(await codeOf(session.control.mcp_reconnect({ serverName: "evil" }))).toBe("folder-changed");
    expect(session.isLeaving).toBe(true);
    expect(await codeOf(session.control.apply_flag_settings({ settings: {} }))).toBe("folder-changed");
    await session.ended;
  });

  it("[H35] lets a process move only to a folder that is trusted or has nothing to run", async () => {
    const { session, put, cwd } = await trusted();
    mkdirSync(join(cwd, "other/.claude"), { recursive: true });
    writeFileSync(join(cwd, "other", SETTINGS), JSON.stringify(HOOKS));
    expect(await codeOf(session.control.set_cwd({ path: join(cwd, "other") }))).toBe("folder-changed");
    expect(await codeOf(session.control.set_cwd({ path: "~/other" }))).toBe("folder-changed");
    put("unrelated.json");
    expect(session.isLive).toBe(true);
  });

  it("[H35] continues without its settings if the user chooses that, also in later processes", async () => {
    const { session, put, host } = await trusted();
    put(SETTINGS, HOOKS);
    await session.ended;
    await host.resume(session.id, { withoutFolderSettings: true });
    await turn(session, "hello");
    put(SETTINGS, {});
    await turn(session, "hello again");
    expect(await host.holdsFolder(session.id)).toBe(true);
    await session.close();
    expect(await host.holdsFolder(session.id)).toBe(true);
    await host.resume(session.id);
    expect(host.heedsFolder(session.id)).toBe(false);
    await session.close();
    await host.resume(session.id, { withoutFolderSettings: false });
    // The folder is not trusted yet.
    expect(host.heedsFolder(session.id)).toBe(false);
  });

  it("[S66] refuses the next prompt also if it is an additional folder", async () => {
    const { host, folder, cwd } = await trusted();
    const other = join(cwd, "other");
    mkdirSync(join(other, ".claude/commands"), { recursive: true });
    const session = await host.start({ cwd: folder, cli: { addDir: [other] } });
    await turn(session, "hello");
    writeFileSync(join(other, ".claude/commands/evil.md"), "text");
    expect(await codeOf(session.prompt("hello again"))).toBe("folder-changed");
    await session.ended;
  });

  it("[S66] refuses a move to a folder that is named by a relative path", async () => {
    const { session } = await trusted();
    expect(await codeOf(session.control.set_cwd({ path: "." }))).toBe("folder-changed");
  });

  it("[S34] ends an idle process when the schedule it started with changes", async () => {
    const { session: first, put, trustAgain, host, folder } = await trusted();
    await first.close();
    const task = { id: "a1b2c3d4", cron: "* * * * *", prompt: "hello", recurring: true };
    put(SCHEDULE, { tasks: [task] });
    await trustAgain();
    const session = await host.start({ cwd: folder });
    // The CLI itself writes when it last sent a prompt.
    put(SCHEDULE, { tasks: [{ ...task, lastFiredAt: 1 }] });
    await turn(session, "hello");
    put(SCHEDULE, { tasks: [{ ...task, prompt: "something else" }] });
    await session.ended;
    expect(notices(session)).toMatchObject([{ text: expect.stringContaining(SCHEDULE) as unknown }]);
  });

  it("[H35] is trusted again when the change is undone", async () => {
    const { session, put, folder } = await trusted();
    put(".mcp.json");
    rmSync(join(folder, ".mcp.json"));
    await turn(session, "hello");
    expect(notices(session)).toEqual([]);
  });

  it("[H35] that changes while a start waits for a place is started without its settings", async () => {
    const { put, trustAgain: _, ...rest } = await trusted();
    const { options, folder, session: first } = rest;
    await first.close();
    const { Host } = await import("../host.ts");
    const { createMemoryStore } = await import("../store/memory-store.ts");
    const host = await Host.open({ ...options, store: createMemoryStore(), maxLive: 1 });
    const holder = await host.start({ cwd: folder });
    const waiting = host.start({ cwd: folder });
    await expect.poll(() => host.load.waiting).toBe(1);
    put(SETTINGS, HOOKS);
    await holder.ended;
    const second = await waiting;
    expect(host.heedsFolder(second.id)).toBe(false);
    expect(notices(second)).toHaveLength(1);
    await host.close();
  });
});
