// Errors of the CLI's process, with what to do about them.

import { accessSync, constants, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { HostError } from "../host-error.ts";
import type { CliProcessErrorCode } from "../host-error.ts";

export class CliProcessError extends HostError {
  override readonly name = "CliProcessError";
  declare readonly code: CliProcessErrorCode;
  constructor(code: CliProcessErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, {}, options);
  }
}

/**
 * The system reports the same error for a missing program and a missing folder, so this checks which one is missing.
 */
export const spawnFailure = (
  error: NodeJS.ErrnoException,
  { command, cwd }: { readonly command: string; readonly cwd: string },
): CliProcessError => {
  const failure = (code: CliProcessErrorCode, message: string): CliProcessError =>
    new CliProcessError(code, message, { cause: error });
  const folder = statSync(cwd, { throwIfNoEntry: false });
  if (folder === undefined) {
    return failure("folder-missing", `The folder ${cwd} does not exist. Create it, or choose another.`);
  }
  if (!folder.isDirectory()) return failure("folder-missing", `${cwd} is not a folder. Choose a folder.`);
  if (!isAllowed(cwd, constants.X_OK)) {
    return failure(
      "folder-forbidden",
      `The folder ${cwd} cannot be entered. Change its permissions, or choose another.`,
    );
  }
  switch (error.code) {
    case "ENOENT":
      return isAbsolute(command) && statSync(command, { throwIfNoEntry: false }) !== undefined
        ? failure(
            "program-missing",
            `${command} exists, but the interpreter in its first line does not. Install the interpreter.`,
          )
        : failure(
            "program-missing",
            `The program ${command} does not exist. Install Claude Code, or set the path of claude.`,
          );
    case "EACCES":
    case "EPERM":
    case "ENOEXEC":
      return failure(
        "not-executable",
        `${command} cannot be run. Make it executable (chmod +x), or choose another program.`,
      );
    case "EAGAIN":
    case "ENOMEM":
    case "EMFILE":
    case "ENFILE":
      return failure(
        "system-limit",
        `The system cannot start another process (${error.code}). Close sessions, or raise its limits (ulimit -a).`,
      );
    case "E2BIG":
      return failure("spawn-failed", "The command line and environment are too long. Shorten the start options.");
    default:
      return failure("spawn-failed", `${command} could not be started: ${error.message}`);
  }
};

const isAllowed = (path: string, mode: number): boolean => {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
};
