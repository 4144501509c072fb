// Git with a directory of our own. It reads the files of a folder that others control. Nothing in the folder decides
// what runs: no hooks, no filters, no monitors, and no settings of the user, the system or the folder's own repository.
// The folder's own index, references, stash and objects are never opened.

import { spawn } from "node:child_process";
import { HostError } from "../host-error.ts";
import { cleanPath } from "../trust/clean-path.ts";

/** Why a snapshot could not be taken or read. */
export type SnapshotProblem = "no-git" | "no-folder" | "disk-full" | "timeout" | "too-large" | "failed";

export class SnapshotError extends HostError {
  override readonly name = "SnapshotError";
  readonly problem: SnapshotProblem;
  constructor(problem: SnapshotProblem, message: string, options?: ErrorOptions) {
    super("snapshot-failed", message, { problem }, options);
    this.problem = problem;
  }
}

export interface PrivateGitCall {
  readonly input?: string | Buffer;
  readonly timeoutMs?: number;
  readonly mostBytes?: number;
  /** Settings for this call. */
  readonly settings?: readonly (readonly [string, string])[];
  /**
   * Default: only the private store, which outlives the folder. `files`: the folder's files too. `users`: the repository that the folder is
   * in, which must be a command that only reads.
   */
  readonly of?: "store" | "files" | "users";
}

const TIMEOUT_MS = 60_000;
const MOST_BYTES = 256 * 1024 * 1024;

const FIXED: readonly (readonly [string, string])[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.attributesFile", "/dev/null"],
  ["core.excludesFile", "/dev/null"],
  ["core.autocrlf", "false"],
  ["core.safecrlf", "false"],
  ["core.fileMode", "true"],
  ["core.symlinks", "true"],
  ["core.ignoreCase", "false"],
  ["core.precomposeUnicode", "false"],
  // Names that only other systems cannot have.
  ["core.protectNTFS", "false"],
  ["core.protectHFS", "false"],
  ["core.preloadIndex", "true"],
  ["core.quotePath", "false"],
  ["core.pager", "cat"],
  ["core.sshCommand", "false"],
  ["core.askPass", ""],
  ["core.alternateRefsCommand", ""],
  // A snapshot that a power cut takes is taken again.
  ["core.fsync", "none"],
  ["core.compression", "1"],
  ["credential.helper", ""],
  ["diff.external", ""],
  ["diff.ignoreSubmodules", "all"],
  ["diff.renameLimit", "1000"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["index.version", "4"],
  ["safe.directory", "*"],
  ["submodule.recurse", "false"],
];

const OF: Readonly<Record<NonNullable<PrivateGitCall["of"]>, readonly (readonly [string, string])[]>> = {
  store: [["core.bare", "true"]],
  files: [["core.bare", "false"]],
  users: [["safe.bareRepository", "explicit"]],
};

export interface PrivateGitOptions {
  /** The private git directory. */
  readonly directory: string;
  /** The real path of the folder. */
  readonly folder: string;
  readonly path: string | undefined;
}

export class PrivateGit {
  readonly directory: string;
  readonly folder: string;
  readonly #path: string;

  constructor({ directory, folder, path }: PrivateGitOptions) {
    this.directory = directory;
    this.folder = folder;
    this.#path = cleanPath(path);
  }

  /** Rejects with a SnapshotError. */
  async run(args: readonly string[], options: PrivateGitCall = {}): Promise<Buffer> {
    const { timeoutMs = TIMEOUT_MS, mostBytes = MOST_BYTES, input, of = "store" } = options;
    return new Promise<Buffer>((resolve, reject) => {
      // From `/`: then a missing folder is an error of git, not of the spawn.
      const child = spawn("git", ["-C", of === "store" ? this.directory : this.folder, ...args], {
        cwd: "/",
        env: this.#environment(options),
      });
      const parts: Buffer[] = [];
      let [length, said] = [0, ""];
      let problem: SnapshotError | undefined;
      const end = (why: SnapshotError): void => {
        problem ??= why;
        child.kill("SIGKILL");
      };
      const timer = setTimeout(() => end(new SnapshotError("timeout", "Git took too long.")), timeoutMs);
      child.stdout.on("data", (part: Buffer) => {
        length += part.length;
        if (length > mostBytes) end(new SnapshotError("too-large", "Git said more than we read."));
        else parts.push(part);
      });
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        if (said.length < 10_000) said += text;
      });
      child.on("error", (error) => {
        clearTimeout(timer);
        const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
        reject(
          isMissing
            ? new SnapshotError("no-git", "Git is not installed, and reviews of changes need it.")
            : new SnapshotError("failed", `Git could not be started: ${error.message}`, { cause: error }),
        );
      });
      child.on("close", (code) => {
        clearTimeout(timer);
        if (problem !== undefined) reject(problem);
        else if (code === 0) resolve(Buffer.concat(parts));
        else reject(failureOf(said, code));
      });
      // It may end before it has read all.
      child.stdin.on("error", () => {});
      child.stdin.end(input ?? "");
    });
  }

  async text(args: readonly string[], options?: PrivateGitCall): Promise<string> {
    return (await this.run(args, options)).toString("utf8");
  }

  #environment({ of = "store", settings = [] }: PrivateGitCall): Record<string, string> {
    const all = [...FIXED, ...OF[of], ...settings];
    return {
      PATH: this.#path,
      HOME: "/nonexistent",
      LC_ALL: "C.UTF-8",
      ...(of !== "users" && { GIT_DIR: this.directory }),
      ...(of === "files" && { GIT_WORK_TREE: this.folder }),
      GIT_OPTIONAL_LOCKS: "0",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_SYSTEM: "/dev/null",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_ATTR_NOSYSTEM: "1",
      GIT_TERMINAL_PROMPT: "0",
      GIT_NO_LAZY_FETCH: "1",
      GIT_NO_REPLACE_OBJECTS: "1",
      GIT_ALLOW_PROTOCOL: "",
      GIT_LITERAL_PATHSPECS: "1",
      GIT_PAGER: "cat",
      GIT_CONFIG_COUNT: String(all.length),
      ...Object.fromEntries(
        all.flatMap(([key, value], at) => [
          [`GIT_CONFIG_KEY_${at}`, key],
          [`GIT_CONFIG_VALUE_${at}`, value],
        ]),
      ),
    };
  }
}

const failureOf = (said: string, code: number | null): SnapshotError => {
  if (/No space left on device|Disk quota exceeded/i.test(said))
    return new SnapshotError("disk-full", "The disk of the data folder is full.");
  if (/cannot change to|Unable to read current working directory/i.test(said))
    return new SnapshotError("no-folder", "The folder is gone.");
  return new SnapshotError("failed", `Git failed (${code ?? "killed"}): ${said.trim().slice(0, 500)}`);
};

/** The parts of an output of `-z`. */
export const nulSeparated = (output: Buffer): string[] => {
  const words = output.toString("utf8").split("\0");
  if (words.at(-1) === "") words.pop();
  return words;
};
