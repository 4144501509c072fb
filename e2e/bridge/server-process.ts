// A server as a separate process, started like a person starts it, with a stand-in for `claude` that records every line
// it gets. So the tests know what reached the CLI without trusting the server.

import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SIMULATED_VERSION } from "@quarterdeck/simulator";
import type { Scenario } from "@quarterdeck/simulator";
import { COMPILED } from "@quarterdeck/test-kit/clean-env";
import { programWords } from "@quarterdeck/test-kit/programs";

export interface Place {
  readonly root: string;
  /** A folder where sessions may start. */
  readonly cwd: string;
  readonly home: string;
  readonly dataDir: string;
  /** The program to run as `claude`. */
  readonly claude: string;
  /** Lines that any CLI of this place got, in order of arrival. */
  linesToCli(): readonly Readonly<Record<string, unknown>>[];
  remove(): void;
}

export interface ServerProcess {
  readonly url: string;
  readonly token: string;
  /** The port of the ccpocket dialect, if the flags `--ccpocket-port 0 --log json` start it. */
  readonly ccpocketPort: number;
  readonly pid: number;
  /** The output of the server, for a test that fails. */
  readonly output: () => string;
  /** Kills it like the kernel does when memory runs out. */
  kill(): Promise<void>;
  /** Stops it like a person does. */
  stop(): Promise<number | null>;
}

/** A new folder, with a `claude` that plays the scenario or is the given program. */
export const makePlace = (
  scenario: Scenario,
  other?: {
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
  const simulator = programWords("quarterdeck-sim");
  const program = other === undefined ? [process.execPath, ...simulator] : [other.command, ...other.args];
  // Each server begins with these calls. A start of the simulator would cost more than its answers, and it knows no `auth status`.
  const beginnings =
    other === undefined
      ? `--version) echo '${SIMULATED_VERSION} (Claude Code)'; exit ;; auth) exit ;;`
      : `--version | auth) exec ${commandOf(program)} "$@" ;;`;
  const recording =
    other === undefined
      ? [process.execPath, "--import", programWords("record-stdin").at(-1)!, ...simulator]
      : [process.execPath, ...programWords("recording-claude"), lines, ...program];
  const env = other?.env ?? { QUARTERDECK_SCENARIO: scenarioFile, QUARTERDECK_RECORDED_LINES: lines, ...COMPILED };
  const variables = Object.entries(env).map(([name, value]) => `export ${name}=${quoted(value)}\n`);
  writeFileSync(
    claude,
    `#!/bin/sh\n${variables.join("")}case "$1" in ${beginnings} esac\nexec ${commandOf(recording)} "$@"\n`,
  );
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

const commandOf = (words: readonly string[]): string => words.map(quoted).join(" ");
const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

export interface StartedBy {
  /** A command that starts another one, such as `ip netns exec box`. It must become the server. */
  readonly through?: readonly string[];
  /** What follows `node` to start another version of the program. */
  readonly program?: readonly string[];
}

export const startServer = async (
  place: Place,
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  { through = [], program: words = programWords("quarterdeck") }: StartedBy = {},
): Promise<ServerProcess> => {
  const program = flags.includes("--demo") ? [] : ["--claude", place.claude];
  const args = ["--port", "0", "--data-dir", place.dataDir, ...program, "--root", place.cwd];
  const finish = flags.includes("--finish-turns") ? [] : ["--finish-turns", "0"];
  const [command, ...before] = [...through, process.execPath];
  const child = spawn(command, [...before, ...words, "serve", ...args, "--no-open", "--no-link", ...finish, ...flags], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: place.home,
      TMPDIR: place.root,
      LANG: "C.UTF-8",
      ...COMPILED,
      ...env,
    },
  });
  let output = "";
  // The address file may be seen before the log line that came earlier.
  const dialect = Promise.withResolvers<number>();
  if (!flags.includes("--ccpocket-port")) dialect.resolve(Number.NaN);
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-100_000);
      const match = /"event":"ccpocket started","port":(\d+)/u.exec(output);
      if (match !== null) dialect.resolve(Number(match[1]));
    });
  const ended = new Promise<number | null>((resolve) => child.on("exit", (code) => resolve(code)));
  const { url, token } = await addressOf(place, child, () => output);
  return {
    url,
    token,
    ccpocketPort: await dialect.promise,
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

/** Reads the file that names the server's address. A killed server leaves its file. */
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
      // The file is half written.
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
