// The type of a command of `quarterdeck`, and what commands share: arguments, errors in them, and stop signals.

import { parseArgs } from "node:util";
import type { ParseArgsOptionsConfig } from "node:util";
import { onOutputError } from "./terminal/printer.ts";
import { UsageError } from "./user-error.ts";
export { UsageError } from "./user-error.ts";

export interface CliCommand {
  readonly usage: string;
  readonly about: string;
  readonly options: readonly (readonly [string, string])[] | (() => Promise<readonly (readonly [string, string])[]>);
  /** `--help` is an argument like others. */
  readonly passesHelp?: true;
  /** Resolves to the exit code. */
  readonly run: (args: string[]) => Promise<number>;
}

/** Aborts when this process is asked to end, so that it can end what it started. */
export const signalled = (): AbortSignal => {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stop.abort());
  // The reader is gone: `quarterdeck demo | head`.
  onOutputError(["stdout"], () => stop.abort());
  return stop.signal;
};

export const parse = <const O extends ParseArgsOptionsConfig>(args: string[], options: O) => {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    // Node's second sentence is about file names that begin with a dash.
    const [first = ""] = (error as Error).message.split(/\.(?:\s|$)/u);
    throw new UsageError(`${first}.`);
  }
};

/** The data directory for a command that is not a server, found like `serve` does. */
export const dataDirOf = async (named: string | undefined): Promise<string> => {
  const { readDataDir } = await import("./serve/settings.ts");
  return readDataDir({ flags: { "data-dir": named }, env: process.env, cwd: process.cwd() });
};

/** No flag is ignored silently. */
export const refuseFlags = (values: object, names: readonly string[], why: string): void => {
  const [given] = Object.keys(values).filter((name) => names.includes(name));
  if (given !== undefined) throw new UsageError(`--${given} ${why}`);
};

/** Calls back for each request to end: Ctrl-C, `kill`, a terminal that closes. */
export const onStop = (wish: (signal: string) => void): (() => void) => {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, wish);
  // If nobody reads the output, the server still continues.
  onOutputError(["stdout", "stderr"], () => undefined);
  return () => {
    for (const signal of signals) process.off(signal, wish);
  };
};
