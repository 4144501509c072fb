// Where `claude` is: the command that a person names or has on their PATH, and the file that holds its code. The two
// differ: npm leaves a link or a small script in front of `cli.js`, or of a native binary in a package of its own.

import { accessSync, closeSync, constants, openSync, readSync, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { UserError } from "./user-error.ts";

export interface ClaudeProgram {
  /** What is run. */
  readonly command: string;
  /** What is read: the script or binary behind links and shims. */
  readonly file: string;
  readonly size: number;
  readonly kind: "script" | "binary";
}

const HOW_TO_GET_IT =
  "Install Claude Code (npm install -g @anthropic-ai/claude-code, or see https://code.claude.com/docs), " +
  "or give the path of the program.";

export const findClaude = (named?: string, searchPath: string = process.env["PATH"] ?? ""): ClaudeProgram => {
  const command = named === undefined || !/[\\/]/.test(named) ? onPath(named ?? "claude", searchPath) : resolve(named);
  if (command === undefined) throw new UserError(`No \`${named ?? "claude"}\` on the PATH. ${HOW_TO_GET_IT}`);
  if (!isFile(command)) throw new UserError(`There is no program at ${command}. ${HOW_TO_GET_IT}`);
  if (!isExecutable(command)) throw new UserError(`${command} is not executable (chmod +x it, or name another).`);
  const file = codeBehind(realpathSync(command));
  return { command, file, size: statSync(file).size, kind: isScript(file) ? "script" : "binary" };
};

const onPath = (name: string, searchPath: string): string | undefined =>
  searchPath
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => resolve(folder, name))
    .find((candidate) => isFile(candidate) && isExecutable(candidate));

/** A file this small cannot be the CLI (11 MB as a script, 350 MB as a binary): it starts another one. */
const SHIM_BYTES = 64 * 1024;
const MOST_SHIMS = 4;

const codeBehind = (file: string, depth = 0): string => {
  if (depth === MOST_SHIMS || statSync(file).size > SHIM_BYTES) return file;
  const text = headOf(file, SHIM_BYTES).toString("utf8");
  const next = [...pathsIn(text, dirname(file)), ...platformPackages(file)].find(
    (candidate) => candidate !== file && isFile(candidate),
  );
  return next === undefined ? file : codeBehind(realpathSync(next), depth + 1);
};

/** Paths in a launcher that end in the name of a CLI: `exec node "$basedir/../x/cli.js" "$@"`. */
const pathsIn = (text: string, folder: string): string[] =>
  [...text.matchAll(/[^\s"'`=()]*[\\/](?:cli\.m?js|claude(?:\.exe)?)(?=["'`\s)]|$)/g)].map(([found]) => {
    const path = found.replace(/^\$\{?\w+\}?(?=[\\/])|^%~?dp0%?/, folder);
    return isAbsolute(path) ? path : join(folder, path);
  });

/** The npm package `claude-code` before its install script ran: the binary waits in a sibling package. */
const platformPackages = (file: string): string[] => {
  const scope = /^(.*[\\/]@anthropic-ai)[\\/]claude-code[\\/]/.exec(file)?.[1];
  if (scope === undefined) return [];
  const name = `claude-code-${process.platform}-${process.arch}`;
  return [name, `${name}-musl`].map((folder) => join(scope, folder, "claude"));
};

const isScript = (file: string): boolean => {
  const head = headOf(file, 512);
  return head.subarray(0, 2).toString("latin1") === "#!" || !head.includes(0);
};

const headOf = (file: string, bytes: number): Buffer => {
  const descriptor = openSync(file, "r");
  try {
    const head = Buffer.alloc(bytes);
    return head.subarray(0, readSync(descriptor, head, 0, bytes, 0));
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
    // Not ours to run: the caller says so.
    return false;
  }
};
