// Runs a program in place of this one: the same terminal, signals and exit code.

import { spawn } from "node:child_process";
import { constants } from "node:os";

type Replace = (file: string, args: readonly string[], env: Readonly<Record<string, string | undefined>>) => never;

export const runProgram = (
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> => {
  const { execve } = process as unknown as { readonly execve?: Replace };
  if (execve !== undefined && process.platform !== "win32") {
    // Node warns on stderr that this function is new. The program's stderr is its own.
    process.removeAllListeners("warning");
    execve.call(process, command, [command, ...args], env);
  }
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env: { ...env }, stdio: "inherit" });
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
    child.on("error", reject);
    child.on("exit", (code, signal) => resolve(code ?? 128 + (signal === null ? 1 : constants.signals[signal])));
  });
};
