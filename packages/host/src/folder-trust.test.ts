import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { ClaudeOptions, PermissionUpdate } from "@quarterdeck/protocol";
import { describe, expect, test } from "vitest";
import { scratchFolder } from "./child-script.fixture.ts";
import {
  fileTrustStore,
  isTrusted,
  keepTrust,
  readFolder,
  trust,
  trustOf,
  untrustedEnvironment,
  untrustedOptions,
} from "./folder-trust.ts";
import type { TrustRecord, TrustStore } from "./folder-trust.ts";

const put = (path: string, content: unknown = {}): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
};
const git = (folder: string, ...args: string[]): void => {
  mkdirSync(folder, { recursive: true });
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", "-C", folder, ...args], { stdio: "pipe" });
};
const memoryStore = (): TrustStore => {
  const records = new Map<string, TrustRecord>();
  return {
    get: (folder) => records.get(folder),
    set: (record) => void records.set(record.folder, record),
    delete: (folder) => void records.delete(folder),
  };
};
const configDir = "/nowhere/.claude";
const ENV = { PATH: process.env["PATH"] ?? "", HOME: "/nowhere" };

describe("which files count", () => {
  const SETTINGS = [".claude/settings.json", ".claude/settings.local.json"];
  const ALL = [...SETTINGS, ".mcp.json"];
  const fill = (folder: string): void => ALL.forEach((name) => put(join(folder, name)));
  /** Below `root`: a machine may have files above its folder for temporary things. */
  const filesOf = async (folder: string, root: string): Promise<Set<string>> =>
    new Set(
      (await readFolder(folder, { configDir })).files
        .map(({ path }) => relative(root, path))
        .filter((path) => !path.startsWith("..")),
    );
  const filled = (...folders: string[]): string => {
    const root = scratchFolder();
    for (const folder of ["", ...folders]) fill(join(root, folder));
    return root;
  };

  test("settings of the folder alone, MCP servers of all folders above", async () => {
    const root = filled("a", "a/b");
    expect(await filesOf(join(root, "a", "b"), root)).toEqual(
      new Set([".mcp.json", "a/.mcp.json", ...ALL.map((name) => `a/b/${name}`)]),
    );
  });

  test("and settings of the repository's root", async () => {
    const root = filled("a", "a/b", "a/b/c");
    git(join(root, "a"), "init", "-q");
    expect(await filesOf(join(root, "a", "b", "c"), root)).toEqual(
      new Set([".mcp.json", "a/b/.mcp.json", ...ALL.flatMap((name) => [`a/${name}`, `a/b/c/${name}`])]),
    );
  });

  test("in a worktree, of its own root and of the main one", async () => {
    const root = filled("main", "tree", "tree/sub");
    git(join(root, "main"), "init", "-q");
    git(join(root, "main"), "commit", "-q", "--allow-empty", "-m", "first");
    git(join(root, "main"), "worktree", "add", "-q", "-f", join(root, "tree2"));
    fill(join(root, "tree2"));
    mkdirSync(join(root, "tree2", "sub"));
    expect(await filesOf(join(root, "tree2", "sub"), root)).toEqual(
      new Set([".mcp.json", ...ALL.map((name) => `tree2/${name}`), ...SETTINGS.map((name) => `main/${name}`)]),
    );
  });

  test("through links, of where the folder really is", async () => {
    const root = filled("real", "links");
    symlinkSync("../real", join(root, "links", "folder"));
    const contents = await readFolder(join(root, "links", "folder"), { configDir });
    expect(contents.folder).toBe(join(root, "real"));
    expect(await filesOf(join(root, "links", "folder"), root)).toEqual(
      new Set([".mcp.json", ...ALL.map((name) => `real/${name}`)]),
    );
  });

  test("never the user's own configuration", async () => {
    const home = filled();
    symlinkSync(".claude", join(home, "config"));
    const { files } = await readFolder(home, { configDir: join(home, "config") });
    expect(files.map(({ path }) => path)).toContain(join(home, ".mcp.json"));
    expect(files.filter(({ path }) => path.includes("settings"))).toEqual([]);
  });
});

describe("trust (S8)", () => {
  const SETTINGS = { hooks: {} };
  const folderOf = (): string => {
    const folder = scratchFolder();
    put(join(folder, ".claude", "settings.json"), SETTINGS);
    return folder;
  };

  test("is not there before it is given, and holds for this folder and its other names", async () => {
    const store = memoryStore();
    const folder = folderOf();
    const other = scratchFolder();
    symlinkSync(folder, join(other, "link"));
    expect(await trustOf(folder, store)).toBe("unknown");
    await trust(folder, store);
    expect(await isTrusted(folder, store)).toBe(true);
    expect(await isTrusted(join(other, "link"), store)).toBe(true);
    expect(await isTrusted(other, store)).toBe(false);
    expect(await isTrusted(join(folder, ".claude"), store)).toBe(false);
  });

  test.each([
    ["a changed file", (folder: string) => put(join(folder, ".claude", "settings.json"), { hooks: { Stop: [] } })],
    ["a new file", (folder: string) => put(join(folder, ".claude", "settings.local.json"))],
    ["a new MCP file", (folder: string) => put(join(folder, ".mcp.json"))],
    ["a file that became a link", (folder: string) => symlinkSync("/etc/hostname", join(folder, ".mcp.json"))],
    ["a file that is no JSON any more", (folder: string) => put(join(folder, ".claude", "settings.json"), "{")],
  ])("ends with %s, and comes back with the old contents", async (_, change) => {
    const store = memoryStore();
    const folder = folderOf();
    await trust(folder, store);
    change(folder);
    expect(await trustOf(folder, store)).toBe("changed");
    rmSync(join(folder, ".mcp.json"), { force: true });
    rmSync(join(folder, ".claude", "settings.local.json"), { force: true });
    put(join(folder, ".claude", "settings.json"), SETTINGS);
    expect(await trustOf(folder, store)).toBe("trusted");
  });

  test("is for what was shown, not for what came after", async () => {
    const store = memoryStore();
    const folder = folderOf();
    const shown = await readFolder(folder);
    put(join(folder, ".mcp.json"), { mcpServers: { late: { command: "x" } } });
    await trust(shown, store);
    expect(await trustOf(folder, store)).toBe("changed");
  });

  test("a folder with nothing in it is not trusted by that", async () => {
    expect(await isTrusted(scratchFolder(), memoryStore())).toBe(false);
  });

  test("a folder that is not there is an error", async () => {
    await expect(isTrusted(join(scratchFolder(), "gone"), memoryStore())).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe("a person's permission rules", () => {
  const local = (folder: string): string => join(folder, ".claude", "settings.local.json");
  const trusted = async (settings?: unknown): Promise<{ folder: string; store: TrustStore }> => {
    const store = memoryStore();
    const folder = scratchFolder();
    if (settings !== undefined) put(local(folder), settings);
    await trust(folder, store);
    return { folder, store };
  };
  const HOOKS = { Stop: [{ hooks: [{ type: "command", command: "true" }] }] };
  const rules = (type: "addRules" | "removeRules", ...contents: string[]): PermissionUpdate => ({
    type,
    behavior: "allow",
    destination: "localSettings",
    rules: contents.map((ruleContent) => ({ toolName: "Bash", ruleContent })),
  });
  const directories: PermissionUpdate = {
    type: "addDirectories",
    directories: ["/x"],
    destination: "localSettings",
  };

  test.each<[string, unknown, unknown, PermissionUpdate[]]>([
    ["a first rule", undefined, { permissions: { allow: ["Bash(ls)"] } }, [rules("addRules", "ls")]],
    [
      "one more, in another order and layout",
      { hooks: HOOKS, permissions: { allow: ["A"] } },
      `{ "permissions": {"allow": ["Bash(ls)", "A"], "additionalDirectories": ["/x"]},\n"hooks": ${JSON.stringify(HOOKS)} }`,
      [rules("addRules", "ls"), directories],
    ],
    ["the last one gone", { permissions: { allow: ["Bash(ls)"] } }, {}, [rules("removeRules", "ls")]],
    ["nothing", { hooks: HOOKS }, { hooks: HOOKS }, [rules("addRules", "ls")]],
    [
      "a mode that the answer set",
      {},
      { permissions: { defaultMode: "acceptEdits" } },
      [{ type: "setMode", mode: "acceptEdits", destination: "localSettings" }],
    ],
  ])("[H22] %s keeps the trust", async (_, before, after, updates) => {
    const { folder, store } = await trusted(before);
    const was = await readFolder(folder);
    put(local(folder), after);
    expect(await keepTrust(was, updates, store)).toBe(true);
    expect(await trustOf(folder, store)).toBe("trusted");
  });

  test.each<[string, unknown]>([
    ["another rule", { permissions: { allow: ["Bash(ls)", "Bash(rm -rf /)"] } }],
    ["a rule of another list", { permissions: { allow: ["Bash(ls)"], deny: ["Read"] } }],
    ["a hook", { hooks: HOOKS, permissions: { allow: ["Bash(ls)"] } }],
    ["a variable", { env: { PATH: "/evil" }, permissions: { allow: ["Bash(ls)"] } }],
    ["a default mode", { permissions: { allow: ["Bash(ls)"], defaultMode: "bypassPermissions" } }],
    ["rules of a form that we do not know", { permissions: ["Bash(ls)"] }],
    ["no JSON", "{"],
  ])("[H22] with %s beside them they do not", async (_, after) => {
    const { folder, store } = await trusted({ permissions: { allow: [] } });
    const was = await readFolder(folder);
    put(local(folder), after);
    expect(await keepTrust(was, [rules("addRules", "ls")], store)).toBe(false);
    expect(await trustOf(folder, store)).toBe("changed");
  });

  test("[H22] in another file than the answer named they do not", async () => {
    const { folder, store } = await trusted({});
    const was = await readFolder(folder);
    put(join(folder, ".claude", "settings.json"), { permissions: { allow: ["Bash(ls)"] } });
    expect(await keepTrust(was, [rules("addRules", "ls")], store)).toBe(false);
    put(join(folder, ".mcp.json"), {});
    expect(await keepTrust(was, [rules("addRules", "ls")], store)).toBe(false);
  });

  test("[H22] give no trust to a folder that has none, or that had changed before", async () => {
    const store = memoryStore();
    const folder = scratchFolder();
    expect(await keepTrust(await readFolder(folder), [], store)).toBe(false);
    expect(await trustOf(folder, store)).toBe("unknown");
    await trust(folder, store);
    put(local(folder), { hooks: HOOKS });
    const was = await readFolder(folder);
    put(local(folder), { hooks: HOOKS, permissions: { allow: ["Bash(ls)"] } });
    expect(await keepTrust(was, [rules("addRules", "ls")], store)).toBe(false);
    expect(await trustOf(folder, store)).toBe("changed");
  });
});

describe("the file that keeps it", () => {
  test("is private, and read again by the next host", async () => {
    const path = join(scratchFolder(), "data", "trust.json");
    const folder = scratchFolder();
    const first = fileTrustStore(path);
    await trust(folder, first);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    const second = fileTrustStore(path);
    expect(await isTrusted(folder, second)).toBe(true);
    second.delete(folder);
    expect(await isTrusted(folder, fileTrustStore(path))).toBe(false);
  });

  test("gives no trust by entries that are none, and is not overwritten unread", () => {
    const path = join(scratchFolder(), "trust.json");
    put(path, [{ folder: "/a" }, "x", null, { folder: "/b", files: {} }]);
    expect(fileTrustStore(path).get("/a")).toBe(undefined);
    expect(fileTrustStore(path).get("/b")).toEqual({ folder: "/b", files: {} });
    put(path, "torn");
    expect(() => fileTrustStore(path)).toThrow(SyntaxError);
    expect(readFileSync(path, "utf8")).toBe("torn");
  });
});

describe("an untrusted folder is spawned", () => {
  test.each([
    [{}, { settingSources: ["user"], strictMcpConfig: true }],
    [{ settingSources: [] }, { settingSources: [], strictMcpConfig: true }],
    [
      { settingSources: ["user", "project", "local"], model: "opus", mcpConfig: ["mine.json"] },
      { settingSources: ["user"], strictMcpConfig: true, model: "opus", mcpConfig: ["mine.json"] },
    ],
  ] as const)("with options %j as %j", (options, expected) => {
    expect(untrustedOptions(options as ClaudeOptions)).toEqual(expected);
  });

  const WITHOUT_MONITOR = {
    GIT_CONFIG_COUNT: "2",
    GIT_CONFIG_KEY_0: "core.fsmonitor",
    GIT_CONFIG_VALUE_0: "",
    GIT_CONFIG_KEY_1: "core.hooksPath",
    GIT_CONFIG_VALUE_1: "/dev/null",
  };
  const WITHOUT_GIT = { GIT_DIR: "/dev/null" };

  test.each([
    ["nothing of note", [], WITHOUT_MONITOR],
    ["a file-system monitor", ["core.fsmonitor", "./evil"], WITHOUT_MONITOR],
    ["a hooks folder", ["core.hooksPath", ".husky"], WITHOUT_MONITOR],
    ["a filter", ["filter.lfs.process", "evil"], WITHOUT_GIT],
    ["an external diff", ["diff.external", "evil"], WITHOUT_GIT],
    ["a text converter", ["diff.Some.Thing.textconv", "evil"], WITHOUT_GIT],
    ["a signature program", ["gpg.program", "evil"], WITHOUT_GIT],
  ])("with a git that runs nothing of the repository's: %s", async (_, setting, expected) => {
    const folder = scratchFolder();
    git(folder, "init", "-q");
    if (setting.length > 0) git(folder, "config", ...setting);
    expect(await untrustedEnvironment(folder, ENV)).toEqual(expected);
  });

  test("a setting that is included from elsewhere counts, one of the user's does not", async () => {
    const folder = scratchFolder();
    git(folder, "init", "-q");
    put(join(folder, "more"), '[filter "x"]\n\tclean = evil\n');
    const home = scratchFolder();
    put(join(home, ".gitconfig"), '[filter "lfs"]\n\tprocess = git-lfs\n');
    expect(await untrustedEnvironment(folder, { ...ENV, HOME: home })).toEqual(WITHOUT_MONITOR);
    git(folder, "config", "include.path", "../more");
    expect(await untrustedEnvironment(folder, ENV)).toEqual(WITHOUT_GIT);
  });

  test("settings that git cannot read may hide anything; no git hides nothing", async () => {
    const folder = scratchFolder();
    git(folder, "init", "-q");
    put(join(folder, ".git", "config"), "[[[");
    expect(await untrustedEnvironment(folder, ENV)).toEqual(WITHOUT_GIT);
    expect(await untrustedEnvironment(folder, { PATH: scratchFolder() })).toEqual(WITHOUT_MONITOR);
  });

  test("an empty folder too", async () => {
    expect(await untrustedEnvironment(scratchFolder(), ENV)).toEqual(WITHOUT_MONITOR);
  });
});
