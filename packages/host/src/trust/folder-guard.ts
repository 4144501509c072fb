// Holds live processes to what was trusted. The newest CLI loads settings of its folder about a second after they were
// written, also during a turn. They bring hooks, helper programs, variables and permission rules (measured:
// docs/decisions/0004-trust-in-live-sessions.md). The guard notices such a write before the CLI does. The watch and
// each prompt ask the guard whether a folder is still what a person trusted.

import { constants, unwatchFile, watchFile } from "node:fs";
import { lstat, open, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { PermissionUpdate } from "@quarterdeck/protocol";
import { isFolderBusy } from "./find-below.ts";
import { keepTrust, readFolder, trust, trustOf } from "./folder-trust.ts";
import type { ExpectedRules, FolderOptions, TrustRecord, TrustStore } from "./folder-trust.ts";

/** The CLI waits until a file has not changed for a second. We need less than half of that, second look included. */
const LOOK_MS = 200;
/** A file may be half written. It is read again before a process is ended. */
const SECOND_LOOK_MS = 150;

/** Rules that a person allowed for good, and that the CLI is about to write into the folder. */
interface Expected extends ExpectedRules {
  kept?: TrustRecord;
}

export class FolderGuard {
  readonly #trust: TrustStore;
  readonly #options: () => FolderOptions;
  readonly #expected = new Set<Expected>();
  /** By folder: the state of its repository when git was last asked. */
  readonly #asked = new Map<string, string>();
  #keeping: Promise<unknown> = Promise.resolve();

  constructor(store: TrustStore, options: () => FolderOptions) {
    this.#trust = store;
    this.#options = options;
  }

  /**
   * Whether the folder is as it was trusted. An unreadable folder is not. A deleted folder is, because it has nothing to run.
   * Rejects if the search took too long, because that says nothing about the folder.
   */
  async holds(folder: string, reading: "quick" | "whole" = "quick"): Promise<boolean> {
    if (reading === "whole") return this.#isAsTrusted(folder, false);
    const [isAsTrusted, state] = await Promise.all([this.#isAsTrusted(folder, true), repositoryState(folder)]);
    return isAsTrusted && (await this.#gitHolds(folder, state));
  }

  async #isAsTrusted(folder: string, quick: boolean): Promise<boolean> {
    try {
      if ((await trustOf(folder, this.#trust, { ...this.#options(), quick })) === "trusted") return true;
      const real = await realpath(folder);
      for (const expected of this.#expected)
        if (expected.before.folder === real && (await this.#keepTrust(expected))) return true;
      return false;
    } catch (error) {
      if (isFolderBusy(error)) throw error;
      return (error as NodeJS.ErrnoException).code === "ENOENT";
    }
  }

  /**
   * One at a time: a slow look that read a rule before it was removed and added again would store an old state.
   */
  #keepTrust(expected: Expected): Promise<boolean> {
    const kept = this.#keeping.then(async () => {
      const isKept = await keepTrust(expected, this.#trust, this.#options());
      const record = this.#trust.get(expected.before.folder);
      if (isKept && record !== undefined) expected.kept = record;
      return isKept;
    });
    this.#keeping = kept.catch(() => {});
    return kept;
  }

  /**
   * Git is asked again only if the state of its repository changed. A checkout can bring in hooks, included settings or a bare
   * repository, and it always writes the index.
   */
  async #gitHolds(folder: string, state: string): Promise<boolean> {
    if (this.#asked.get(folder) === state) return true;
    if (!(await this.#isAsTrusted(folder, false))) return false;
    this.#asked.set(folder, state);
    return true;
  }

  /** Whether a process may move to this folder: it is trusted, or has nothing to run. */
  async admits(folder: string): Promise<boolean> {
    try {
      const options = this.#options();
      if ((await trustOf(folder, this.#trust, options)) === "trusted") return true;
      const contents = await readFolder(folder, options);
      if (contents.files.length > 0) return false;
      // From now on, everything that appears in it is a change.
      await trust(contents, this.#trust, options);
      return true;
    } catch (error) {
      if (isFolderBusy(error)) throw error;
      return false;
    }
  }

  /** Call this before the CLI writes a person's rules into the folder, and the returned function after it wrote them. */
  async expect(folder: string, updates: readonly PermissionUpdate[]): Promise<() => Promise<void>> {
    if (!(await this.holds(folder))) return async () => {};
    const expected: Expected = { before: await readFolder(folder, this.#options()), updates };
    this.#expected.add(expected);
    return async () => {
      // The watch may have kept the trust already.
      try {
        await this.#isAsTrusted(folder, true);
      } finally {
        this.#expected.delete(expected);
      }
    };
  }

  /** Calls `onChanged` once, when a file that a running CLI reloads no longer matches what was trusted. */
  watch(folder: string, onChanged: (file: string) => void): () => void {
    let files: readonly string[] = [];
    let isOver = false;
    const stop = (): void => {
      isOver = true;
      for (const file of files) unwatchFile(file, listeners.get(file));
    };
    // A process may not continue with settings that could not be compared in time.
    const holds = (): Promise<boolean> => this.#isAsTrusted(folder, true).catch(() => false);
    const look = async (file: string): Promise<void> => {
      if (isOver || (await holds())) return;
      await delay(SECOND_LOOK_MS);
      if (isOver || (await holds())) return;
      stop();
      onChanged(file);
    };
    const listeners = new Map<string, () => void>();
    // Git was asked right before, at the spawn or by `admits`.
    const begun = repositoryState(folder).then((state) => this.#asked.set(folder, state));
    void Promise.all([reloadedFiles(folder), begun]).then(([found]) => {
      if (isOver) return;
      files = found;
      for (const file of files) {
        const listener = (): void => void look(file);
        listeners.set(file, listener);
        watchFile(file, { interval: LOOK_MS, persistent: false }, listener);
      }
      // A write before the first look shows no change to `watchFile`.
      void look(files[0]!);
    });
    return stop;
  }
}

/** A text that changes with each checkout, commit and `git config` in the folder's repository. Needs a few `stat` calls, no process. */
const repositoryState = async (folder: string): Promise<string> => {
  const real = await realpath(folder).catch(() => resolve(folder));
  const gitDir = await gitDirOf(real);
  if (gitDir === undefined) return "none";
  const common = resolve(gitDir, (await firstBytes(join(gitDir, "commondir"))).trim());
  const paths = [
    ...["HEAD", "index", "config.worktree"].map((name) => join(gitDir, name)),
    ...["config", "hooks"].map((name) => join(common, name)),
  ];
  const states = await Promise.all(paths.map((path) => stat(path, { bigint: true }).catch(() => undefined)));
  return [gitDir, ...states.map((state) => (state === undefined ? "none" : `${state.ino}/${state.ctimeNs}`))].join(
    "\n",
  );
};

/** The git directory of the nearest folder that has a `.git`. */
const gitDirOf = async (folder: string): Promise<string | undefined> => {
  const git = join(folder, ".git");
  const found = await lstat(git).catch(() => undefined);
  if (found === undefined) return dirname(folder) === folder ? undefined : gitDirOf(dirname(folder));
  const pointer = found.isFile() ? /^gitdir:\s*(\S.*?)\s*$/m.exec(await firstBytes(git))?.[1] : undefined;
  return pointer === undefined ? git : resolve(folder, pointer);
};

/**
 * The CLI reloads the settings of the folder, of its repository's root and of the main worktree. It reloads its schedule only if there was
 * one at the start (measured on 2.1.325), and sends the prompts in it by itself.
 */
const reloadedFiles = async (folder: string): Promise<string[]> => {
  const real = await realpath(folder).catch(() => resolve(folder));
  const folders = new Set([real, ...(await rootsOf(real))]);
  const settings = [...folders].flatMap((each) =>
    ["settings.json", "settings.local.json"].map((name) => join(each, ".claude", name)),
  );
  const schedule = join(real, ".claude", "scheduled_tasks.json");
  const hasSchedule = (await lstat(schedule).catch(() => undefined)) !== undefined;
  return hasSchedule ? [...settings, schedule] : settings;
};

const rootsOf = async (folder: string): Promise<string[]> => {
  const git = join(folder, ".git");
  const found = await lstat(git).catch(() => undefined);
  if (found === undefined) return dirname(folder) === folder ? [] : rootsOf(dirname(folder));
  const main = found.isFile()
    ? /^gitdir: (.+)\/\.git\/worktrees\/[^/]+\s*$/.exec(await firstBytes(git))?.[1]
    : undefined;
  return main === undefined ? [folder] : [folder, resolve(folder, main)];
};

/** Others control this file, so links are not followed and a pipe does not block. */
const firstBytes = async (path: string): Promise<string> => {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => undefined,
  );
  if (file === undefined) return "";
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(4096) });
    return buffer.toString("utf8", 0, bytesRead);
  } catch {
    return "";
  } finally {
    await file.close();
  }
};
