// Whether Tailscale runs on this machine, its name there, and whether it forwards to this server. Only asks; it changes nothing.

import { execFile } from "node:child_process";
import { cleanPath } from "@quarterdeck/host";

export interface Tailscale {
  /** Such as `mybox.tail1234.ts.net`. */
  readonly name: string;
  /** `tailscale serve` forwards HTTPS of this name to this server. */
  readonly isServed: boolean;
}

const ANSWER_MS = 3000;
const MOST_BYTES = 4 * 1024 * 1024;
const NAME = /^[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){2,5}$/u;

/** Undefined if it is not installed, does not run, or says something else. */
export const findTailscale = async (port: string): Promise<Tailscale | undefined> => {
  const status = await ask(["status", "--json"]);
  const { BackendState: state, Self: self } = recordOf(status);
  const { DNSName: given } = recordOf(self);
  const name = typeof given === "string" ? given.replace(/\.$/u, "") : "";
  if (state !== "Running" || !NAME.test(name)) return undefined;
  const { Web: web } = recordOf(await ask(["serve", "status", "--json"]));
  const { Handlers: handlers } = recordOf(recordOf(web)[`${name}:443`]);
  const { Proxy: proxy } = recordOf(recordOf(handlers)["/"]);
  return { name, isServed: proxy === `http://127.0.0.1:${port}` || proxy === `http://localhost:${port}` };
};

const ask = (args: readonly string[]): Promise<unknown> =>
  new Promise((resolve) => {
    const env = { PATH: cleanPath(process.env["PATH"]), HOME: process.env["HOME"] ?? "" };
    const options = { env, timeout: ANSWER_MS, maxBuffer: MOST_BYTES, killSignal: "SIGKILL" } as const;
    execFile("tailscale", args, options, (error, stdout) => resolve(error === null ? jsonOf(stdout) : undefined));
  });

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: another program of this name.
    return undefined;
  }
};

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
