// The command `quarterdeck` as a separate process in a scratch home, and clients that connect like people and programs
// do.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:https";
import { request as plainRequest } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { WebSocket } from "ws";
import { connect } from "@quarterdeck/client";
import type { Client, Credentials } from "@quarterdeck/client";
import { browserKey } from "@quarterdeck/test-kit/browser-key";
import { COMPILED } from "@quarterdeck/test-kit/clean-env";
import { programWords, writeScriptedClaude } from "@quarterdeck/test-kit/programs";

export interface Scratch {
  readonly folder: string;
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
}

/** An empty home, and a PATH without `claude`. */
export const scratchHome = (): Scratch => {
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-serve-"));
  return {
    folder,
    dataDir: join(folder, ".local", "share", "quarterdeck"),
    env: { HOME: folder, PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, ...COMPILED },
  };
};

export interface Spawned {
  readonly pid: number;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** The exit code, or the signal. */
  readonly exit: Promise<number | string>;
  /** Resolves with the match when stdout contains it. Rejects if the process ends without it. */
  readonly said: (pattern: RegExp) => Promise<RegExpExecArray>;
}

export const spawnQuarterdeck = (
  { env, folder }: Scratch,
  args: readonly string[],
  extra: { readonly env?: Readonly<Record<string, string>>; readonly nodeArgs?: readonly string[] } = {},
): Spawned => {
  const child = spawn(process.execPath, [...(extra.nodeArgs ?? []), ...programWords("quarterdeck"), ...args], {
    cwd: folder,
    env: { ...env, ...extra.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [out, err] = ["", ""];
  const waiting = new Set<() => void>();
  const wake = (): void => waiting.forEach((look) => look());
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk.toString("utf8");
    wake();
  });
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString("utf8")));
  let isGone = false;
  const exit = once(child, "close").then(([code, signal]) => {
    isGone = true;
    wake();
    return (code ?? signal) as number | string;
  });
  return {
    pid: child.pid!,
    stdout: () => out,
    stderr: () => err,
    kill: (signal) => void child.kill(signal),
    exit,
    said: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const match = pattern.exec(out);
          if (match === null && !isGone) return;
          waiting.delete(look);
          if (match === null) reject(new Error(`It ended without saying ${String(pattern)}:\n${out}${err}`));
          else resolve(match);
        };
        waiting.add(look);
        look();
      }),
  };
};

/** Runs it to its end. */
export const runQuarterdeck = async (scratch: Scratch, args: readonly string[], extra = {}) => {
  const child = spawnQuarterdeck(scratch, args, extra);
  return { code: await child.exit, stdout: child.stdout(), stderr: child.stderr() };
};

export interface Server extends Spawned {
  readonly url: string;
  readonly link: string;
}

export const startQuarterdeck = async (scratch: Scratch, args: readonly string[] = [], extra = {}): Promise<Server> => {
  const child = spawnQuarterdeck(scratch, ["serve", "--port", "0", ...args], extra);
  const [link] = await child.said(/https?:\/\/\S+\/#pair=\S+/u);
  const { url } = JSON.parse(readFileSync(join(scratch.dataDir, "server.json"), "utf8")) as { url: string };
  return Object.assign(child, { url, link });
};

/** A server whose CLI follows these scripts, an admin's client of it, and an empty folder to work in. */
export const startScripted = async (scripts: readonly object[]) => {
  const scratch = scratchHome();
  const [work, program] = [join(scratch.folder, "work"), join(scratch.folder, "claude")];
  mkdirSync(work);
  writeScriptedClaude(program, scripts);
  const server = await startQuarterdeck(scratch, ["--claude", program]);
  const { token } = JSON.parse(readFileSync(join(scratch.dataDir, "server.json"), "utf8")) as { token: string };
  const client = connectAt(server.url, { kind: "token", token });
  const end = async (): Promise<void> => {
    client.close();
    server.kill("SIGTERM");
    await server.exit;
    removeScratch(scratch);
  };
  return { scratch, work, server, client, end };
};

export interface Wire {
  /** Where to connect if this machine cannot resolve the link's name. */
  readonly at?: { readonly host: string; readonly port: number };
  readonly ca?: string;
}

/** Like a browser: makes a key, posts it with the code of the link, and connects with it. */
export const pairAndConnect = async (link: string, wire: Wire = {}): Promise<Client> => {
  const { origin, hash } = new URL(link);
  const key = await browserKey();
  const body = JSON.stringify({ code: hash.replace("#pair=", ""), name: "A browser", publicKey: key.publicKey });
  const answer = await post(`${origin}/pair`, body, origin, wire);
  if (answer.status !== 200) throw new Error(`Pairing was answered with ${String(answer.status)}: ${answer.text}`);
  const { device } = JSON.parse(answer.text) as { device: { id: string } };
  return connectAt(origin, { kind: "device", id: device.id, sign: key.sign }, { origin }, wire);
};

export const connectAt = (
  url: string,
  credentials: Credentials,
  extraHeaders: Readonly<Record<string, string>> = {},
  { at, ca }: Wire = {},
): Client =>
  connect({
    url,
    credentials,
    client: { name: "test", version: "0" },
    openSocket(to, headers) {
      const reached = new URL(to);
      const host = reached.host;
      if (at !== undefined) Object.assign(reached, { hostname: at.host, port: String(at.port) });
      const servername = at === undefined ? {} : { servername: host.split(":")[0]! };
      return new WebSocket(reached, {
        headers: { ...headers, ...extraHeaders, host },
        ...(ca !== undefined && { ca, ...servername }),
      }) as unknown as globalThis.WebSocket;
    },
  });

const post = (url: string, body: string, origin: string, { at, ca }: Wire) =>
  new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
    const { protocol, hostname, port, pathname, host } = new URL(url);
    const sent = (protocol === "https:" ? request : plainRequest)(
      {
        host: at?.host ?? hostname,
        port: at?.port ?? port,
        path: pathname,
        method: "POST",
        headers: { host, origin, "content-type": "application/json" },
        ...(ca !== undefined && { ca, servername: hostname }),
      },
      (response) => {
        let text = "";
        response.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });

export const opened = (client: Client): Promise<void> =>
  until(client, ({ status }) => status === "open").then(() => undefined);

export const until = (client: Client, wanted: (state: Client["state"]) => boolean): Promise<Client["state"]> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (!wanted(client.state)) return;
      stop();
      resolve(client.state);
    };
    const stop = client.onState(look);
    look();
  });

export const removeScratch = ({ folder }: Scratch): void =>
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
