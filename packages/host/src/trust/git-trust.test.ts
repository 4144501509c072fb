// What counts as a program of a repository, and what does not. e2e/attack has the many hostile repositories.

import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { scratchFolder } from "@quarterdeck/test-kit/scratch-folder";
import { gitRunsIn, readGitPrograms, untrustedEnvironment } from "./git-trust.ts";

const ENV = { PATH: process.env["PATH"] ?? "", HOME: "/nowhere", GIT_CONFIG_NOSYSTEM: "1" };
const put = (path: string, content: string, mode = 0o644): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  chmodSync(path, mode);
};
const git = (folder: string, ...args: string[]): string => {
  mkdirSync(folder, { recursive: true });
  const who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"];
  return execFileSync("git", [...who, "-C", folder, ...args], { env: ENV, stdio: "pipe" }).toString();
};
const repository = (...settings: readonly [string, string][]): string => {
  const folder = scratchFolder();
  git(folder, "init", "-q");
  for (const [name, value] of settings) git(folder, "config", "--add", name, value);
  return folder;
};
const runsIn = async (folder: string, env: Readonly<Record<string, string>> = ENV): Promise<string[]> => {
  const programs = await readGitPrograms(folder, env);
  return programs === undefined ? [] : gitRunsIn(programs.path, programs.text)!;
};
const settingsIn = (env: Readonly<Record<string, string>>): Map<string, string> =>
  new Map(
    Array.from({ length: Number(env["GIT_CONFIG_COUNT"]) }, (_, at) => [
      env[`GIT_CONFIG_KEY_${at}`]!,
      env[`GIT_CONFIG_VALUE_${at}`]!,
    ]),
  );

describe("[S35] what git would run in a folder", () => {
  test.each([
    ["core.pager", "evil"],
    ["pager.log", "evil"],
    ["sequence.editor", "evil"],
    ["interactive.diffFilter", "evil"],
    ["core.alternateRefsCommand", "evil"],
    ["uploadpack.packObjectsHook", "evil"],
    ["gc.recentObjectsHook", "evil"],
    ["gpg.ssh.defaultKeyCommand", "evil"],
    ["submodule.x.update", "!evil"],
    ["merge.x.driver", "evil"],
    ["hook.x.command", "evil"],
    ["mergetool.x.path", "evil"],
    ["lfs.extension.x.clean", "evil"],
    ["lfs.customtransfer.x.path", "evil"],
    ["submodule.x.url", "ext::evil"],
    ["remote.x.pushurl", "codecommit://x"],
    ["remote.x.promisor", "true"],
    ["includeIf.onbranch:nowhere.path", "nothing"],
  ])("has the setting %s", async (name, value) => {
    const runs = await runsIn(repository([name, value]));
    expect(runs.map((line) => line.toLowerCase())).toEqual([`git ${name}: ${value}`.toLowerCase()]);
  });

  test.each([
    ["core.fsmonitor", "true"],
    ["pager.log", "false"],
    ["core.hooksPath", "/dev/null"],
    ["credential.helper", ""],
    ["alias.st", "status"],
    ["remote.x.url", "https://nowhere.invalid/x.git"],
    ["remote.x.url", "git@nowhere.invalid:x.git"],
    ["remote.x.url", "../there"],
    ["branch.main.remote", "origin"],
    ["url.git@nowhere.invalid:.insteadOf", "https://nowhere.invalid/"],
    ["protocol.version", "2"],
    ["protocol.file.allow", "always"],
    ["submodule.x.update", "rebase"],
    ["lfs.repositoryformatversion", "0"],
  ])("has no line for %s = %s", async (name, value) => {
    const folder = repository([name, value]);
    expect(await runsIn(folder)).toEqual([]);
    expect(await untrustedEnvironment(folder, ENV)).not.toHaveProperty("GIT_DIR");
  });

  test("has nothing for a worktree, a submodule and sample hooks", async () => {
    const folder = scratchFolder();
    const [main, tree, bare] = [join(folder, "main"), join(folder, "tree"), join(folder, "bare")];
    git(join(folder, "sub"), "init", "-q");
    git(join(folder, "sub"), "commit", "-q", "--allow-empty", "-m", "first");
    git(main, "init", "-q");
    git(main, "submodule", "add", "-q", "../sub", "inner");
    git(main, "commit", "-q", "-m", "first");
    git(main, "worktree", "add", "-q", tree);
    git(tree, "submodule", "update", "-q", "--init");
    git(bare, "init", "-q", "--bare");
    put(join(main, ".git", "hooks", "post-index-change.sample"), "", 0o755);
    put(join(main, ".git", "hooks", "pre-commit"), "not executable");
    for (const each of [main, join(main, "inner"), tree, join(tree, "inner"), bare, folder]) {
      expect([each, await runsIn(each)]).toEqual([each, []]);
      expect(await untrustedEnvironment(each, ENV)).not.toHaveProperty("GIT_DIR");
    }
    const inBare = await untrustedEnvironment(bare, ENV);
    expect(execFileSync("git", ["branch"], { cwd: bare, env: { ...ENV, ...inBare } }).toString()).toBe("");
  });

  test("leaves out what the user has set, unless it names a file of the folder", async () => {
    const home = scratchFolder();
    const folder = repository();
    put(join(folder, ".hooks", "pre-commit"), "#!/bin/sh\n", 0o755);
    put(join(home, ".gitconfig"), '[filter "lfs"]\n\tprocess = git-lfs filter-process\n[core]\n\tpager = less\n');
    expect(await runsIn(folder, { ...ENV, HOME: home })).toEqual([]);
    put(join(home, ".gitconfig"), '[core]\n\thooksPath = .hooks\n[filter "x"]\n\tclean = tools/clean\n');
    expect(await runsIn(folder, { ...ENV, HOME: home })).toEqual([
      "git filter.x.clean: tools/clean",
      expect.stringMatching(/^git hook pre-commit: .*\.hooks\/pre-commit \(sha256 /),
    ]);
  });

  test("changes with the contents of a hook", async () => {
    const folder = repository();
    const hook = join(folder, ".git", "hooks", "pre-commit");
    put(hook, "#!/bin/sh\n# 1\n", 0o755);
    const before = await runsIn(folder);
    put(hook, "#!/bin/sh\n# 2\n", 0o755);
    expect(before).toHaveLength(1);
    expect(await runsIn(folder)).not.toEqual(before);
  });

  test("is one line for each program, whatever its name contains", async () => {
    const folder = repository(["core.editor", "a\ngit core.pager: b"], ["filter.a b\t: c.clean", "evil"]);
    expect(await runsIn(folder)).toEqual([
      'git "filter.a b\\t: c.clean": evil',
      'git core.editor: "a\\ngit core.pager: b"',
    ]);
  });

  test("may be hidden by settings that git cannot read; without git there is nothing", async () => {
    const folder = repository();
    put(join(folder, ".git", "config"), "[[[");
    expect(await runsIn(folder)).toEqual(["git: the settings of this repository cannot be read"]);
    expect(await untrustedEnvironment(folder, ENV)).toMatchObject({ GIT_DIR: "/dev/null" });
    expect(await runsIn(folder, { PATH: scratchFolder() })).toEqual([]);
    expect(await untrustedEnvironment(folder, { PATH: scratchFolder() })).not.toHaveProperty("GIT_DIR");
  });

  test("must be confirmed if its settings are a pipe", async () => {
    const folder = repository();
    execFileSync("mkfifo", [join(folder, "pipe")]);
    git(folder, "config", "include.path", "../pipe");
    expect(await runsIn(folder)).toEqual(["git: the settings of this repository cannot be read"]);
  });

  test("must be confirmed if there are too many folders to search", async () => {
    const folder = scratchFolder();
    const bin = scratchFolder();
    // Like a `find` that was killed.
    put(join(bin, "find"), "#!/bin/sh\nkill -KILL $$\n", 0o755);
    expect(await runsIn(folder, { ...ENV, PATH: `${bin}:${ENV.PATH}` })).toEqual([
      "git: this folder is too large to look for all repositories in it, which may run programs",
    ]);
  });
});

describe("[S35] the environment of an untrusted session", () => {
  test("keeps the user's settings, and wins over them", async () => {
    const home = scratchFolder();
    put(join(home, ".gitconfig"), "[core]\n\tsshCommand = ssh -i mine\n");
    const given = {
      ...ENV,
      HOME: home,
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "user.name",
      GIT_CONFIG_VALUE_0: "me",
      GIT_CONFIG_PARAMETERS: "'core.fsmonitor=./evil'",
    };
    const env = { ...given, ...(await untrustedEnvironment(repository(["core.sshCommand", "evil"]), given)) };
    const settings = settingsIn(env);
    expect(settings.get("user.name")).toBe("me");
    expect(settings.get("core.sshCommand")).toBe("ssh -i mine");
    expect(settings.get("core.fsmonitor")).toBe("false");
    expect(env).toMatchObject({ GIT_CONFIG_PARAMETERS: "", GIT_NO_LAZY_FETCH: "1" });
    expect(env).not.toHaveProperty("GIT_DIR");
    const withSsh = await untrustedEnvironment(repository(), { ...ENV, GIT_SSH: "/my own/ssh" });
    expect(settingsIn(withSsh).get("core.sshCommand")).toBe("'/my own/ssh'");
  });

  test("turns git off if an additional folder of the session names a filter", async () => {
    const folder = repository();
    const more = repository(["filter.x.clean", "evil"]);
    expect(await untrustedEnvironment(folder, ENV)).not.toHaveProperty("GIT_DIR");
    expect(await untrustedEnvironment(folder, ENV, [more])).toMatchObject({ GIT_DIR: "/dev/null" });
  });

  test("leaves git on in a folder that has nothing to run", async () => {
    expect(await untrustedEnvironment(scratchFolder(), ENV)).not.toHaveProperty("GIT_DIR");
  });
});
