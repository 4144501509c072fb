// `quarterdeck doctor`: checks everything that the server needs, and says what is missing and what to do. It changes
// nothing: it makes no folder, keeps no port, and releases every lock.

import { X509Certificate } from "node:crypto";
import { accessSync, constants, existsSync, lstatSync, readFileSync, statfsSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { dirname } from "node:path";
import { findClaude, FindClaudeError, openSqliteStore, spawnEnvironment, StoreError } from "@quarterdeck/host";
import { jsonText } from "../terminal/terminal.ts";
import type { Paint } from "../terminal/terminal.ts";
import { builtPage, environmentNames, isLoggedIn, refuseOpenDoors, ServerError } from "@quarterdeck/server";
import { readServerAddress } from "@quarterdeck/server/running-server";
import type { ServeSettings } from "./settings.ts";

export interface DoctorOptions {
  readonly settings: ServeSettings;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly write: (text: string) => void;
  readonly paint: Paint;
  readonly json: boolean;
}

export interface DoctorFinding {
  readonly about: string;
  /** `note`: the server runs, but something could be better. */
  readonly state: "good" | "note" | "bad";
  readonly text: string;
  readonly advice?: string;
}

/** Returns 0 if the server can run. */
export const doctor = async (options: DoctorOptions): Promise<number> => {
  const findings = await examine(options);
  options.write(options.json ? `${jsonText(findings, 2)}\n` : reportOf(findings, options.paint));
  return findings.some(({ state }) => state === "bad") ? 1 : 0;
};

const examine = async ({ settings, env }: Pick<DoctorOptions, "settings" | "env">): Promise<DoctorFinding[]> => {
  const running = addressOf(settings.dataDir);
  return [
    nodeFinding(),
    ...(await claudeFindings(settings, env)),
    environmentFinding(settings, env),
    await dataFinding(settings.dataDir, running),
    await portFinding(settings, running),
    ...(await ccpocketFindings(settings, running)),
    ...doorFindings(settings),
    pageFinding(),
  ];
};

const nodeFinding = (): DoctorFinding => {
  const version = process.versions.node;
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 22 || (major === 22 && minor >= 18)
    ? { about: "Node", state: "good", text: version }
    : { about: "Node", state: "bad", text: version, advice: "Install Node 22.18 or newer." };
};

const claudeFindings = async (settings: ServeSettings, env: DoctorOptions["env"]): Promise<DoctorFinding[]> => {
  if (settings.demo) return [{ about: "Agent", state: "note", text: "demo mode, because of --demo" }];
  try {
    const named = settings.claude === undefined ? {} : { program: settings.claude };
    const found = await findClaude({ env: spawnEnvironment(env, { marker: "none:none:0" }), ...named });
    const isIn = await isLoggedIn(found, env);
    return [
      { about: "Claude Code", state: "good", text: `${found.version}  ${found.file}` },
      isIn === true
        ? { about: "Login", state: "good", text: "logged in" }
        : isIn === undefined
          ? {
              about: "Login",
              state: "note",
              text: "this version does not report it",
              advice: "If turns fail, run `claude` and /login.",
            }
          : {
              about: "Login",
              state: "bad",
              text: "not logged in",
              advice: "Run `claude` and /login, or set ANTHROPIC_API_KEY.",
            },
    ];
  } catch (error) {
    if (!(error instanceof FindClaudeError)) throw error;
    const state = settings.claude === undefined && error.code === "not-found" ? "note" : "bad";
    const advice = state === "note" ? "Until then the server runs its demo agent." : undefined;
    return [{ about: "Claude Code", state, text: error.message, ...(advice !== undefined && { advice }) }];
  }
};

/** What a server that starts here passes on. A running one keeps the environment of its own start. */
const environmentFinding = (settings: ServeSettings, env: DoctorOptions["env"]): DoctorFinding => {
  const names = environmentNames(env, settings);
  const what = settings.cleanEnv === undefined ? "sessions get your variables" : "sessions get known variables only";
  return { about: "Environment", state: "good", text: `${what}: ${names.join(" ")}` };
};

type Running = ReturnType<typeof readServerAddress>;

const addressOf = (dataDir: string): Running => {
  try {
    return readServerAddress(dataDir);
  } catch {
    // Not readable. The check of the folder reports it.
    return undefined;
  }
};

const dataFinding = async (dataDir: string, running: Running): Promise<DoctorFinding> => {
  const about = "Data";
  const bad = (text: string, advice: string): DoctorFinding => ({ about, state: "bad", text, advice });
  const here = nearest(dataDir);
  if (!statSync(here).isDirectory()) return bad(`${here} is a file`, "Choose another folder with --data-dir.");
  try {
    accessSync(here, constants.W_OK | constants.X_OK);
  } catch {
    // The check does not find out why.
    return bad(`${here} cannot be written`, "Give yourself the permission, or choose another folder with --data-dir.");
  }
  const { bavail, bsize, blocks } = statfsSync(here);
  if (blocks === 0) return bad(`${here} cannot hold files`, "Choose another folder with --data-dir.");
  const free = bavail * bsize;
  if (free < 100 * 1024 * 1024) return bad(`${dataDir}: ${inUnits(free)} free`, "Free some disk space.");
  if (here !== dataDir) return { about, state: "good", text: `${dataDir} will be created; ${inUnits(free)} free` };
  if (running !== undefined) {
    return { about, state: "good", text: `${dataDir}, in use by the server at ${running.url}; ${inUnits(free)} free` };
  }
  try {
    await (await openSqliteStore(dataDir)).close();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return bad(
      error.message,
      error.code === "locked" ? "End that process, or choose --data-dir." : "Choose --data-dir.",
    );
  }
  return { about, state: "good", text: `${dataDir}; ${inUnits(free)} free` };
};

const nearest = (path: string): string => (existsSync(path) || path === dirname(path) ? path : nearest(dirname(path)));

const portFinding = async ({ host, port }: ServeSettings, running: Running): Promise<DoctorFinding> => {
  const about = "Port";
  // The server of this data directory keeps the port that it was started with, whatever the settings say now.
  if (running !== undefined)
    return { about, state: "good", text: `${portOf(running.url)}, used by our own server (process ${running.pid})` };
  const code = await listenTo(host, port);
  if (code === undefined) return { about, state: "good", text: `${String(port)} at ${host} is free` };
  return {
    about,
    state: "bad",
    text: `${String(port)} at ${host} cannot be used (${code})`,
    advice: code === "EADDRINUSE" ? "Another program uses it. Choose --port." : "Choose --port or --host.",
  };
};

const portOf = (url: string): string => {
  const { port, protocol } = new URL(url);
  return port === "" ? (protocol === "https:" ? "443" : "80") : port;
};

const ccpocketFindings = async (
  { host, ccpocketPort: port }: ServeSettings,
  running: Running,
): Promise<DoctorFinding[]> => {
  if (port === undefined) return [];
  const about = "ccpocket";
  const code = await listenTo(host, port);
  if (code === undefined) return [{ about, state: "good", text: `${String(port)} at ${host} is free` }];
  if (running !== undefined && code === "EADDRINUSE")
    return [{ about, state: "note", text: `${String(port)} at ${host} is in use, perhaps by our own server` }];
  const text = `${String(port)} at ${host} cannot be used (${code})`;
  return [{ about, state: "bad", text, advice: "Choose --ccpocket-port." }];
};

/** Returns the error, or undefined if it can listen. */
const listenTo = (host: string, port: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "unknown"));
    probe.listen({ host, port }, () => probe.close(() => resolve(undefined)));
  });

const doorFindings = (settings: ServeSettings): DoctorFinding[] => {
  const { host, tls, allowHosts, proxies } = settings;
  const about = "Reach";
  try {
    refuseOpenDoors({ host, isTls: tls !== undefined, allowHosts, ...(proxies !== undefined && { proxies }) });
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    return [{ about, state: "bad", text: error.message }];
  }
  const names = allowHosts.length === 0 ? "this machine only" : allowHosts.join(", ");
  return [{ about, state: "good", text: names }, ...(tls === undefined ? [] : [certificateFinding(tls, allowHosts)])];
};

const certificateFinding = (
  { cert, key }: { readonly cert: string; readonly key: string },
  allowHosts: readonly string[],
): DoctorFinding => {
  const about = "Certificate";
  try {
    const certificate = new X509Certificate(readFileSync(cert));
    const until = new Date(certificate.validTo);
    const strange = allowHosts.find((name) => certificate.checkHost(name.replace(/:\d+$/u, "")) === undefined);
    if ((lstatSync(key).mode & 0o077) !== 0)
      return { about, state: "note", text: `${key} can be read by others`, advice: `chmod 600 ${key}` };
    if (until.getTime() < Date.now())
      return { about, state: "bad", text: `${cert} expired on ${certificate.validTo}`, advice: "Renew it." };
    if (strange !== undefined)
      return { about, state: "bad", text: `${cert} is not for ${strange}`, advice: "Use a certificate for that name." };
    return { about, state: "good", text: `valid until ${until.toISOString().slice(0, 10)}` };
  } catch (error) {
    return {
      about,
      state: "bad",
      text: `${cert}: ${(error as Error).message}`,
      advice: "Use PEM files that you can read.",
    };
  }
};

const pageFinding = (): DoctorFinding => {
  const folder = builtPage();
  return folder === undefined
    ? { about: "Page", state: "note", text: "not built", advice: "In the repository: npm run build." }
    : { about: "Page", state: "good", text: "built" };
};

const inUnits = (bytes: number): string =>
  bytes > 1024 ** 3 ? `${(bytes / 1024 ** 3).toFixed(1)} GB` : `${(bytes / 1024 ** 2).toFixed(0)} MB`;

const reportOf = (findings: readonly DoctorFinding[], paint: Paint): string =>
  findings
    .map(({ about, state, text, advice }) => {
      const mark = { good: paint("green", "ok  "), note: paint("yellow", "note"), bad: paint("red", "BAD ") }[state];
      return `${mark}  ${about.padEnd(12)}${text}\n${advice === undefined ? "" : `${" ".repeat(18)}${paint("bold", advice)}\n`}`;
    })
    .join("");
