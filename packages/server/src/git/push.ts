// Pushes a branch. Git runs in an empty repository of ours that borrows the objects. So no setting of the person's
// repository applies: no helper, no ssh command, no hook, no rewritten address. The person's own settings count, as in
// a terminal. Only https and ssh, never forced.

import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { cleanPath } from "@quarterdeck/host";
import type { ResultOf } from "@quarterdeck/session/bridge";
import { refuse, saidByGit } from "./git-refusal.ts";
import { findGh, repositoryAt } from "./pull-request.ts";
import { gitText, runGit, runProgram, withFolder } from "./run-git.ts";
import type { Ran } from "./run-git.ts";
import { readCommits } from "./state.ts";
import type { Tree } from "./tree.ts";
import { commitOf } from "./worktrees.ts";

const PUSH_MS = 180_000;

/** Where the person's own settings and keys are. */
const PASSED = [
  ...[
    "HOME",
    "XDG_CONFIG_HOME",
    "GIT_CONFIG_GLOBAL",
    "SSH_AUTH_SOCK",
    "USER",
    "LOGNAME",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
  ],
  ...["http_proxy", "https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY", "all_proxy", "DBUS_SESSION_BUS_ADDRESS"],
  ...["GH_TOKEN", "GITHUB_TOKEN", "GH_HOST", "GH_CONFIG_DIR", "GH_ENTERPRISE_TOKEN"],
] as const;

export const ownEnvironment = (): Record<string, string> => ({
  HOME: homedir(),
  ...Object.fromEntries(PASSED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))),
  PATH: cleanPath(process.env["PATH"]),
  LC_ALL: "C.UTF-8",
});

const environment = (): Record<string, string> => ({
  ...ownEnvironment(),
  GIT_TERMINAL_PROMPT: "0",
  GIT_ALLOW_PROTOCOL: "https:ssh",
  GIT_NO_LAZY_FETCH: "1",
});

/** The settings of a remote, as text. */
interface Remote {
  readonly name: string;
  readonly urls: readonly string[];
  readonly pushUrls: readonly string[];
}

const remoteOf = async ({ git }: Tree, branch: string): Promise<Remote | undefined> => {
  const values = async (key: string): Promise<string[]> =>
    ((await gitText(git, ["config", "-z", "--get-all", key])) ?? "").split("\0").filter((value) => value !== "");
  const named = [
    ...(await values(`branch.${branch}.pushRemote`)),
    ...(await values("remote.pushDefault")),
    ...(await values(`branch.${branch}.remote`)),
  ];
  const remotes = ((await gitText(git, ["remote"])) ?? "").split("\n").filter((name) => name !== "");
  const name = named.find((one) => remotes.includes(one)) ?? (remotes.includes("origin") ? "origin" : remotes[0]);
  if (name === undefined) return undefined;
  return { name, urls: await values(`remote.${name}.url`), pushUrls: await values(`remote.${name}.pushurl`) };
};

interface Target {
  readonly remote: string;
  readonly url: string;
}

/** A repository of ours that has the objects of this one. */
const withBorrowed = <T>(tree: Tree, use: (run: (args: readonly string[]) => Promise<Ran>) => Promise<T>): Promise<T> =>
  withFolder(async (folder) => {
    const format = (await gitText(tree.git, ["rev-parse", "--show-object-format"])) ?? "sha1";
    const run = (args: readonly string[]): Promise<Ran> =>
      runProgram("git", args, { cwd: folder, env: { ...environment(), GIT_DIR: folder }, timeoutMs: PUSH_MS });
    const made = await run(["init", "--quiet", "--bare", "--template=", `--object-format=${format}`, folder]);
    if (!made.ok) throw refuse(`Git could not prepare the push. ${saidByGit(made.stderr)}`);
    await mkdir(join(folder, "objects", "info"), { recursive: true });
    const objects = join(tree.common, "objects");
    // Git reads one path a line, and quotes.
    if (/[\n"]/.test(objects)) throw refuse("The path of this repository has a line break or a quote in it.");
    await writeFile(join(folder, "objects", "info", "alternates"), `${objects}\n`);
    await copyFile(join(tree.common, "shallow"), join(folder, "shallow")).catch(() => undefined);
    return use(run);
  });

/** The address that git would use, after the person's own rewriting. */
const targetOf = async (
  { name, urls, pushUrls }: Remote,
  run: (args: readonly string[]) => Promise<Ran>,
): Promise<Target> => {
  if (urls.length + pushUrls.length === 0) throw refuse(`The remote “${name}” has no address.`);
  if (pushUrls.length > 1 || (pushUrls.length === 0 && urls.length > 1))
    throw refuse(`The remote “${name}” has several addresses. Push in a terminal.`);
  for (const [key, [value]] of [
    ["url", urls],
    ["pushurl", pushUrls],
  ] as const)
    if (value !== undefined) await run(["config", "--add", `remote.target.${key}`, value]);
  const { ok, stdout } = await run(["remote", "get-url", "--push", "target"]);
  const url = stdout.toString().replace(/\n$/, "");
  if (!ok || !isAllowed(url))
    throw refuse(
      `The remote “${name}” has an address that Quarterdeck does not use. It pushes over https and ssh only.`,
    );
  return { remote: name, url };
};

const WEB = /^https:\/\/(?:[^/@\s]*@)?[\w.-]+(?::\d+)?\/\S*$/;
const SSH = /^ssh:\/\/(?:[\w.+~][\w.+~-]*@)?[\w.][\w.-]*(?::\d+)?\/\S*$/;
/** `user@host:path`, as git and ssh write it. */
const SHORT = /^(?:[\w.+~][\w.+~-]*@)?[\w.][\w.-]+:(?!:)[^\s:][^\s]*$/;

export const isAllowed = (url: string): boolean => {
  if (/\p{Cc}/u.test(url) || url.length > 2000 || url.includes("::")) return false;
  return WEB.test(url) || SSH.test(url) || (!url.includes("://") && SHORT.test(url));
};

/** Without user and password. */
export const shownUrl = (url: string): string => url.replace(/^(https:\/\/)[^/@]*@/, "$1");

const branchOf = async ({ git }: Tree): Promise<string> => {
  const branch = await gitText(git, ["symbolic-ref", "--quiet", "--short", "HEAD"]);
  if (branch === undefined) throw refuse("No branch is checked out, so there is nothing to push.");
  return branch;
};

export const readRemote = async (tree: Tree): Promise<ResultOf<"git/remote">> => {
  const branch = await branchOf(tree).catch(() => undefined);
  const none = { commits: [] };
  if (branch === undefined) return { ...none, obstacle: "No branch is checked out." };
  const remote = await remoteOf(tree, branch);
  if (remote === undefined) return { ...none, branch, obstacle: "This repository has no remote." };
  const about = { branch, remote: remote.name };
  const head = await commitOf(tree, "HEAD");
  if (head === undefined) return { ...none, ...about, obstacle: "This branch has no commit yet." };
  const commits = await readCommits(tree, ["-200", head, "--not", `--remotes=${remote.name}`]);
  try {
    const { url } = await withBorrowed(tree, (run) => targetOf(remote, run));
    const gh = await pullRequestAt(tree, { url, remote: remote.name, branch, head, title: commits.at(-1)?.subject });
    return { ...about, url: shownUrl(url), commits, ...gh };
  } catch (error) {
    return { ...about, commits, obstacle: error instanceof Error ? error.message : String(error) };
  }
};

const pullRequestAt = async (
  tree: Tree,
  about: { url: string; remote: string; branch: string; head: string; title: string | undefined },
): Promise<{ pullRequest?: NonNullable<ResultOf<"git/remote">["pullRequest"]> }> => {
  if ((await findGh()) === undefined) return {};
  const { url, remote, branch, head } = about;
  const main = await gitText(tree.git, ["symbolic-ref", "--quiet", "--short", `refs/remotes/${remote}/HEAD`]);
  const base = main?.slice(remote.length + 1) ?? "main";
  const pushed = await commitOf(tree, `refs/remotes/${remote}/${branch}`);
  const subject = about.title ?? (await readCommits(tree, ["-1", head]))[0]?.subject ?? branch;
  const obstacle =
    repositoryAt(url) === undefined
      ? "The address of the remote names no repository that gh knows."
      : pushed !== head
        ? "Push the branch first."
        : branch === base
          ? `You are on ${base}. Make a branch for a pull request.`
          : undefined;
  return { pullRequest: { base, title: subject, ...(obstacle !== undefined && { obstacle }) } };
};

export const push = async (
  tree: Tree,
  seen: { readonly url: string; readonly head: string },
): Promise<{ words: string }> => {
  const branch = await branchOf(tree);
  const remote = await remoteOf(tree, branch);
  const head = await commitOf(tree, "HEAD");
  if (remote === undefined || head === undefined) throw refuse("There is nothing to push.");
  if (head !== seen.head) throw refuse("The branch has moved since you saw it. Look at it again.", "changed");
  if (!/^[0-9a-f]{40,64}$/.test(head) || branch.startsWith("-")) throw refuse("This branch cannot be pushed.");
  const url = await withBorrowed(tree, async (run) => {
    const target = await targetOf(remote, run);
    if (shownUrl(target.url) !== seen.url)
      throw refuse("The address of the remote has changed since you saw it. Look at it again.", "changed");
    // Without a terminal, ssh must not ask. The person's own command stays as it is.
    if (!(await run(["config", "--get", "core.sshCommand"])).ok)
      await run(["config", "core.sshCommand", "ssh -oBatchMode=yes"]);
    for (const [key, value] of [
      ["push.gpgSign", "false"],
      ["push.followTags", "false"],
    ])
      await run(["config", key!, value!]);
    const args = ["push", "--porcelain", "--no-verify", "--no-force", "--recurse-submodules=no", target.url];
    const { ok, stdout, stderr } = await run([...args, `${head}:refs/heads/${branch}`]);
    if (ok) return target.url;
    if (/\[(?:rejected|remote rejected)\]/.test(stdout.toString()))
      throw refuse(
        "The remote has commits that this branch lacks, or refuses the branch. Quarterdeck never forces. Get them first, for example by asking the session.",
        "changed",
      );
    throw refuse(`Git could not push. ${saidByGit(stderr)}`);
  });
  await remember(tree, { remote: remote.name, branch, head });
  return { words: `${branch} was pushed to ${shownUrl(url)}.` };
};

/** As `git push -u` does. What fails here does not matter to the push. */
const remember = async (
  { git }: Tree,
  { remote, branch, head }: { readonly remote: string; readonly branch: string; readonly head: string },
): Promise<void> => {
  await runGit(git, ["update-ref", "-m", "quarterdeck: push", `refs/remotes/${remote}/${branch}`, head]);
  if ((await gitText(git, ["config", "--get", `branch.${branch}.merge`])) !== undefined) return;
  await runGit(git, ["config", `branch.${branch}.remote`, remote]);
  await runGit(git, ["config", `branch.${branch}.merge`, `refs/heads/${branch}`]);
};
