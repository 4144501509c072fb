// The server's settings, from four sources: a flag wins over an environment variable, which wins over the configuration
// file, which wins over the default. One table names every setting, so that all sources know the same ones. They are
// parsed here, once.

import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { ParseArgsOptionsConfig } from "node:util";
import { z } from "zod";
import { defaultDataDir } from "@quarterdeck/host";
import type { ServerSettings } from "@quarterdeck/server";
import { LEVELS } from "@quarterdeck/server/log";
import type { Level } from "@quarterdeck/server/log";
import { UsageError, UserError } from "../user-error.ts";

interface Setting {
  /** `program`: a path, or a name on the PATH. */
  readonly kind: "text" | "path" | "program" | "number" | "switch" | "texts" | "paths";
  /** Placeholder of the value in the help. */
  readonly takes?: string;
  readonly about: string;
}

export const SETTINGS = {
  port: { kind: "number", takes: "N", about: "the port (default 7433; 0 for any free port)" },
  host: { kind: "text", takes: "ADDRESS", about: "the address to listen on (default 127.0.0.1: this machine only)" },
  "data-dir": { kind: "path", takes: "DIR", about: "the folder for sessions, devices and the secret" },
  claude: { kind: "program", takes: "PATH", about: "the program to run (default: claude on the PATH)" },
  demo: { kind: "switch", about: "run the built-in demo agent instead of Claude Code" },
  root: {
    kind: "paths",
    takes: "DIR",
    about: "a folder in which devices may see files and start sessions; repeatable",
  },
  "max-sessions": { kind: "number", takes: "N", about: "the max number of sessions with a process (default 20)" },
  "tls-cert": { kind: "path", takes: "FILE", about: "the certificate for HTTPS (PEM, with its chain)" },
  "tls-key": { kind: "path", takes: "FILE", about: "the private key of the certificate (PEM)" },
  "behind-proxy": { kind: "switch", about: "a proxy on this machine has the certificate and forwards to this port" },
  proxy: {
    kind: "texts",
    takes: "ADDRESS",
    about: "the address of a proxy on another machine: 10.0.0.2 or 10.0.0.0/24",
  },
  "allow-host": {
    kind: "texts",
    takes: "NAME",
    about: "a name that people use, such as deck.example.com; repeatable",
  },
  "notify-host": {
    kind: "texts",
    takes: "HOST:PORT",
    about: "a host of your own network that notifications may be sent to; repeatable",
  },
  "ccpocket-port": {
    kind: "number",
    takes: "N",
    about: "also speak the ccpocket protocol, on this port (default off)",
  },
  "max-upload": { kind: "number", takes: "MB", about: "the largest upload in megabytes (default 32)" },
  "finish-turns": {
    kind: "number",
    takes: "SECONDS",
    about: "how long running turns may continue after a stop signal (default 10)",
  },
  "no-snapshots": {
    kind: "switch",
    about: "take no snapshots of folders: no reviews, no rewinds",
  },
  "clean-env": { kind: "switch", about: "sessions get only well-known variables, and those of --env" },
  env: {
    kind: "texts",
    takes: "NAME",
    about: "with --clean-env: one more variable for sessions; repeatable",
  },
  "no-open": { kind: "switch", about: "do not open a browser" },
  "no-link": { kind: "switch", about: "do not print a pairing link (for services, whose output is stored)" },
  log: { kind: "text", takes: "json|text", about: "the format of the log on stderr (default: text in a terminal)" },
  "log-level": {
    kind: "text",
    takes: LEVELS.join("|"),
    about: "the lowest level to log (default info; warn in a terminal)",
  },
  config: { kind: "path", takes: "FILE", about: "the configuration file (default ~/.config/quarterdeck/config.json)" },
} as const satisfies Readonly<Record<string, Setting>>;

type Name = keyof typeof SETTINGS;
type ValueOf<S extends Setting> = {
  text: string;
  path: string;
  program: string;
  number: number;
  switch: boolean;
  texts: string[];
  paths: string[];
}[S["kind"]];
type Given = { [N in Name]?: ValueOf<(typeof SETTINGS)[N]> | undefined };

export interface ServeSettings extends ServerSettings {
  readonly finishTurnsMs: number;
  readonly opensBrowser: boolean;
  readonly printsLink: boolean;
  readonly logFormat: "json" | "text" | undefined;
  readonly logLevel: Level | undefined;
}

/** For `parseArgs`. */
export const settingFlags = (names: readonly Name[] = allNames()): ParseArgsOptionsConfig =>
  Object.fromEntries(
    names.map((name) => {
      const { kind } = SETTINGS[name];
      return [name, { type: kind === "switch" ? "boolean" : "string", multiple: kind === "texts" || kind === "paths" }];
    }),
  );

/** The same flags for a program that starts in another folder. */
export const absoluteFlags = (args: string[], cwd: string): string[] =>
  parseArgs({ args, options: settingFlags(), tokens: true }).tokens.flatMap((token) => {
    if (token.kind !== "option") return [];
    const { name, rawName, value } = token;
    return value === undefined ? [rawName] : [rawName, absoluteOf(name as Name, value, cwd)];
  });

export const settingHelp = (): (readonly [string, string])[] =>
  Object.entries<Setting>(SETTINGS).map(([name, { takes, about }]) => [
    `--${name}${takes === undefined ? "" : ` ${takes}`}`,
    about,
  ]);

export interface SettingSources {
  /** The result of `parseArgs`. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

const allOf = ({ flags, env, cwd }: SettingSources): Given => {
  const fromFlags = given(flags, (name) => `--${name}`, cwd);
  const fromEnv = given(environmentOf(env), (name) => variableOf(name), cwd);
  return over(over(configOf(fromFlags.config ?? fromEnv.config, env), fromEnv), fromFlags);
};

/** The agent is one choice of two settings. */
const over = (lower: Given, upper: Given): Given => {
  const { demo: _demo, claude: _claude, ...others } = lower;
  const isChosen = upper.demo === true || upper.claude !== undefined;
  return { ...(isChosen ? others : lower), ...upper };
};

/** For the other commands, which must find the same data directory as `serve`. */
export const readDataDir = (sources: SettingSources): string =>
  allOf(sources)["data-dir"] ?? defaultDataDir(sources.env);

export const readServeSettings = (sources: SettingSources): ServeSettings => {
  const { env } = sources;
  const all = allOf(sources);
  const { "tls-cert": cert, "tls-key": key, "log-level": level } = all;
  if ((cert === undefined) !== (key === undefined)) throw new UsageError("Use --tls-cert and --tls-key together.");
  if (all.proxy !== undefined && all["behind-proxy"] !== true) throw new UsageError("--proxy needs --behind-proxy.");
  if (all.log !== undefined && all.log !== "json" && all.log !== "text")
    throw new UsageError("--log must be json or text.");
  if (level !== undefined && !isLevel(level)) throw new UsageError(`--log-level must be one of ${LEVELS.join(", ")}.`);
  if (all.env !== undefined && all["clean-env"] !== true)
    throw new UsageError("--env needs --clean-env. Without it, sessions get all of your variables.");
  if (all.demo === true && all.claude !== undefined) throw new UsageError("Use either --demo or --claude.");
  return {
    port: portOf("port", all.port ?? 7433),
    host: all.host ?? "127.0.0.1",
    dataDir: all["data-dir"] ?? defaultDataDir(env),
    claude: all.claude,
    demo: all.demo === true,
    roots: all.root ?? [],
    maxSessions: atLeast("max-sessions", 1, all["max-sessions"] ?? 20),
    tls: cert === undefined || key === undefined ? undefined : { cert, key },
    proxies: all["behind-proxy"] === true ? (all.proxy ?? ["127.0.0.1", "::1"]) : undefined,
    allowHosts: all["allow-host"] ?? [],
    notifyHosts: all["notify-host"] ?? [],
    ccpocketPort: all["ccpocket-port"] === undefined ? undefined : portOf("ccpocket-port", all["ccpocket-port"]),
    uploadBytes: Math.round(atLeast("max-upload", 0, all["max-upload"] ?? 32) * 1024 * 1024),
    finishTurnsMs: atLeast("finish-turns", 0, all["finish-turns"] ?? 10) * 1000,
    snapshots: all["no-snapshots"] !== true,
    cleanEnv: all["clean-env"] === true ? (all.env ?? []) : undefined,
    opensBrowser: all["no-open"] !== true,
    printsLink: all["no-link"] !== true,
    logFormat: all.log,
    logLevel: level,
  };
};

const allNames = (): Name[] => Object.keys(SETTINGS) as Name[];
const isLevel = (text: string): text is Level => (LEVELS as readonly string[]).includes(text);
const variableOf = (name: Name): string => `QUARTERDECK_${name.replaceAll("-", "_").toUpperCase()}`;

/** `QUARTERDECK_ALLOW_HOST=a,b`. Lists of paths are separated like in PATH. */
const environmentOf = (env: SettingSources["env"]): Record<string, unknown> =>
  Object.fromEntries(
    allNames().flatMap((name): [string, unknown][] => {
      const value = env[variableOf(name)];
      const { kind } = SETTINGS[name];
      if (value === undefined || value === "") return [];
      if (kind === "texts") return [[name, value.split(",").map((part) => part.trim())]];
      if (kind === "paths") return [[name, value.split(delimiter)]];
      if (kind !== "switch") return [[name, value]];
      if (!/^(?:1|0|true|false|yes|no)$/iu.test(value)) throw new UsageError(`${variableOf(name)} must be 1 or 0.`);
      return [[name, /^(?:1|true|yes)$/iu.test(value)]];
    }),
  );

/** Keys are the names of the flags. Relative paths start at the file's folder. */
const configOf = (named: string | undefined, env: SettingSources["env"]): Given => {
  const path = named ?? join(env["XDG_CONFIG_HOME"] ?? join(homedir(), ".config"), "quarterdeck", "config.json");
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (named === undefined && (error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw new UserError(`The configuration ${path} cannot be read: ${(error as Error).message}`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UserError(`The configuration ${path} is not JSON: ${(error as Error).message}`);
  }
  const parsed = Config.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue?.path.join(".") ?? "";
    throw new UserError(
      `The configuration ${path} has an error${where === "" ? "" : ` at ${where}`}: ${issue?.message ?? ""}`,
    );
  }
  return given(parsed.data, (name) => `${path}: ${name}`, join(path, ".."));
};

const SHAPES = {
  text: z.string(),
  path: z.string(),
  program: z.string(),
  number: z.number(),
  switch: z.boolean(),
  texts: z.array(z.string()),
  paths: z.array(z.string()),
} as const;
const Config = z.strictObject(
  Object.fromEntries(
    allNames()
      .filter((name) => name !== "config")
      .map((name) => [name, SHAPES[SETTINGS[name].kind].optional()]),
  ),
);

/** Parsed values of one source. `called` returns the name of the setting in that source. */
const given = (source: Readonly<Record<string, unknown>>, called: (name: Name) => string, cwd: string): Given =>
  Object.fromEntries(
    allNames().flatMap((name): [string, unknown][] => {
      const value = source[name];
      if (value === undefined) return [];
      switch (SETTINGS[name].kind) {
        case "number": {
          const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
          if (typeof number !== "number" || !Number.isFinite(number))
            throw new UsageError(`${called(name)} must be a number.`);
          return [[name, number]];
        }
        case "path":
        case "program":
          return [[name, absoluteOf(name, value as string, cwd)]];
        case "paths":
          return [[name, (value as string[]).map((path) => absoluteOf(name, path, cwd))]];
        default:
          return [[name, value]];
      }
    }),
  );

/** Only paths change: numbers, texts and names on the PATH stay. */
const absoluteOf = (name: Name, value: string, cwd: string): string => {
  const { kind } = SETTINGS[name];
  const isPath = kind === "path" || kind === "paths" || (kind === "program" && /[\\/]/u.test(value));
  return isPath ? resolve(cwd, tildeOf(value)) : value;
};

/** A configuration file has no shell that expands the tilde. */
const tildeOf = (path: string): string =>
  path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(1)) : path;

const portOf = (name: Name, port: number): number => {
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new UsageError(`--${name} must be a number from 0 to 65535.`);
};

const atLeast = (name: Name, least: number, value: number): number => {
  if (value >= least) return value;
  throw new UsageError(`--${name} must be at least ${String(least)}.`);
};
