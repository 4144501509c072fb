// What the kernel says about changes in a folder, so that a snapshot looks only at paths that may have changed. One watch for each directory.
// It is only a hint. A caller that must be sure looks at every file. It is off on other systems than Linux, on file systems that others
// write to from elsewhere, and in folders with very many directories.

import { watch } from "node:fs";
import type { FSWatcher } from "node:fs";
import { lstat, mkdir, readdir, readFile, rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface FolderWatchOptions {
  /** The real path. */
  readonly folder: string;
  /** Ours alone. Files that are written here show that all earlier events were heard. */
  readonly directory: string;
  /** Directories below these paths that no snapshot looks at, relative, without an end slash. No paths: all of them. */
  ignored(paths: readonly string[]): Promise<ReadonlySet<string>>;
  /** Directories that are looked at although their names say otherwise. */
  readonly kept: ReadonlySet<string>;
  /** Names of directories that are passed over. */
  readonly passed: ReadonlySet<string>;
  readonly limits?: Partial<WatchLimits>;
}

export interface WatchLimits {
  readonly directories: number;
  /** Sum over all folders. */
  readonly total: number;
  readonly flushMs: number;
}

const LIMITS: WatchLimits = { directories: 4000, total: 16_000, flushMs: 500 };
/** More changed paths than this are not told one by one. */
const MOST_PATHS = 1000;
const IDLE_MS = 60 * 60_000;

/** File systems that only this kernel writes: ext, xfs, btrfs, tmpfs, overlay, f2fs, zfs, bcachefs. */
const LOCAL: ReadonlySet<number> = new Set([
  ...[0xef53, 0x5846_5342, 0x9123_683e, 0x0102_1994, 0x794c_7630, 0xf2f5_2010, 0x2fc1_2fc1, 0xca45_1a4e],
]);

/** All watches share one queue of the kernel. When it is full, events are lost and no error is reported. */
let heardInAll = 0;
let mostHeard: Promise<number> | undefined;
const queueOf = (): Promise<number> =>
  (mostHeard ??= readFile("/proc/sys/fs/inotify/max_queued_events", "utf8").then(
    (text) => Math.max(1, Math.floor(Number(text) / 4)),
    () => 1000,
  ));

const opened = new Set<FolderWatch>();

export class FolderWatch {
  readonly #options: FolderWatchOptions;
  readonly #limits: WatchLimits;
  readonly #watchers = new Map<string, FSWatcher>();
  #state: "off" | "starting" | "on" | "closed" = "off";
  /** A look at every file has begun since the watches are there. */
  #isSure = false;
  #changed = new Set<string>();
  #isLost = false;
  #heardBefore = 0;
  #usedAt = 0;
  #device: number | undefined;
  #inode: number | undefined;
  #flushes = 0;
  readonly #waiting = new Map<string, () => void>();

  constructor(options: FolderWatchOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
  }

  /** How many directories are watched. */
  get size(): number {
    return this.#watchers.size;
  }

  /** Once for each watch. If it cannot be done, it stays off. */
  async start(): Promise<void> {
    if (this.#state !== "off" || process.platform !== "linux") return;
    this.#state = "starting";
    makeRoom(this.#limits.total);
    opened.add(this);
    this.#usedAt = performance.now();
    try {
      const { folder, directory } = this.#options;
      if (!LOCAL.has((await statfs(folder)).type)) throw new Error("This file system may change from elsewhere.");
      await rm(directory, { recursive: true, force: true });
      await mkdir(directory, { recursive: true, mode: 0o700 });
      ({ dev: this.#device, ino: this.#inode } = await lstat(folder));
      this.#watch(OWN, directory, (name) => this.#waiting.get(name)?.());
      await this.#add([""], await this.#options.ignored([]));
      this.#heardBefore = heardInAll;
      // Somebody may have closed it meanwhile.
      if ((this.#state as string) === "starting") this.#state = "on";
      else this.#stop();
    } catch {
      // Too many directories, no more watches, or a folder that goes away: without watches all works as before.
      this.close();
    }
  }

  /**
   * Paths that may have changed since the last call, relative to the folder. Nothing if it is not known. The caller must look at the paths, or
   * at all files; if that fails, it says so with `forget`.
   */
  async changes(): Promise<ReadonlySet<string> | undefined> {
    if (this.#state !== "on") return undefined;
    this.#usedAt = performance.now();
    try {
      const { dev, ino } = await lstat(this.#options.folder);
      if (dev !== this.#device || ino !== this.#inode || !(await this.#flush())) this.#isLost = true;
      if (heardInAll - this.#heardBefore > (await queueOf())) this.#isLost = true;
      this.#heardBefore = heardInAll;
      const changed = this.#changed;
      this.#changed = new Set();
      const isKnown = this.#isSure && !this.#isLost;
      if (this.#isLost) {
        // New directories may be among what was missed.
        this.release();
        return undefined;
      }
      this.#isSure = true;
      const isWhole = await this.#follow(changed);
      return isKnown && isWhole ? changed : undefined;
    } catch {
      this.close();
      return undefined;
    }
  }

  /** What was told was not looked at. */
  forget(): void {
    this.#isSure = false;
  }

  close(): void {
    this.#state = "closed";
    this.#stop();
  }

  get usedAt(): number {
    return this.#usedAt;
  }

  #stop(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
    this.#isSure = false;
    opened.delete(this);
  }

  /** Until it is started again. */
  release(): void {
    this.#stop();
    this.#state = "off";
    this.#isLost = false;
    this.#changed.clear();
  }

  /** The kernel keeps the order. After an event for this file, all earlier events have arrived. */
  async #flush(): Promise<boolean> {
    const name = String(++this.#flushes);
    const path = join(this.#options.directory, name);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), this.#limits.flushMs);
    this.#waiting.set(name, () => resolve(true));
    try {
      await writeFile(path, "");
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(name);
      await rm(path, { force: true });
    }
  }

  /** New directories are watched before anybody looks into them. False if other paths may have changed with these. */
  async #follow(changed: ReadonlySet<string>): Promise<boolean> {
    const fresh: string[] = [];
    let isWhole = true;
    for (const path of changed) {
      const stats = await lstat(join(this.#options.folder, path)).catch(() => undefined);
      if (stats?.isDirectory() !== true && this.#watchers.has(path)) this.#drop(path);
      if (stats?.isDirectory() === true && !this.#isPassed(path)) fresh.push(path);
      // The same file has another name, and only this one was told.
      if (stats?.isFile() === true && stats.nlink > 1) isWhole = false;
    }
    if (fresh.length > 0) await this.#add(fresh, await this.#options.ignored(fresh));
    return isWhole;
  }

  async #add(from: readonly string[], ignored: ReadonlySet<string>): Promise<void> {
    let level = from.filter((path) => !ignored.has(path));
    while (level.length > 0) {
      if (this.#watchers.size + level.length > this.#limits.directories) throw new Error("Too many directories.");
      const below = await Promise.all(level.map((path) => this.#addOne(path)));
      level = below.flat().filter((path) => !ignored.has(path) && !this.#isPassed(path));
    }
  }

  /** Gives the directories in it. What comes later is an event. */
  async #addOne(path: string): Promise<string[]> {
    const full = join(this.#options.folder, path);
    const stats = await lstat(full).catch(() => undefined);
    if (stats?.isDirectory() !== true) return [];
    if (stats.dev !== this.#device) throw new Error("Another file system is mounted here.");
    this.#watchers.get(path)?.close();
    try {
      this.#watch(path, full, (name) => this.#heard(path === "" ? name : `${path}/${name}`));
    } catch (error) {
      if (!isGone(error)) throw error;
      return [];
    }
    const entries = await readdir(full, { withFileTypes: true }).catch(() => []);
    return entries.flatMap((entry) =>
      entry.isDirectory() ? [path === "" ? entry.name : `${path}/${entry.name}`] : [],
    );
  }

  #watch(key: string, full: string, heard: (name: string) => void): void {
    const watcher = watch(full, { persistent: false }, (_type, name) => {
      heardInAll++;
      if (name === null || this.#state === "closed") this.#isLost = true;
      else heard(name);
    });
    watcher.on("error", () => {
      this.#isLost = true;
    });
    this.#watchers.set(key, watcher);
  }

  #heard(path: string): void {
    if (this.#changed.size < MOST_PATHS) this.#changed.add(path);
    else this.#isLost = true;
  }

  #drop(path: string): void {
    for (const [known, watcher] of this.#watchers) {
      if (known !== path && !known.startsWith(`${path}/`)) continue;
      watcher.close();
      this.#watchers.delete(known);
    }
  }

  #isPassed(path: string): boolean {
    const names = path.split("/");
    if (names.at(-1) === ".git") return true;
    return names.some((name) => this.#options.passed.has(name)) && !this.#options.kept.has(path);
  }
}

/** A key that cannot be a path of the folder. */
const OWN = "\0";

const isGone = (error: unknown): boolean =>
  ["ENOENT", "ENOTDIR", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "");

/**
 * First, folders that have not been used for a long time give their watches back. Then the folder that has not been
 * used longest.
 */
const makeRoom = (total: number): void => {
  const byUse = [...opened].toSorted((a, b) => a.usedAt - b.usedAt);
  let count = byUse.reduce((sum, { size }) => sum + size, 0);
  for (const one of byUse) {
    if (count <= total && performance.now() - one.usedAt < IDLE_MS) continue;
    count -= one.size;
    one.release();
  }
};
