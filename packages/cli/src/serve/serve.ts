// `quarterdeck serve`: starts the server, prints where it is and what it runs, and stops it on request.

import { homedir } from "node:os";
import type { Paint } from "../terminal/terminal.ts";
import { createLog } from "@quarterdeck/server/log";
import { openBrowser } from "./open-browser.ts";
import type { ServeSettings } from "./settings.ts";
import { startServer } from "@quarterdeck/server";
import type { RunningServer } from "@quarterdeck/server";

export interface ServeOptions {
  readonly settings: ServeSettings;
  readonly version: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly write: (text: string) => void;
  readonly writeLog: (line: string) => void;
  readonly paint: Paint;
  /** A person reads the log as it is written. */
  readonly isTerminal: boolean;
  /** Calls back for each request to stop. Returns a function that stops listening. */
  readonly onStop: (wish: (signal: string) => void) => () => void;
}

const LINK_MS = 2 * 60_000;

/** Resolves when the server has stopped. */
export const serve = async (options: ServeOptions): Promise<number> => {
  const { settings, env, isTerminal, write } = options;
  const log = createLog({
    write: options.writeLog,
    format: settings.logFormat ?? (isTerminal ? "text" : "json"),
    level: settings.logLevel ?? (isTerminal ? "warn" : "info"),
  });
  // Listens from the start, so that a stop during the start is handled in order too.
  const wishes = new Wishes();
  const stopListening = options.onStop((signal) => wishes.add(signal));
  let forget: (() => void) | undefined;
  try {
    const server = await startServer({ ...options, log });
    const wantsLink = settings.printsLink || settings.opensBrowser;
    const link = wantsLink ? server.access.pair({ role: "admin" }).link : undefined;
    write(greeting(options, server, settings.printsLink ? link : undefined));
    if (settings.opensBrowser && link !== undefined) {
      forget = await openBrowser({ link, dataDir: settings.dataDir, env });
      setTimeout(() => forget?.(), LINK_MS).unref();
    }
    const signal = await wishes.first;
    write(farewell(signal, server.runningTurns(), settings.finishTurnsMs));
    const hurry = new AbortController();
    void wishes.second.then(() => {
      write("Stopping now.\n");
      hurry.abort();
    });
    await server.stop({ finishTurnsMs: settings.finishTurnsMs, hurry: hurry.signal });
    return 0;
  } finally {
    stopListening();
    forget?.();
  }
};

/** The first request stops the server gracefully, the second at once. */
class Wishes {
  readonly #waiting = [Promise.withResolvers<string>(), Promise.withResolvers<string>()] as const;
  #count = 0;
  get first(): Promise<string> {
    return this.#waiting[0].promise;
  }
  get second(): Promise<string> {
    return this.#waiting[1].promise;
  }
  add(signal: string): void {
    this.#waiting[this.#count++]?.resolve(signal);
  }
}

const farewell = (signal: string, turns: number, finishTurnsMs: number): string =>
  turns === 0 || finishTurnsMs === 0
    ? `\n${signal}: stopping.\n`
    : `\n${signal}: ${turns === 1 ? "one turn is" : `${String(turns)} turns are`} running. ` +
      `Waiting up to ${String(finishTurnsMs / 1000)} s. Press Ctrl-C again to stop now.\n`;

const greeting = (
  { settings, version, paint }: ServeOptions,
  server: RunningServer,
  link: string | undefined,
): string => {
  const { info } = server.agent;
  const lines: (readonly [string, string])[] = [
    link === undefined
      ? ["At", `${server.url}  (\`npx quarterdeck devices pair\` creates a pairing link)`]
      : ["Open", paint("bold", link)],
    ...(link === undefined
      ? []
      : [
          ["", paint("dim", "works once, within two minutes; `npx quarterdeck devices pair` creates another")] as const,
        ]),
    [
      "Agent",
      info.kind === "demo"
        ? paint("yellow", "demo mode: a script answers instead of a model")
        : `Claude Code ${info.version ?? ""}  ${paint("dim", short(info.path ?? ""))}`,
    ],
    ...(info.problem === undefined ? [] : [["", info.problem] as const]),
    ["Data", short(settings.dataDir)],
    ["Folders", server.roots.map(short).join(", ")],
    ...(server.ccpocketPort === undefined
      ? []
      : [
          [
            "ccpocket",
            `port ${String(server.ccpocketPort)}; \`quarterdeck devices add NAME\` creates a token for an app`,
          ] as const,
        ]),
  ];
  return `${paint("bold", `Quarterdeck ${version}`)}\n\n${lines.map(([name, text]) => `  ${name.padEnd(9)}${text}\n`).join("")}\n  Ctrl-C stops it.\n\n`;
};

const short = (path: string): string => {
  const home = homedir();
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
};
