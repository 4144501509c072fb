import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { ClaudeOptions, PermissionUpdate } from "@quarterdeck/protocol";
import { describe, expect, test } from "vitest";
import { scratchFolder } from "@quarterdeck/test-kit/scratch-folder";
import {
  fileTrustStore,
  isTrusted,
  keepTrust,
  readFolder,
  trust,
  trustIn,
  trustOf,
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

describe("which files count", () => {
  const SETTINGS = [".claude/settings.json", ".claude/settings.local.json"];
  const ALL = [...SETTINGS, ".mcp.json"];
  const fill = (folder: string): void => ALL.forEach((name) => put(join(folder, name)));
  /** Only files below `root`: a machine may have such files above its temporary folder. */
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

  test("settings of the folder only, and MCP servers of all folders above", async () => {
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

  test("through links, those of the real folder", async () => {
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

describe("commands, skills, agents and other files that the CLI loads", () => {
  const LOADED = [
    ".claude/agents/a.md",
    ".claude/commands/deep/c.md",
    ".claude/output-styles/o.md",
    ".claude/routines/r.md",
    ".claude/scheduled_tasks.json",
    ".claude/skills/s/SKILL.md",
    ".claude/skills/s/scripts/run.sh",
    ".claude/workflows/w.js",
  ];
  const namesOf = async (folder: string, root: string): Promise<string[]> =>
    (await readFolder(folder, { configDir })).files
      .map(({ path }) => relative(root, path))
      .filter((path) => !path.startsWith(".."))
      .toSorted();

  test("[S34] belong to the folder, and a change to any of them ends the trust", async () => {
    const store = memoryStore();
    const folder = scratchFolder();
    for (const name of LOADED) put(join(folder, name), "text");
    expect(await namesOf(folder, folder)).toEqual(LOADED);
    await trust(folder, store, { configDir });
    for (const name of LOADED) {
      put(join(folder, name), "other");
      expect([name, await trustOf(folder, store, { configDir })]).toEqual([name, "changed"]);
      put(join(folder, name), "text");
      expect([name, await trustOf(folder, store, { configDir })]).toEqual([name, "trusted"]);
    }
    put(join(folder, ".claude/commands/new.md"), "new");
    expect(await trustOf(folder, store, { configDir })).toBe("changed");
  });

  test("[S34] come from the folders above too, up to the repository's root, or up to the top outside a repository", async () => {
    const root = scratchFolder();
    for (const place of ["", "a", "a/b"]) put(join(root, place, ".claude/commands/c.md"), "text");
    const all = [".claude/commands/c.md", "a/.claude/commands/c.md", "a/b/.claude/commands/c.md"];
    expect(await namesOf(join(root, "a/b"), root)).toEqual(all);
    git(join(root, "a"), "init", "-q");
    expect(await namesOf(join(root, "a/b"), root)).toEqual(all.slice(1));
  });

  test("[S34] in a worktree come from the main one too", async () => {
    const root = scratchFolder();
    put(join(root, "main/.claude/skills/s/SKILL.md"), "text");
    git(join(root, "main"), "init", "-q");
    git(join(root, "main"), "commit", "-q", "--allow-empty", "-m", "first");
    git(join(root, "main"), "worktree", "add", "-q", "-f", join(root, "tree"));
    expect(await namesOf(join(root, "tree"), root)).toEqual(["main/.claude/skills/s/SKILL.md"]);
  });

  test("the CLI's notes about a scheduled prompt that it sent are not a change", async () => {
    const store = memoryStore();
    const folder = scratchFolder();
    const file = join(folder, ".claude/scheduled_tasks.json");
    const task = { id: "a", cron: "* * * * *", prompt: "look" };
    put(file, { tasks: [task] });
    await trust(folder, store, { configDir });
    put(file, { tasks: [{ ...task, lastFiredAt: 5 }] });
    expect(await trustOf(folder, store, { configDir })).toBe("trusted");
    put(file, { tasks: [{ ...task, prompt: "other" }] });
    expect(await trustOf(folder, store, { configDir })).toBe("changed");
  });

  test("files that a skill's own programs leave do not count", async () => {
    const folder = scratchFolder();
    put(join(folder, ".claude/skills/s/scripts/__pycache__/run.pyc"), "x");
    put(join(folder, ".claude/skills/s/node_modules/m/index.js"), "x");
    put(join(folder, ".claude/skills/node_modules/SKILL.md"), "x");
    expect(await namesOf(folder, folder)).toEqual([".claude/skills/node_modules/SKILL.md"]);
  });

  test("[S34] more files than a person can review cannot be trusted", async () => {
    const [wide, deep, heavy] = [scratchFolder(), scratchFolder(), scratchFolder()];
    for (let at = 0; at <= 1000; at++) put(join(wide, ".claude/commands", `${String(at)}.md`), "x");
    put(join(deep, ".claude/commands", ...Array.from({ length: 12 }, () => "d"), "c.md"), "x");
    for (let at = 0; at < 5; at++) put(join(heavy, ".claude/commands", `${String(at)}.md`), "x".repeat(1_000_000));
    for (const folder of [wide, deep, heavy]) {
      const top = { path: join(folder, ".claude/commands"), kind: "too-many" };
      const { files } = await readFolder(folder, { configDir });
      expect(files.filter(({ kind }) => kind !== "file")).toMatchObject([top]);
      await expect(trust(folder, memoryStore(), { configDir })).rejects.toThrow(/holds too many files to look at/);
    }
  });

  test("an asset of a skill may be binary, but files that the CLI reads must be text", async () => {
    const folder = scratchFolder();
    const put0 = (name: string): void => put(join(folder, ".claude/skills/s", name), "\0\u0001");
    put0("logo.png");
    await trust(folder, memoryStore(), { configDir });
    put0("SKILL.md");
    expect((await readFolder(folder, { configDir })).files.map(({ kind }) => kind)).toEqual(["unreadable", "binary"]);
    await expect(trust(folder, memoryStore(), { configDir })).rejects.toMatchObject({ code: "not-trustable" });
  });
});

describe("anything but a regular file inside the folder", () => {
  const secretIn = (folder: string): string => {
    put(join(folder, "secret"), "the token");
    return join(folder, "secret");
  };
  const fifo = (path: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    execFileSync("mkfifo", [path]);
  };
  const linked = (target: string) => (path: string) => {
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(target, path);
  };
  const PLACES = [
    ".mcp.json",
    ".claude/settings.json",
    ".claude/commands/c.md",
    ".claude/skills/s/SKILL.md",
    ".claude/agents/a.md",
  ];

  test.each<[string, (path: string) => void, string, RegExp]>([
    ["a link to a device", linked("/dev/zero"), "link-outside", /is a link that leads out of the folder/],
    ["a link to a file outside", linked("/etc/passwd"), "link-outside", /Replace it with a regular file, or start/],
    ["a link to a folder outside", linked("/etc"), "link-outside", /is a link that leads out/],
    ["a FIFO", fifo, "special", /is not a regular file/],
    ["a file of 2 MB", (path) => put(path, "x".repeat(2_000_000)), "too-large", /is too large to look at/],
  ])("[S33] %s is listed and not read, and the folder cannot be trusted", async (_, make, kind, words) => {
    for (const name of PLACES) {
      const store = memoryStore();
      const folder = scratchFolder();
      const path = join(folder, name);
      make(path);
      const contents = await readFolder(folder, { configDir });
      const { hash } = contents.files[0]!;
      expect(contents.files).toEqual([{ path, kind, hash }]);
      await expect(trust(contents, store)).rejects.toThrow(words);
      // An older record must not make it trusted either.
      store.set({ folder, files: { [path]: { hash } } });
      expect(await trustOf(folder, store, { configDir })).toBe("changed");
    }
  });

  test("[S33] a folder in the place of a file cannot be trusted", async () => {
    const folder = scratchFolder();
    mkdirSync(join(folder, ".mcp.json"));
    expect((await readFolder(folder, { configDir })).files).toMatchObject([{ kind: "folder" }]);
  });

  test("[S33] a link to another file of the folder counts as that file, and a change of it as a change", async () => {
    const store = memoryStore();
    const folder = scratchFolder();
    put(join(folder, "config/mcp.json"), "{}");
    put(join(folder, "shared/skills/s/SKILL.md"), "hello");
    symlinkSync("config/mcp.json", join(folder, ".mcp.json"));
    mkdirSync(join(folder, ".claude"));
    symlinkSync("../shared/skills", join(folder, ".claude/skills"));
    expect((await readFolder(folder, { configDir })).files).toMatchObject([
      { path: join(folder, ".mcp.json"), kind: "file", text: "{}" },
      { path: join(folder, ".claude/skills/s/SKILL.md"), kind: "file", text: "hello" },
    ]);
    await trust(folder, store, { configDir });
    expect(await trustOf(folder, store, { configDir })).toBe("trusted");
    put(join(folder, "shared/skills/s/SKILL.md"), "other");
    expect(await trustOf(folder, store, { configDir })).toBe("changed");
  });

  test("[S33] in a folder above, a link may lead no further than that folder or the repository", async () => {
    const root = scratchFolder();
    secretIn(root);
    put(join(root, "repository/config.json"), "{}");
    mkdirSync(join(root, "repository/sub"));
    git(join(root, "repository"), "init", "-q");
    symlinkSync("../config.json", join(root, "repository/sub/.mcp.json"));
    symlinkSync("../secret", join(root, "repository/.mcp.json"));
    expect((await readFolder(join(root, "repository/sub"), { configDir })).files).toMatchObject([
      { path: join(root, "repository/sub/.mcp.json"), kind: "file" },
      { path: join(root, "repository/.mcp.json"), kind: "link-outside" },
    ]);
  });

  test("[S33] a `.git` that points elsewhere does not allow links to lead there", async () => {
    const root = scratchFolder();
    secretIn(root);
    put(join(root, "above/folder/.git"), "gitdir: admin\n");
    put(join(root, "above/folder/admin/commondir"), "/\n");
    for (const place of ["above", "above/folder"]) symlinkSync(join(root, "secret"), join(root, place, ".mcp.json"));
    const { files } = await readFolder(join(root, "above/folder"), { configDir });
    const links = files.filter(({ path }) => path.startsWith(root) && path.endsWith(".mcp.json"));
    expect(links.map(({ kind }) => kind)).toEqual(["link-outside", "link-outside"]);
  });

  test("[S33] hidden folders are never read, even inside the folder", async () => {
    const folder = scratchFolder();
    put(join(folder, "data/token"), "the token");
    symlinkSync("data/token", join(folder, ".mcp.json"));
    const { files } = await readFolder(folder, { configDir, hidden: [join(folder, "data")] });
    expect(files).toMatchObject([{ kind: "link-outside" }]);
    expect(JSON.stringify(files)).not.toContain("the token");
  });

  test("[S42] a FIFO or a device as `.git`, or as its target, does not block the reading", async () => {
    for (const make of [fifo, linked("/dev/zero")]) {
      const folder = scratchFolder();
      make(join(folder, ".git"));
      expect((await readFolder(folder, { configDir })).files).toEqual([]);
      rmSync(join(folder, ".git"));
      put(join(folder, ".git"), "gitdir: admin\n");
      make(join(folder, "admin/commondir"));
      expect((await readFolder(folder, { configDir })).files).toMatchObject([
        { path: join(folder, ".git"), text: "git: the settings of this repository cannot be read" },
      ]);
    }
  });

  test("[S34] a quick reading is compared without git, and cannot be trusted", async () => {
    const store = memoryStore();
    const folder = scratchFolder();
    put(join(folder, ".git/HEAD"), "ref: refs/heads/main\n");
    for (const name of ["objects", "refs"]) mkdirSync(join(folder, ".git", name));
    put(join(folder, ".git/config"), "[core]\n\tfsmonitor = ./canary\n");
    await trust(folder, store, { configDir });
    const quick = { configDir, quick: true };
    put(join(folder, ".git/config"), "[core]\n\tfsmonitor = ./another\n");
    expect(await trustOf(folder, store, quick)).toBe("trusted");
    expect(await trustOf(folder, store, { configDir })).toBe("changed");
    put(join(folder, ".mcp.json"));
    expect(await trustOf(folder, store, quick)).toBe("changed");
    await expect(trust(folder, store, quick)).rejects.toThrow("cannot be trusted");
  });

  test("[S34] a quick reading of a worktree in the folder is the same as the whole one", async () => {
    const store = memoryStore();
    const folder = scratchFolder();
    put(join(folder, ".claude/settings.json"), "{}");
    git(folder, "init", "--quiet");
    git(folder, "add", "--all");
    git(folder, "commit", "--quiet", "-m", "settings");
    const worktree = join(folder, ".claude/worktrees/one");
    git(folder, "worktree", "add", "--quiet", worktree);
    await trust(worktree, store, { configDir });
    expect(await trustOf(worktree, store, { configDir, quick: true })).toBe("trusted");
    put(join(worktree, ".claude/settings.json"), '{"hooks":{}}');
    expect(await trustOf(worktree, store, { configDir, quick: true })).toBe("changed");
  });

  test("[S34] what was read is what is trusted, whatever comes between", async () => {
    const store = memoryStore();
    const folder = scratchFolder();
    const empty = await readFolder(folder, { configDir });
    put(join(folder, ".mcp.json"), { mcpServers: { late: { command: "x" } } });
    await trust(empty, store);
    expect(trustIn(empty, store)).toBe("trusted");
    expect(await trustOf(folder, store, { configDir })).toBe("changed");
  });
});

describe("trust (S8)", () => {
  const SETTINGS = { hooks: {} };
  const folderOf = (): string => {
    const folder = scratchFolder();
    put(join(folder, ".claude", "settings.json"), SETTINGS);
    return folder;
  };

  test("is missing until it is given, and holds for this folder under all its names", async () => {
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
    ["a file that is no longer JSON", (folder: string) => put(join(folder, ".claude", "settings.json"), "{")],
  ])("ends with %s, and returns with the old contents", async (_, change) => {
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

  test("is for what was shown, not for later contents", async () => {
    const store = memoryStore();
    const folder = folderOf();
    const shown = await readFolder(folder);
    put(join(folder, ".mcp.json"), { mcpServers: { late: { command: "x" } } });
    await trust(shown, store);
    expect(await trustOf(folder, store)).toBe("changed");
  });

  test("an empty folder is not trusted just because it is empty", async () => {
    expect(await isTrusted(scratchFolder(), memoryStore())).toBe(false);
  });

  test("a missing folder is an error", async () => {
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
    expect(await keepTrust({ before: was, updates }, store)).toBe(true);
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
  ])("[H22] with %s next to them do not", async (_, after) => {
    const { folder, store } = await trusted({ permissions: { allow: [] } });
    const was = await readFolder(folder);
    put(local(folder), after);
    expect(await keepTrust({ before: was, updates: [rules("addRules", "ls")] }, store)).toBe(false);
    expect(await trustOf(folder, store)).toBe("changed");
  });

  test("[H22] in another file than the answer named do not", async () => {
    const { folder, store } = await trusted({});
    const was = await readFolder(folder);
    put(join(folder, ".claude", "settings.json"), { permissions: { allow: ["Bash(ls)"] } });
    expect(await keepTrust({ before: was, updates: [rules("addRules", "ls")] }, store)).toBe(false);
    put(join(folder, ".mcp.json"), {});
    expect(await keepTrust({ before: was, updates: [rules("addRules", "ls")] }, store)).toBe(false);
  });

  test("[H22] in a skill's file that is only called settings do not", async () => {
    const { folder, store } = await trusted({});
    put(join(folder, ".claude/skills/s/settings.local.json"), {});
    await trust(folder, store);
    const was = await readFolder(folder);
    put(join(folder, ".claude/skills/s/settings.local.json"), { permissions: { allow: ["Bash(ls)"] } });
    expect(await keepTrust({ before: was, updates: [rules("addRules", "ls")] }, store)).toBe(false);
  });

  test("[H22] give no trust to an untrusted folder, or to a folder that had changed before", async () => {
    const store = memoryStore();
    const folder = scratchFolder();
    expect(await keepTrust({ before: await readFolder(folder), updates: [] }, store)).toBe(false);
    expect(await trustOf(folder, store)).toBe("unknown");
    await trust(folder, store);
    put(local(folder), { hooks: HOOKS });
    const was = await readFolder(folder);
    put(local(folder), { hooks: HOOKS, permissions: { allow: ["Bash(ls)"] } });
    expect(await keepTrust({ before: was, updates: [rules("addRules", "ls")] }, store)).toBe(false);
    expect(await trustOf(folder, store)).toBe("changed");
  });
});

describe("the file that keeps it", () => {
  test("is private, and the next host reads it", async () => {
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

  test("ignores invalid entries, and is not overwritten if it could not be read", () => {
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
});
