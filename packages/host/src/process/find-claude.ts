// Where `claude` is, how to run it, and which version it is. The user may name a link, an npm shim or a script. An
// update changes the file behind it, so the version is cached by path, time and size of that file.

import { execFile } from "node:child_process";
import { accessSync, closeSync, constants, openSync, readSync, realpathSync, statSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { HostError } from "../host-error.ts";
import type { FindClaudeErrorCode } from "../host-error.ts";

export { cleanPath } from "../trust/clean-path.ts";

export interface ClaudeProgram {
  /** The program to run. `prefixArgs` come before the CLI's own arguments. */
  readonly command: string;
  readonly prefixArgs: readonly string[];
  /** The script or binary behind links and shims. */
  readonly file: string;
  /** For example `2.1.325`. */
  readonly version: string;
}

export interface FindClaudeOptions {
  /** A path, or a name on the PATH. Default: `claude`. */
  readonly program?: string;
  /** The environment of the CLI. Its PATH is searched, and `--version` runs in it. */
  readonly env: Readonly<Record<string, string>>;
}

export class FindClaudeError extends HostError {
  override readonly name = "FindClaudeError";
  declare readonly code: FindClaudeErrorCode;
  constructor(code: FindClaudeErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, {}, options);
  }
}

const HOW_TO_GET_IT =
  "Install Claude Code (npm install -g @anthropic-ai/claude-code, or see https://code.claude.com/docs), " +
  "or set the path of the program.";
const VERSION_MS = 30_000;

const versions = new Map<string, Promise<string>>();

/** Where the program is and how to run it. This does not run it. */
export type LocatedClaude = Omit<ClaudeProgram, "version">;

export const locateClaude = (program = "claude", searchPath: string = process.env["PATH"] ?? ""): LocatedClaude => {
  const path = /[\\/]/.test(program) ? resolve(program) : onPath(program, searchPath);
  if (path === undefined) throw new FindClaudeError("not-found", `No \`${program}\` on the PATH. ${HOW_TO_GET_IT}`);
  if (!isFile(path)) throw new FindClaudeError("not-found", `No program found at ${path}. ${HOW_TO_GET_IT}`);
  const file = codeBehind(realpathSync(path));
  return { ...howToRun(path, file), file };
};

export const findClaude = async ({ program = "claude", env }: FindClaudeOptions): Promise<ClaudeProgram> => {
  const located = locateClaude(program, env["PATH"] ?? "");
  const { mtimeMs, size } = statSync(located.file);
  const key = JSON.stringify([located.command, located.prefixArgs, located.file, mtimeMs, size]);
  const known = versions.get(key) ?? askVersion(located, env);
  versions.set(key, known);
  try {
    return { ...located, version: await known };
  } catch (error) {
    // The next call may succeed, for example with another PATH or on a less busy machine.
    versions.delete(key);
    throw error;
  }
};

type HowToRun = Pick<ClaudeProgram, "command" | "prefixArgs">;

const howToRun = (path: string, file: string): HowToRun => {
  // Before the install script ran, the file that npm links only prints an error.
  if (platformPackages(realpathSync(path)).includes(file)) return { command: file, prefixArgs: [] };
  // Only the simulator is TypeScript. It needs a Node that strips types.
  if (path.endsWith(".ts")) return { command: process.execPath, prefixArgs: ["--conditions=source", path] };
  if (isExecutable(path)) return { command: path, prefixArgs: [] };
  if (/\.[cm]?js$/.test(path)) return { command: process.execPath, prefixArgs: [path] };
  throw new FindClaudeError(
    "not-executable",
    `${path} is not executable. Run chmod +x on it, or choose another program.`,
  );
};

const askVersion = ({ command, prefixArgs }: HowToRun, env: Readonly<Record<string, string>>): Promise<string> =>
  new Promise((found, reject) => {
    const child = execFile(
      command,
      [...prefixArgs, "--version"],
      { env: { ...env }, timeout: VERSION_MS, killSignal: "SIGKILL" },
      (error, stdout, stderr) => {
        const version = /^\s*v?(\d+\.\d+\.\d+(?:-[\w.]+)?)\b.*\bClaude Code\b/.exec(stdout)?.[1];
        if (version !== undefined) found(version);
        else if (error === null) {
          const said = firstLine(stdout) ?? "nothing";
          reject(
            new FindClaudeError(
              "not-claude",
              `${command} is not Claude Code: its --version says ${said}. ${HOW_TO_GET_IT}`,
            ),
          );
        } else {
          const why = child.killed
            ? `did not end in ${String(VERSION_MS / 1000)} s`
            : (firstLine(stderr) ?? error.message).replace(/\.$/, "");
          reject(
            new FindClaudeError(
              "does-not-run",
              `\`${command} --version\` failed: ${why}. Run it in a terminal to see why.`,
              {
                cause: error,
              },
            ),
          );
        }
      },
    );
    child.stdin?.end();
  });

const firstLine = (text: string): string | undefined =>
  text
    .split("\n")
    .map((line) => line.trim())
    .find((line) => line !== "")
    ?.slice(0, 300);

const onPath = (name: string, searchPath: string): string | undefined =>
  searchPath
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, name))
    .find((candidate) => isFile(candidate) && isExecutable(candidate) && !isOurs(candidate));

/** A PATH entry that stands in for the CLI (docs/claude.md). It would start itself again. */
const isOurs = (path: string): boolean => basename(realpathSync(path)) === "quarterdeck-claude.js";

/** A smaller file cannot be the CLI (11 MB as a script, 350 MB as a binary), so it must be a shim. */
const SHIM_BYTES = 64 * 1024;
const MOST_SHIMS = 4;

const codeBehind = (file: string, depth = 0): string => {
  if (depth === MOST_SHIMS || statSync(file).size > SHIM_BYTES) return file;
  const next = [...pathsIn(textOf(file), dirname(file)), ...platformPackages(file)].find(
    (candidate) => candidate !== file && isFile(candidate),
  );
  return next === undefined ? file : codeBehind(realpathSync(next), depth + 1);
};

/** Paths in a shim that end in the name of a CLI: `exec node "$basedir/../x/cli.js" "$@"`. */
const pathsIn = (text: string, folder: string): string[] =>
  [...text.matchAll(/[^\s"'`=()]*[\\/](?:cli\.m?js|claude(?:\.exe)?)(?=["'`\s)]|$)/g)].map(([found]) => {
    const path = found.replace(/^\$\{?\w+\}?(?=[\\/])|^%~?dp0%?/, folder);
    return isAbsolute(path) ? path : join(folder, path);
  });

/** The npm package `claude-code` before its install script ran. The binary is in a sibling package. */
const platformPackages = (file: string): string[] => {
  const scope = /^(.*[\\/]@anthropic-ai)[\\/]claude-code[\\/]/.exec(file)?.[1];
  if (scope === undefined) return [];
  const name = `claude-code-${process.platform}-${process.arch}`;
  return [name, `${name}-musl`].map((folder) => join(scope, folder, "claude"));
};

const textOf = (file: string): string => {
  const descriptor = openSync(file, "r");
  try {
    const head = Buffer.alloc(SHIM_BYTES);
    return head.subarray(0, readSync(descriptor, head, 0, SHIM_BYTES, 0)).toString("utf8");
  } finally {
    closeSync(descriptor);
  }
};

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // We may not run it. The caller reports that.
    return false;
  }
};
