// A server as a process of its own, as anybody would start it, with a stand-in for `claude` that writes down every line it is
// given: what reached the CLI is known from there, not from what the server says.

import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Scenario } from "@quarterdeck/simulator";
import { simulatorPath } from "@quarterdeck/simulator";
import { COMPILED } from "@quarterdeck/test-kit/clean-env";

export interface Place {
  readonly root: string;
  /** Where sessions may start. */
  readonly cwd: string;
  readonly home: string;
  readonly dataDir: string;
  /** The program to run as `claude`. */
  readonly claude: string;
  /** Lines that any CLI of this place was given, in order of their coming. */
  linesToCli(): readonly Readonly<Record<string, unknown>>[];
  remove(): void;
}

export interface ServerProcess {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
  /** What it has written, for a test that fails. */
  readonly output: () => string;
  /** As the kernel does it to a server that takes too much. */
  kill(): Promise<void>;
  /** As a person does it. */
  stop(): Promise<number | null>;
}

const QUARTERDECK = fileURLToPath(new URL("../../packages/cli/src/quarterdeck.ts", import.meta.url));
const RECORDER = fileURLToPath(new URL("./recording-claude.ts", import.meta.url));

/** A folder of its own, with a `claude` that plays the scenario or is the program that is named. */
export const makePlace = (
  scenario: Scenario,
  program?: {
    readonly command: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  },
): Place => {
  const root = mkdtempSync(join(tmpdir(), "quarterdeck-bridge-"));
  const [cwd, home, dataDir] = [join(root, "work"), join(root, "home"), join(root, "data")];
  for (const folder of [cwd, home]) mkdirSync(folder);
  const [scenarioFile, lines, claude] = [join(root, "scenario.json"), join(root, "stdin.ndjson"), join(root, "claude")];
  writeFileSync(scenarioFile, JSON.stringify(scenario));
  writeFileSync(lines, "");
  const played = program ?? {
    command: process.execPath,
    args: ["--conditions=source", simulatorPath],
    env: { QUARTERDECK_SCENARIO: scenarioFile, ...COMPILED },
  };
  const words = [process.execPath, RECORDER, lines, played.command, ...played.args].map(quoted);
  const variables = Object.entries(played.env).map(([name, value]) => `export ${name}=${quoted(value)}\n`);
  writeFileSync(claude, `#!/bin/sh\n${variables.join("")}exec ${words.join(" ")} "$@"\n`);
  chmodSync(claude, 0o755);
  return {
    root,
    cwd,
    home,
    dataDir,
    claude,
    linesToCli: () =>
      readFileSync(lines, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 10 }),
  };
};

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

export const startServer = async (
  place: Place,
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> => {
  const args = ["--port", "0", "--data-dir", place.dataDir, "--claude", place.claude, "--root", place.cwd];
  const finish = flags.includes("--finish-turns") ? [] : ["--finish-turns", "0"];
  const child = spawn(
    process.execPath,
    ["--conditions=source", QUARTERDECK, "serve", ...args, "--no-open", "--no-link", ...finish, ...flags],
    {
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: place.home,
        TMPDIR: place.root,
        LANG: "C.UTF-8",
        ...COMPILED,
        ...env,
      },
    },
  );
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (output = (output + chunk.toString()).slice(-100_000)));
  const ended = new Promise<number | null>((resolve) => child.on("exit", (code) => resolve(code)));
  const { url, token } = await addressOf(place, child, () => output);
  return {
    url,
    token,
    pid: child.pid!,
    output: () => output,
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
    stop: () => {
      child.kill("SIGTERM");
      return ended;
    },
  };
};

/** The file that says where the server is; a server that was killed has left its own. */
const addressOf = async (
  { dataDir }: Place,
  child: ChildProcess,
  output: () => string,
): Promise<{ url: string; token: string }> => {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = join(dataDir, "server.json");
  const watching = new AbortController();
  const { promise, resolve, reject } = Promise.withResolvers<{ url: string; token: string }>();
  const look = (): void => {
    if (!existsSync(file)) return;
    try {
      const address = JSON.parse(readFileSync(file, "utf8")) as { pid: number; url: string; token: string };
      if (address.pid === child.pid) resolve(address);
    } catch {
      // Half written: there is more to come.
    }
  };
  watch(dataDir, { signal: watching.signal }, look).on("error", () => undefined);
  child.on("exit", (code) => reject(new Error(`The server ended with ${String(code)}:\n${output()}`)));
  look();
  try {
    return await promise;
  } finally {
    watching.abort();
  }
};
