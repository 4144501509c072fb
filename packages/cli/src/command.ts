// What a command of `quarterdeck` is, and what commands share: arguments, mistakes in them, and the wish to stop.

import { parseArgs } from "node:util";
import type { ParseArgsOptionsConfig } from "node:util";
import { onOutputError } from "./terminal/printer.ts";
import { UsageError } from "./user-error.ts";
export { UsageError } from "./user-error.ts";

export interface Command {
  readonly usage: string;
  readonly about: string;
  readonly options: readonly (readonly [string, string])[] | (() => Promise<readonly (readonly [string, string])[]>);
  /** Resolves to the exit code. */
  readonly run: (args: string[]) => Promise<number>;
}

/** Aborts when somebody wants this process to end, so that it can end what it started. */
export const signalled = (): AbortSignal => {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stop.abort());
  // Nobody reads any more: `quarterdeck demo | head`.
  onOutputError(["stdout"], () => stop.abort());
  return stop.signal;
};

export const parse = <const O extends ParseArgsOptionsConfig>(args: string[], options: O) => {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    // Node's second sentence is about names of files that begin with a dash.
    const [first = ""] = (error as Error).message.split(/\.(?:\s|$)/u);
    throw new UsageError(`${first}.`);
  }
};

/** Where sessions are kept, for a command that is no server: as `serve` finds it. */
export const dataDirOf = async (named: string | undefined): Promise<string> => {
  const { readDataDir } = await import("./serve/settings.ts");
  return readDataDir({ flags: { "data-dir": named }, env: process.env, cwd: process.cwd() });
};

/** No flag is ignored in silence. */
export const refuseFlags = (values: object, names: readonly string[], why: string): void => {
  const [given] = Object.keys(values).filter((name) => names.includes(name));
  if (given !== undefined) throw new UsageError(`--${given} ${why}`);
};

/** Each wish that this process may end: Ctrl-C, `kill`, a terminal that closes. */
export const onStop = (wish: (signal: string) => void): (() => void) => {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, wish);
  // Nobody reads what we say any more; that is no reason to end.
  onOutputError(["stdout", "stderr"], () => undefined);
  return () => {
    for (const signal of signals) process.off(signal, wish);
  };
};
