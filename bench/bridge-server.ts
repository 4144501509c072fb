// The measured server: its own process, started like a person starts it, in its own folder, with a stand-in for
// `claude` or the real CLI.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { NEWEST } from "@quarterdeck/test-kit/claude-cache";
import type { Usage } from "./bridge-probe.ts";

export interface Measured {
  readonly usage: (options?: { readonly collect: boolean }) => Promise<Usage>;
  readonly stop: () => Promise<void>;
}

export interface BridgeServer extends Measured {
  readonly url: string;
  readonly token: string;
  /** A folder where sessions may start. */
  readonly cwd: string;
  /** From the start of the process until it reports that it has started. */
  readonly readyMilliseconds: number;
}

const PROBE = new URL("bridge-probe.ts", import.meta.url).href;
const LAUNCHER = fileURLToPath(new URL("../packages/cli/bin/quarterdeck.js", import.meta.url));

/** A Node process that reports its usage. `BENCH_NODE_FLAGS` adds flags, for example for a profile. */
export const spawnMeasured = (
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): ChildProcess => {
  const flags = (process.env["BENCH_NODE_FLAGS"] ?? "").split(" ").filter((flag) => flag !== "");
  return spawn(process.execPath, ["--conditions=source", "--expose-gc", ...flags, "--import", PROBE, script, ...args], {
    env,
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
};

export const measuredProcess = (child: ChildProcess): Measured => {
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return {
    usage: ({ collect } = { collect: false }) =>
      new Promise((resolve, reject) => {
        child.once("message", (usage) => resolve(usage as Usage));
        child.send(collect ? "usage after a collection" : "usage", (error) => {
          if (error !== null) reject(error);
        });
      }),
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
};

export interface BridgeServerOptions {
  /** Created if it is missing. */
  readonly folder: string;
  /** Folder of the store. Default: inside `folder`. */
  readonly dataDir?: string;
  /** The program to run as `claude`. */
  readonly claude: string;
  readonly flags?: readonly string[];
}

export const startBridgeServer = async (options: BridgeServerOptions): Promise<BridgeServer> => {
  const { folder, claude, dataDir = join(folder, "data"), flags = [] } = options;
  const [home, cwd] = [join(folder, "home"), join(folder, "work")];
  for (const made of [home, cwd]) mkdirSync(made, { recursive: true });
  const startedAt = performance.now();
  const child = spawnMeasured(
    LAUNCHER,
    [
      ...["serve", "--port", "0", "--data-dir", dataDir, "--claude", claude, "--root", cwd],
      ...["--no-open", "--no-link", "--finish-turns", "0", "--log", "json", "--log-level", "info", ...flags],
    ],
    { PATH: process.env["PATH"] ?? "", HOME: home, TMPDIR: folder, LANG: "C.UTF-8" },
  );
  const said: string[] = [];
  const lines = createInterface({ input: child.stderr! });
  const readyMilliseconds = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`The server ended with ${String(code)}:\n${said.join("\n")}`)));
    lines.on("line", (line) => {
      if (line.includes('"server started"')) resolve(performance.now() - startedAt);
      if (/"level":"(?:warn|error)"/u.test(line)) console.error(line);
      if (said.push(line) > 100) said.shift();
    });
  });
  const address = JSON.parse(readFileSync(join(dataDir, "server.json"), "utf8")) as { url: string; token: string };
  return { ...measuredProcess(child), url: address.url, token: address.token, cwd, readyMilliseconds };
};

/** A program that answers `--version` at once, and otherwise runs `command` with these variables. */
export const writeProgram = (
  file: string,
  command: readonly string[],
  env: Readonly<Record<string, string>>,
): string => {
  const variables = Object.entries({ PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, ...env });
  writeFileSync(
    file,
    [
      "#!/bin/sh",
      `case "$1" in --version) echo "${NEWEST} (Claude Code)"; exit ;; auth) exit 1 ;; esac`,
      ...variables.map(([name, value]) => `export ${name}=${quoted(value)}`),
      `exec ${command.map(quoted).join(" ")} "$@"`,
      "",
    ].join("\n"),
  );
  chmodSync(file, 0o755);
  return file;
};

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
