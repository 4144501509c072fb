// CloudCLI, only as a peer to measure against. It is downloaded on first use into bench/.cache, with its own
// dependencies (more than a gigabyte). Some of them are built for the Node that `npm` runs on, so CloudCLI runs on that
// Node. It is driven like its own page does it: a local user, a session, a WebSocket. It gets the same CLI and the same
// environment as our server.
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { WebSocket } from "ws";

export const CLOUDCLI_VERSION = "1.37.3";
const PACKAGE = "@cloudcli-ai/cloudcli";
const ENTRY = join("node_modules", PACKAGE, "dist-server", "server", "index.js");
const START_MS = 60_000;

/** The folder of CloudCLI. BENCH_CLOUDCLI names an installed CloudCLI. Throws if it cannot be installed. */
export const cloudCliFolder = async (say: (line: string) => void): Promise<string> => {
  const given = process.env["BENCH_CLOUDCLI"];
  if (given !== undefined && given !== "") return given;
  const folder = fileURLToPath(new URL(`.cache/cloudcli-${CLOUDCLI_VERSION}`, import.meta.url));
  if (existsSync(folder)) return folder;
  const partial = `${folder}.partial-${String(process.pid)}`;
  say(`fetching ${PACKAGE} ${CLOUDCLI_VERSION} (1.4 GB with its dependencies) into bench/.cache: this takes minutes`);
  mkdirSync(partial, { recursive: true });
  try {
    const quiet = ["--no-audit", "--no-fund", "--loglevel=error", "--no-save"];
    await promisify(execFile)("npm", ["install", "--prefix", partial, ...quiet, `${PACKAGE}@${CLOUDCLI_VERSION}`], {
      env: { ...process.env, PATH: outerPath() },
      maxBuffer: 64 * 1024 * 1024,
    });
    if (!existsSync(folder)) renameSync(partial, folder);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  return folder;
};

/** The PATH without the repository's own programs. */
const outerPath = (): string =>
  (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => !folder.includes("node_modules"))
    .join(delimiter);

const outerNode = (): string =>
  outerPath()
    .split(delimiter)
    .map((folder) => join(folder, "node"))
    .find((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true) ?? process.execPath;

export interface CloudCli {
  /** Sends a prompt and waits for its turn to end. Returns the milliseconds to the first text. */
  turn(text: string): Promise<number>;
  close(): Promise<void>;
}

export interface CloudCliOptions {
  readonly folder: string;
  readonly claude: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export const startCloudCli = async ({ folder, claude, cwd, env }: CloudCliOptions): Promise<CloudCli> => {
  const port = await freePort();
  const child = spawn(outerNode(), [join(folder, ENTRY)], {
    cwd,
    env: { ...env, SERVER_PORT: String(port), HOST: "127.0.0.1", CLAUDE_CLI_PATH: claude, NODE_ENV: "production" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const pipe of [child.stdout, child.stderr])
    pipe.on("data", (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4000)));
  let isGone = false;
  const exited = new Promise<void>((resolve) =>
    child.once("exit", () => {
      isGone = true;
      resolve();
    }),
  );
  const url = `http://127.0.0.1:${String(port)}`;
  for (const startedAt = performance.now(); !(await isUp(url)); await delay(100)) {
    if (isGone || performance.now() - startedAt > START_MS) throw new Error(`CloudCLI did not start:\n${said}`);
  }
  const { token } = (await post(`${url}/api/auth/register`, { username: "bench", password: "not a secret" })) as {
    token: string;
  };
  const made = await post(`${url}/api/providers/sessions`, { provider: "claude", projectPath: cwd }, token);
  const { data } = made as { data: { sessionId?: string; id?: string } };
  const sessionId = data.sessionId ?? data.id;
  const socket = new WebSocket(`ws://127.0.0.1:${String(port)}/ws?token=${token}`);
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  return {
    turn: (content) =>
      new Promise((resolve, reject) => {
        const startedAt = performance.now();
        let first: number | undefined;
        const take = (bytes: Buffer): void => {
          const frame = JSON.parse(bytes.toString()) as { kind?: string; role?: string };
          if (frame.kind === "text" && frame.role !== "user") first ??= performance.now() - startedAt;
          if (frame.kind === "error" || frame.kind === "protocol_error")
            reject(new Error(`CloudCLI: ${bytes.toString().slice(0, 500)}`));
          if (frame.kind !== "complete") return;
          socket.off("message", take);
          if (first === undefined) reject(new Error(`CloudCLI sent no text:\n${said}`));
          else resolve(first);
        };
        socket.on("message", take);
        socket.send(JSON.stringify({ type: "chat.send", sessionId, content, options: {} }));
      }),
    close: async () => {
      socket.terminate();
      child.kill("SIGKILL");
      await exited;
    },
  };
};

const isUp = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(`${url}/health`)).ok;
  } catch {
    // Nothing listens yet.
    return false;
  }
};

const post = async (url: string, body: object, token?: string): Promise<unknown> => {
  const headers = {
    "content-type": "application/json",
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`CloudCLI answered ${String(answer.status)}: ${await answer.text()}`);
  return answer.json();
};

/** CloudCLI needs a port number. */
const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
