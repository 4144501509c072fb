// Runs git with input, in bytes. The environment comes from `openGit`: nothing that the repository names runs.

import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Git } from "../files/git.ts";

export interface Ran {
  readonly ok: boolean;
  readonly code: number | null;
  readonly stdout: Buffer;
  /** The first part of it. */
  readonly stderr: string;
}

export interface ProgramOptions {
  readonly input?: Buffer | string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly cwd?: string;
}

const TIMEOUT_MS = 60_000;
const MOST_OUT = 64 * 1024 * 1024;
const MOST_ERR = 16 * 1024;

export const runProgram = (
  program: string,
  args: readonly string[],
  { input, env = {}, timeoutMs = TIMEOUT_MS, cwd }: ProgramOptions & { readonly cwd: string },
): Promise<Ran> =>
  new Promise((resolve) => {
    const failed = (why: string): void => resolve({ ok: false, code: null, stdout: Buffer.alloc(0), stderr: why });
    let child;
    try {
      // In a session of its own: a program cannot ask for a password on the server's terminal.
      child = spawn(program, [...args], { cwd, env: { ...env }, detached: true, stdio: ["pipe", "pipe", "pipe"] });
    } catch (error) {
      return failed(error instanceof Error ? error.message : String(error));
    }
    const { pid } = child;
    const out: Buffer[] = [];
    let [size, err, isOver] = [0, "", false];
    const stop = (): void => {
      isOver = true;
      try {
        if (pid !== undefined) process.kill(-pid, "SIGKILL");
      } catch {
        // It has ended by itself.
      }
    };
    const timer = setTimeout(stop, timeoutMs);
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > MOST_OUT) stop();
      else out.push(chunk);
    });
    child.stderr.on("data", (chunk: Buffer) => (err = (err + chunk.toString()).slice(0, MOST_ERR)));
    // It may end before it has read everything.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input ?? "");
    child.on("error", (error) => {
      clearTimeout(timer);
      failed(error.message);
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      const why = isOver ? `${err}\nIt took too long, or wrote too much.` : err;
      resolve({ ok: code === 0 && !isOver, code, stdout: Buffer.concat(out), stderr: why.trim() });
    });
  });

export const runGit = (git: Git, args: readonly string[], options: ProgramOptions = {}): Promise<Ran> =>
  runProgram("git", args, {
    cwd: git.root,
    ...options,
    env: { ...git.environment, ...options.env },
  });

/** The output as text, without its last line end. Undefined if git failed. */
export const gitText = async (
  git: Git,
  args: readonly string[],
  options?: ProgramOptions,
): Promise<string | undefined> => {
  const { ok, stdout } = await runGit(git, args, options);
  return ok ? stdout.toString().replace(/\n$/, "") : undefined;
};

/** Words that end with NUL. */
export const nulTerminated = (output: Buffer | string): string[] =>
  output
    .toString()
    .split("\0")
    .filter((word) => word !== "");

/** A private folder that exists while `use` runs. */
export const withFolder = async <T>(use: (folder: string) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), "quarterdeck-git-"));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
