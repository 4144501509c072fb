// Commands that need a server start one if none runs. It keeps running after the command has ended, like a server that
// a person started.

import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { readServerAddress } from "@quarterdeck/server/running-server";
import type { ServerAddress } from "@quarterdeck/server/running-server";
import { UserError } from "../user-error.ts";

export interface BackgroundServerOptions {
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

const STARTS_WITHIN_MS = 30_000;
const LOOK_MS = 25;
const LOG_FILE = "background-server.log";

/** The address of the running server. Starts one if none runs. */
export const serverAddress = async (options: BackgroundServerOptions): Promise<ServerAddress> => {
  const { dataDir } = options;
  const running = readServerAddress(dataDir);
  if (running !== undefined) return running;
  // The usual port may belong to the server of another data directory.
  for (const more of [[], ["--port", "0"]]) {
    const server = start(options, more);
    const until = Date.now() + STARTS_WITHIN_MS;
    while (Date.now() < until) {
      const address = readServerAddress(dataDir);
      if (address !== undefined) return address;
      if (server.hasEnded()) break;
      await delay(LOOK_MS);
    }
    // Another command may have been faster.
    const other = readServerAddress(dataDir);
    if (other !== undefined) return other;
  }
  throw new UserError(`The server could not be started. ${join(dataDir, LOG_FILE)} says: ${lastLine(dataDir)}`);
};

const start = ({ dataDir, env, cwd }: BackgroundServerOptions, more: readonly string[]) => {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const log = openSync(join(dataDir, LOG_FILE), "a", 0o600);
  const words = [...process.execArgv, process.argv[1]!];
  const child = spawn(process.execPath, [...words, "serve", "--no-open", "--no-link", "--data-dir", dataDir, ...more], {
    cwd,
    env: { ...env },
    // Its own session: a Ctrl-C for the command does not reach it.
    detached: true,
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  let ended = false;
  child.on("error", () => (ended = true));
  child.on("exit", () => (ended = true));
  child.unref();
  return { hasEnded: () => ended };
};

const lastLine = (dataDir: string): string => {
  const lines = readFileSync(join(dataDir, LOG_FILE), "utf8").trim().split("\n");
  return lines.at(-1)?.slice(0, 500) ?? "nothing";
};
