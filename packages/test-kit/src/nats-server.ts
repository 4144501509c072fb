// The real `nats-server` for tests. `scripts/nats-server.mjs` fetches the newest one; a machine without it uses the one on the PATH.

import { execFileSync, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer, connect } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

export interface NatsProgram {
  readonly command: string;
  readonly version: string;
}

export const natsProgram = (): NatsProgram => {
  const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "quarterdeck", "nats", "nats-server");
  const folders = [...(process.env["PATH"] ?? "").split(":"), "/usr/sbin", "/usr/local/bin", "/opt/homebrew/bin"];
  const named = process.env["QUARTERDECK_NATS_SERVER"];
  const command = [named, cache, ...folders.map((folder) => join(folder, "nats-server"))].find(
    (path) => path !== undefined && path !== "" && existsSync(path),
  );
  if (command === undefined)
    throw new Error("nats-server was not found. Run `npm test` once, which fetches it, or put it on the PATH.");
  const version = /\d+\.\d+\.\d+/u.exec(execFileSync(command, ["--version"], { encoding: "utf8" }))?.[0];
  if (version === undefined) throw new Error(`${command} does not say its version.`);
  return { command, version };
};

export interface RunningNats {
  readonly process: ChildProcess;
  readonly pid: number;
  /** What it wrote to stderr, which is its log unless the configuration names a file. */
  readonly output: () => string;
  /** Ends the process at once and waits for its end. */
  kill(): Promise<void>;
}

/** Starts it with this configuration, and waits until it listens at the port. */
export const startNats = async (config: string, port: number): Promise<RunningNats> => {
  const child = spawn(natsProgram().command, ["-c", config], { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString("utf8")));
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`nats-server ended with ${String(child.exitCode)}:\n${said}`);
    await delay(20);
  }
  return {
    process: child,
    pid: child.pid!,
    output: () => said,
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
};

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    const done = (value: boolean): void => {
      socket.destroy();
      resolve(value);
    };
    // The server greets each client with INFO.
    socket.once("data", () => done(true)).once("error", () => done(false));
  });

/** A port of this machine that is free now. Below the range from which the kernel takes ports for outgoing connections. */
export const freePort = async (): Promise<number> => {
  const port = 20_000 + Math.floor(Math.random() * 10_000);
  const server = createServer();
  const isFree = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => resolve(true));
  });
  await new Promise((resolve) => server.close(resolve));
  return isFree ? port : freePort();
};
