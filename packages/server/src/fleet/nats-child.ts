// `nats-server` as a child of the hub's server. It is started again if it ends. One that an earlier server left behind is used as it is.

import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Log } from "../log.ts";
import { ServerError } from "../server-error.ts";
import { fleetPaths } from "./fleet-files.ts";
import { natsPid } from "./hub.ts";

const RESTART_MS = 500;
const UP_MS = 10_000;

export interface NatsChild {
  close(): Promise<void>;
}

export interface NatsChildOptions {
  readonly dataDir: string;
  readonly program: string;
  readonly config: string;
  readonly host: string;
  readonly port: number;
  readonly log: Log;
}

/** Resolves when it listens. */
export const startNatsChild = async (options: NatsChildOptions): Promise<NatsChild> => {
  const { program, config, log } = options;
  let child: ChildProcess | undefined;
  let isClosing = false;
  let lastWords = "";

  const start = (): void => {
    if (isClosing) return;
    lastWords = "";
    child = spawn(program, ["-c", config], { stdio: ["ignore", "ignore", "pipe"] });
    child.stderr?.on("data", (chunk: Buffer) => (lastWords = `${lastWords}${chunk.toString("utf8")}`.slice(-500)));
    child.on("error", (error) => log.error("nats-server not started", { error: error.message }));
    child.once("exit", (code, signal) => {
      if (isClosing) return;
      log.error("nats-server ended", { how: String(signal ?? code), said: lastWords });
      setTimeout(start, RESTART_MS).unref();
    });
  };
  if (natsPid(options.dataDir) === undefined || !(await greets(options))) start();
  const until = Date.now() + UP_MS;
  while (!(await greets(options))) {
    if (Date.now() > until || child?.exitCode === 1) {
      isClosing = true;
      child?.kill();
      throw new ServerError(`nats-server does not start. ${lastError(options.dataDir) ?? lastWords.trim()}`.trim());
    }
    await delay(50);
  }
  return {
    async close() {
      isClosing = true;
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child!.once("exit", resolve));
      child.kill("SIGTERM");
      await ended;
    },
  };
};

/** It writes what is wrong to its log. */
const lastError = (dataDir: string): string | undefined => {
  try {
    const lines = readFileSync(fleetPaths(dataDir).log, "utf8").split("\n");
    return lines.findLast((line) => /\[(?:FTL|ERR)\]/u.test(line))?.replace(/^.*?\[(?:FTL|ERR)\] */u, "");
  } catch {
    // It ended before it wrote a log.
    return undefined;
  }
};

/** Whether a NATS server listens: it greets each client with INFO. */
const greets = ({ host, port }: NatsChildOptions): Promise<boolean> =>
  new Promise((resolve) => {
    const everywhere: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };
    const socket = connect({ host: everywhere[host] ?? host, port });
    const done = (value: boolean): void => {
      socket.destroy();
      resolve(value);
    };
    socket.setTimeout(2000, () => done(false));
    socket.once("data", (chunk: Buffer) => done(chunk.subarray(0, 4).toString("latin1") === "INFO"));
    socket.once("error", () => done(false)).once("end", () => done(false));
  });
