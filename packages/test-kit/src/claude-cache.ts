// Real CLIs by version, downloaded once from the npm registry (npm checks their integrity) into a cache outside the
// repository. No install script runs: newer versions have their binary in a separate package per platform.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

export const CLI_VERSIONS = ["2.1.22", "2.1.29", "2.1.37", "2.1.38", "2.1.325"] as const;
export type CliVersion = (typeof CLI_VERSIONS)[number];
export const NEWEST = "2.1.325" satisfies CliVersion;

export interface CliProgram {
  readonly version: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The folder of the whole installation. */
  readonly root: string;
}

export const cacheFolder = (): string =>
  process.env.QUARTERDECK_CLI_CACHE ??
  join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "quarterdeck", "claude");

/** The program of one version. Installs it if it is not in the cache. Safe to call from several processes. */
export const claudeProgram = async (
  version: string,
  say: (line: string) => void = () => undefined,
): Promise<CliProgram> => {
  const root = join(cacheFolder(), version);
  if (!existsSync(join(root, ".installed"))) {
    mkdirSync(cacheFolder(), { recursive: true });
    await withLock(join(cacheFolder(), `${version}.lock`), async () => {
      if (!existsSync(join(root, ".installed"))) await install(version, root, say);
    });
  }
  return programIn(root, version);
};

const install = async (version: string, root: string, say: (line: string) => void): Promise<void> => {
  say(`fetching Claude Code ${version} from the npm registry`);
  const partial = `${root}.partial-${String(process.pid)}`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  writeFileSync(join(partial, "package.json"), JSON.stringify({ name: "claude-cache", private: true }));
  const { code, output } = await run("npm", [
    "install",
    "--prefix",
    partial,
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--no-save",
    `@anthropic-ai/claude-code@${version}`,
  ]);
  if (code !== 0) {
    rmSync(partial, { recursive: true, force: true });
    throw new Error(`npm could not install Claude Code ${version} (exit ${String(code)}):\n${output}`);
  }
  programIn(partial, version);
  writeFileSync(join(partial, ".installed"), `${version}\n`);
  rmSync(root, { recursive: true, force: true });
  renameSync(partial, root);
};

const programIn = (root: string, version: string): CliProgram => {
  const scope = join(root, "node_modules", "@anthropic-ai");
  const script = join(scope, "claude-code", "cli.js");
  if (existsSync(script)) return { version, command: process.execPath, args: [script], root };
  const platform = `claude-code-${process.platform}-${process.arch}`;
  for (const name of isMusl() ? [`${platform}-musl`, platform] : [platform]) {
    const binary = join(scope, name, "claude");
    if (existsSync(binary)) return { version, command: binary, args: [], root };
  }
  throw new Error(`Claude Code ${version} has no program for ${process.platform} ${process.arch} in ${scope}`);
};

const isMusl = (): boolean => {
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return process.platform === "linux" && report.header?.glibcVersionRuntime === undefined;
};

/** A lock is a folder that names its owner. The lock of a process that is gone is taken over. */
const withLock = async (lock: string, work: () => Promise<void>): Promise<void> => {
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      if (ownerIsGone(lock)) rmSync(lock, { recursive: true, force: true });
      else await delay(200);
    }
  }
  try {
    writeFileSync(join(lock, "pid"), String(process.pid));
    await work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
};

const ownerIsGone = (lock: string): boolean => {
  const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  let pid: number;
  try {
    pid = Number(readFileSync(join(lock, "pid"), "utf8"));
  } catch {
    // The owner has just created or released the folder. If it died at that moment, the folder grows old.
    return age > 10_000;
  }
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
};

const run = (command: string, args: readonly string[]): Promise<{ code: number; output: string }> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.on("error", reject);
    child.on("close", (code) => {
      resolve({ code: code ?? 1, output });
    });
  });
