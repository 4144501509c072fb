import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { ClaudeOptions } from "@quarterdeck/protocol";
import { createFold } from "@quarterdeck/session";
import type { Head } from "@quarterdeck/session";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "@quarterdeck/test-kit/scratch-folder";
import { trust } from "../trust/folder-trust.ts";
import type { TrustRecord, TrustStore } from "../trust/folder-trust.ts";
import { planLaunch, planStillTrusted } from "./launch-plan.ts";

const head = (over: Partial<Head>): Head => ({ ...createFold().head, ...over });
const env = { PATH: process.env["PATH"] ?? "", HOME: "/nowhere" };
const valuesOf = (argv: readonly string[], flag: string): string[] => {
  const at = argv.indexOf(flag);
  const rest = argv.slice(at + 1);
  const end = rest.findIndex((word) => word.startsWith("--"));
  return at === -1 ? [] : rest.slice(0, end === -1 ? rest.length : end);
};

const memoryTrust = (): TrustStore => {
  const records = new Map<string, TrustRecord>();
  return {
    get: (folder) => records.get(folder),
    set: (record) => void records.set(record.folder, record),
    delete: (folder) => void records.delete(folder),
  };
};

describe("how a session is spawned", () => {
  it("[H28] has what a host needs, no mode that nobody chose, and what the version knows of the rest", async () => {
    const { argv } = await planLaunch({ cwd: scratchFolder(), cli: { model: "opus" }, env, version: "2.1.325" });
    expect(argv).toEqual(
      expect.arrayContaining([
        "--output-format",
        "--input-format",
        "--verbose",
        "--include-partial-messages",
        "--replay-user-messages",
        "--permission-prompt-tool",
        "--include-hook-events",
        "--forward-subagent-text",
        "--enable-auth-status",
      ]) as unknown,
    );
    expect(argv).not.toContain("--permission-mode");
    expect(valuesOf(argv, "--model")).toEqual(["opus"]);
    const old = await planLaunch({ cwd: scratchFolder(), cli: {}, env, version: "2.1.38" });
    expect(old.argv).not.toContain("--forward-subagent-text");
    expect(old.argv).not.toContain("--permission-mode");
    expect(old.mode).toBe("default");
  });

  it("[H54] gives the allow rules of a trusted folder to a CLI that would ignore them", async () => {
    const cwd = scratchFolder();
    const store = memoryTrust();
    const allow = ["Bash(npm test *)", "Edit(/src/**)", 5, "Bash(", " Read"];
    mkdirSync(join(cwd, ".claude"), { recursive: true });
    writeFileSync(join(cwd, ".claude", "settings.json"), JSON.stringify({ permissions: { allow } }));
    const allowed = async (version: string): Promise<readonly string[]> =>
      (await planLaunch({ cwd, cli: { allowedTools: ["Read"] }, env, version, trust: store })).flags.allowedTools ?? [];
    expect(await allowed("2.1.325")).toEqual(["Read"]);
    await trust(cwd, store);
    expect(await allowed("2.1.325")).toEqual(["Read", "Bash(npm test *)", "Edit(/src/**)"]);
    // It reads them itself.
    expect(await allowed("2.1.38")).toEqual(["Read"]);
    writeFileSync(join(cwd, ".claude", "settings.json"), JSON.stringify({ permissions: { allow: ["Bash"] } }));
    expect(await allowed("2.1.325")).toEqual(["Read"]);
  });

  it("[H38] leaves the mode to the user's defaultMode, unless that mode never asks", async () => {
    const [cwd, home] = [scratchFolder(), scratchFolder()];
    const settings = (folder: string, name: string, defaultMode: string): void => {
      mkdirSync(join(folder, ".claude"), { recursive: true });
      writeFileSync(join(folder, ".claude", name), JSON.stringify({ permissions: { defaultMode } }));
    };
    const plan = async (more: Partial<Parameters<typeof planLaunch>[0]> = {}) => {
      const { argv, mode, ignoredMode } = await planLaunch({ cwd, cli: {}, env: { ...env, HOME: home }, ...more });
      return [valuesOf(argv, "--permission-mode")[0], mode, ignoredMode];
    };
    expect(await plan()).toEqual([undefined, "default", undefined]);
    settings(home, "settings.json", "acceptEdits");
    expect(await plan()).toEqual([undefined, "acceptEdits", undefined]);
    expect(await plan({ cli: { permissionMode: "plan" } })).toEqual(["plan", "plan", undefined]);
    // Taken back in the last process.
    expect(await plan({ mode: "default" })).toEqual(["default", "default", undefined]);
    expect(await plan({ mode: "bypassPermissions" })).toEqual([undefined, "acceptEdits", undefined]);
    settings(cwd, "settings.json", "plan");
    expect(await plan()).toEqual([undefined, "plan", undefined]);
    // A folder that is not trusted has no say.
    expect(await plan({ trust: memoryTrust() })).toEqual([undefined, "acceptEdits", undefined]);
    for (const mode of ["bypassPermissions", "auto"]) {
      settings(cwd, "settings.local.json", mode);
      expect(await plan()).toEqual(["default", "default", mode]);
    }
    expect(await plan({ cli: { permissionMode: "bypassPermissions" } })).toEqual([
      "bypassPermissions",
      "bypassPermissions",
      undefined,
    ]);
  });

  it("[H23] gives the session's permissions to the next process, with those of the start", async () => {
    const rules = {
      allow: ["Bash(npm test *)", "Read"],
      deny: ["Bash(rm *)"],
      ask: ["Bash(git push *)"],
      directories: ["/elsewhere"],
    };
    const { argv } = await planLaunch({
      cwd: scratchFolder(),
      cli: {
        allowedTools: ["Read", "Edit"],
        addDir: ["/here"],
        settings: { env: { A: "b" }, permissions: { ask: ["WebFetch"], deny: ["X"] } },
      },
      env,
      version: "2.1.325",
      keep: head({ rules, mode: "acceptEdits" }),
    });
    expect(argv.join(" ")).toContain("Bash(npm test *)");
    expect(valuesOf(argv, "--permission-mode")).toEqual(["acceptEdits"]);
    expect(valuesOf(argv, "--add-dir")).toEqual(["/here", "/elsewhere"]);
    expect(valuesOf(argv, "--disallowedTools").join(" ")).toContain("Bash(rm *)");
    expect(JSON.parse(valuesOf(argv, "--settings")[0]!)).toEqual({
      env: { A: "b" },
      permissions: { ask: ["WebFetch", "Bash(git push *)"], deny: ["X"] },
    });
  });

  it("[H23] never keeps a mode that does not ask", async () => {
    const { argv } = await planLaunch({
      cwd: scratchFolder(),
      cli: { permissionMode: "plan" },
      env,
      keep: head({ mode: "bypassPermissions" }),
    });
    expect(valuesOf(argv, "--permission-mode")).toEqual(["plan"]);
  });

  it("[H23] keeps a mode that is narrower than the start mode, and no wider one, even if permissions are not kept", async () => {
    const modeOf = async (permissionMode: NonNullable<ClaudeOptions["permissionMode"]>, mode: string) => {
      const { argv } = await planLaunch({ cwd: scratchFolder(), cli: { permissionMode }, env, mode });
      return valuesOf(argv, "--permission-mode")[0];
    };
    expect(await modeOf("acceptEdits", "plan")).toBe("plan");
    expect(await modeOf("bypassPermissions", "default")).toBe("default");
    expect(await modeOf("default", "acceptEdits")).toBe("default");
    expect(await modeOf("plan", "default")).toBe("plan");
    expect(await modeOf("default", "bypassPermissions")).toBe("default");
    expect(await modeOf("acceptEdits", "some newer mode")).toBe("acceptEdits");
    const skips = { cwd: scratchFolder(), cli: { dangerouslySkipPermissions: true } as const, env, mode: "plan" };
    expect((await planLaunch(skips)).argv).not.toContain("--dangerously-skip-permissions");
  });

  it("[H28] leaves out the settings of a folder that is not trusted, or if the user does not want them", async () => {
    const store = memoryTrust();
    const cwd = scratchFolder();
    mkdirSync(join(cwd, ".claude"));
    writeFileSync(join(cwd, ".claude", "settings.json"), "{}");
    const isNarrow = async (more: object = {}): Promise<boolean> => {
      const plan = await planLaunch({ cwd, cli: {}, env, trust: store, ...more });
      const byFlags =
        plan.argv.includes("--strict-mcp-config") && valuesOf(plan.argv, "--setting-sources")[0] === "user";
      expect(plan.leftOut).toEqual(byFlags ? [join(cwd, ".claude", "settings.json")] : []);
      expect(byFlags).toBe(plan.env["CLAUDE_CODE_DISABLE_CRON"] === "1");
      expect(byFlags).toBe(plan.env["GIT_CONFIG_COUNT"] !== undefined || plan.env["GIT_DIR"] !== undefined);
      return byFlags;
    };
    expect(await isNarrow()).toBe(true);
    await trust(cwd, store, { configDir: "/nowhere/.claude" });
    expect(await isNarrow()).toBe(false);
    expect(await isNarrow({ withoutFolderSettings: true })).toBe(true);
  });

  it("[S34] is planned again if the folder changed while the session waited for its place", async () => {
    const store = memoryTrust();
    const cwd = scratchFolder();
    await trust(cwd, store, { configDir: "/nowhere/.claude" });
    const wishes = { cwd, cli: {}, env, trust: store };
    const plan = await planLaunch(wishes);
    expect(plan.heedsFolder).toBe(true);
    expect(await planStillTrusted(plan, wishes)).toEqual(plan);
    writeFileSync(join(cwd, ".mcp.json"), "{}");
    const again = await planStillTrusted(plan, wishes);
    expect(again).toMatchObject({ heedsFolder: false, leftOut: [join(cwd, ".mcp.json")] });
    for (const name of ["a", "b"]) {
      mkdirSync(join(cwd, ".claude", "skills", name), { recursive: true });
      writeFileSync(join(cwd, ".claude", "skills", name, "SKILL.md"), "text");
    }
    const { leftOut } = await planLaunch(wishes);
    expect(leftOut).toEqual([join(cwd, ".mcp.json"), join(cwd, ".claude", "skills")]);
    expect(again.argv).toContain("--strict-mcp-config");
  });

  it("[S55, S66] loads no folder settings with a new worktree or an untrusted additional folder", async () => {
    const store = memoryTrust();
    const [cwd, other] = [scratchFolder(), scratchFolder()];
    await trust(cwd, store, { configDir: "/nowhere/.claude" });
    const wishes = { cwd, cli: { addDir: [relative(cwd, other)] }, env, trust: store };
    const heeds = async (cli: ClaudeOptions): Promise<boolean> => (await planLaunch({ ...wishes, cli })).heedsFolder;
    expect(await heeds({ worktree: true })).toBe(false);
    const plan = await planLaunch(wishes);
    expect(plan).toMatchObject({ heedsFolder: true, added: [other] });
    mkdirSync(join(other, ".claude", "commands"), { recursive: true });
    writeFileSync(join(other, ".claude", "commands", "evil.md"), "text");
    expect(await planStillTrusted(plan, wishes)).toMatchObject({ heedsFolder: false });
    const spellings = [other, relative(cwd, other), `~/${relative(env.HOME, other)}`];
    for (const path of spellings) expect([path, await heeds({ addDir: [path] })]).toEqual([path, false]);
  });
});

describe("a worktree", () => {
  it("[S55] starts without the project's settings, also in a trusted folder", async () => {
    const cwd = scratchFolder();
    writeFileSync(join(cwd, ".mcp.json"), "{}");
    const store = memoryTrust();
    await trust(cwd, store, { configDir: "/nowhere/.claude" });
    const wishes = { cwd, env, trust: store, version: "2.1.325" };
    const plain = await planLaunch({ ...wishes, cli: {} });
    expect([plain.heedsFolder, plain.leftOut]).toEqual([true, []]);
    const { argv, heedsFolder, leftOut } = await planLaunch({ ...wishes, cli: { worktree: "try" } });
    expect(valuesOf(argv, "--setting-sources")).toEqual(["user"]);
    expect(argv).toContain("--strict-mcp-config");
    expect([heedsFolder, leftOut]).toEqual([false, [join(cwd, ".claude", "worktrees"), join(cwd, ".mcp.json")]]);
  });
});

describe("closed paths", () => {
  it("[S56] become rules against reading and writing, next to those of the start", async () => {
    const { argv } = await planLaunch({
      cwd: scratchFolder(),
      cli: { disallowedTools: ["WebFetch"] },
      env,
      closedPaths: ["/data/secret", "/with space/(x)/*"],
    });
    expect(valuesOf(argv, "--disallowedTools")).toEqual([
      ...["WebFetch", "Read(//data/secret)", "Edit(//data/secret)"],
      ...["Read(//with?space/?x?/?)", "Edit(//with?space/?x?/?)"],
    ]);
  });
});
