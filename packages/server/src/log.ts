// The server's log: one line of JSON per event, whatever the values contain. We choose the field names, and values are
// cut. Fields with secret names and bodies are never written.

import { jsonText } from "@quarterdeck/session/true-text";

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** One line of JSON each. `event` is a fixed phrase. Variable data goes into the fields, never a body or a secret. */
export interface Log {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  /** `error` may be in the fields as its message. A stack is only for bugs. */
  error(event: string, fields?: LogFields): void;
}

export const LEVELS = ["debug", "info", "warn", "error"] as const;
export type Level = (typeof LEVELS)[number];

export interface LogOptions {
  readonly write: (line: string) => void;
  readonly level: Level;
  /** `json` for machines, `text` for a terminal. */
  readonly format: "json" | "text";
  readonly now?: () => Date;
}

const LONGEST = 2000;
const SECRET = /authorization|cookie|token|secret|password|passphrase|signature|nonce|code$|link$|ticket|key$/iu;

export const createLog = ({ write, level, format, now = () => new Date() }: LogOptions): Log => {
  const say =
    (at: Level) =>
    (event: string, fields: LogFields = {}): void => {
      if (LEVELS.indexOf(at) < LEVELS.indexOf(level)) return;
      const clean = Object.fromEntries(
        Object.entries(fields).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, SECRET.test(name) ? "[redacted]" : cut(value)]],
        ),
      );
      const time = now().toISOString();
      write(
        format === "json"
          ? `${jsonText({ time, level: at, event, ...clean })}\n`
          : `${time.slice(11, 19)} ${at.padEnd(5)} ${event}${textOf(clean)}\n`,
      );
    };
  return { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") };
};

/** The address of a ticket works like a key while it lasts, and a query may contain anything. */
export const loggedPath = (url: string): string => {
  const path = url.split(/[?#]/u, 1)[0]!;
  return path.startsWith("/t/") ? "/t/…" : path;
};

const cut = (value: string | number | boolean): string | number | boolean =>
  typeof value === "string" && value.length > LONGEST
    ? `${value.slice(0, LONGEST)}… (${String(value.length)} characters)`
    : value;

const textOf = (fields: Readonly<Record<string, unknown>>): string =>
  Object.entries(fields)
    .map(([name, value]) => ` ${name}=${jsonText(value)}`)
    .join("");
