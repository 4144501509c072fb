// The official SDK as a caller, once with the real program and once with `quarterdeck claude` in its place. Each has its own
// home, folder and scripted API, and both are asked the same.

import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApi } from "@quarterdeck/simulator";
import type { RecordedRequest, Script } from "@quarterdeck/simulator";
import { cacheFolder, claudeProgram, NEWEST } from "@quarterdeck/test-kit/claude-cache";
import { cleanEnv, COMPILED } from "@quarterdeck/test-kit/clean-env";
import { programWords } from "@quarterdeck/test-kit/programs";

export interface Place {
  readonly root: string;
  readonly cwd: string;
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
  /** What a caller starts as Claude Code. */
  readonly executable: string;
  readonly isRelayed: boolean;
  /** The requests that the API got so far. */
  requests(): readonly RecordedRequest[];
  /** Ends the server that a caller has started. */
  close(): Promise<void>;
}

export const makePlace = async (
  isRelayed: boolean,
  scriptsFor: readonly Script[] | ((home: string) => readonly Script[]),
): Promise<Place> => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "quarterdeck-claude-")));
  const folder = (name: string): string => {
    mkdirSync(join(root, name));
    return join(root, name);
  };
  const [home, cwd, tmp, bin] = [folder("home"), folder("cwd"), folder("tmp"), folder("bin")];
  const program = await claudeProgram(NEWEST);
  const scripts = typeof scriptsFor === "function" ? scriptsFor(home) : scriptsFor;
  const api = await startApi({ scenario: { name: "claude", scripts } });
  const env = cleanEnv({ home, tmp, apiUrl: api.url, compileCache: join(cacheFolder(), "compiled") });
  const dataDir = join(home, ".local", "share", "quarterdeck");
  // Settings of Quarterdeck are in its own file, so that both callers have the same environment.
  const config = join(home, ".config", "quarterdeck");
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, "config.json"), JSON.stringify({ port: 0, claude: program.command, root: [root] }));
  const words = [process.execPath, ...programWords("quarterdeck"), "claude"].map((word) => `'${word}'`);
  const compiled = Object.entries(COMPILED).map(([name, value]) => `export ${name}='${value}'\n`);
  const executable = join(bin, "claude");
  // `exec` keeps the parent, the pipes and the signals of the caller.
  writeFileSync(executable, `#!/bin/sh\n${compiled.join("")}exec ${words.join(" ")} "$@"\n`);
  chmodSync(executable, 0o755);
  return {
    root,
    cwd,
    dataDir,
    env,
    executable: isRelayed ? executable : program.command,
    isRelayed,
    requests: () => api.requests,
    close: async () => {
      await endServer(dataDir);
      await api.close();
      // A program that was aborted writes until it has ended.
      await until(() => !isUsed(root));
      rmSync(root, { recursive: true, force: true, maxRetries: 10 });
    },
  };
};

/** Whether a process has its home in this folder. Only Linux says so. */
const isUsed = (root: string): boolean =>
  existsSync("/proc/self/environ") &&
  readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .some((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, "latin1").includes(`HOME=${root}/`);
      } catch {
        // It has ended, or belongs to another user.
        return false;
      }
    });

interface Address {
  readonly pid: number;
  readonly url: string;
  readonly token: string;
}

/** The server that a caller has started. */
const addressIn = (dataDir: string): Address | undefined => {
  const path = join(dataDir, "server.json");
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Address) : undefined;
};

export const until = async (isTrue: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 20));
};

export const endServer = async (dataDir: string): Promise<void> => {
  const { pid } = addressIn(dataDir) ?? {};
  if (pid === undefined) return;
  process.kill(pid, "SIGTERM");
  await until(() => !existsSync(join(dataDir, "server.json")));
  await until(() => {
    try {
      process.kill(pid, 0);
      return false;
    } catch {
      // It has ended.
      return true;
    }
  });
};

export interface Ran {
  readonly code: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program with this input, as a script does. */
export const runWith = (
  { cwd, env }: Pick<Place, "cwd" | "env">,
  command: string,
  args: readonly string[],
  input = "",
  more: Readonly<Record<string, string>> = {},
): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: { ...env, ...more }, stdio: ["pipe", "pipe", "pipe"] });
    const output = { stdout: "", stderr: "" };
    child.stdout.on("data", (chunk: Buffer) => (output.stdout += chunk.toString("utf8")));
    child.stderr.on("data", (chunk: Buffer) => (output.stderr += chunk.toString("utf8")));
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code: code ?? signal, ...output }));
    child.stdin.on("error", () => {
      // It ended before it read everything.
    });
    child.stdin.end(input);
  });

/** Ids, times, costs of time and paths differ between any two runs. */
export const comparable = (value: unknown, { root }: Pick<Place, "root">): unknown => {
  const walk = (each: unknown, key: string): unknown => {
    if (typeof each === "string")
      return each
        .replaceAll(root, "<root>")
        .replaceAll(root.replaceAll(/[^a-zA-Z0-9]/gu, "-"), "<root>")
        .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gu, "<uuid>")
        .replaceAll(/cc-socks\/\d+/gu, "cc-socks/<pid>")
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, "<time>");
    if (typeof each === "number") return TIMES.test(key) ? 0 : each;
    if (Array.isArray(each)) return each.map((one) => walk(one, key));
    if (typeof each !== "object" || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([name, one]) => [name, walk(one, name)]));
  };
  return walk(value, "");
};
const TIMES = /(?:_ms|Ms|_at|At|pid|mtime|timestamp)$/u;
