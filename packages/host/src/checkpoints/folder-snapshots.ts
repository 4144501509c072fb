// Snapshots of one folder: the tree of its files as they are now, in a private git directory. The index is kept between snapshots, so
// a thorough snapshot only compares size and time of each file. If the kernel reports which paths changed, a snapshot reads only those. Work
// on a folder runs one at a time, so a snapshot never sees half of a restore.

import { constants } from "node:fs";
import { access, lstat, mkdir, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FolderWatch } from "./folder-watch.ts";
import type { WatchLimits } from "./folder-watch.ts";
import { excludesFor, NOTHING_LEFT_OUT, PASSED_FOLDERS } from "./left-out.ts";
import type { LeftOut } from "./left-out.ts";
import { PrivateGit, SnapshotError, nulSeparated } from "./private-git.ts";
import { changedIn, parentFoldersOf, IGNORES, listed, together } from "./snapshot-paths.ts";
import type { ChangedPath } from "./snapshot-paths.ts";

export interface Snapshot {
  /** The id of a git tree in the private store. */
  readonly tree: string;
  readonly leftOut: LeftOut;
}

export interface FolderSnapshotsOptions {
  /** The private git directory. It is created if it is missing. */
  readonly directory: string;
  /** The real path. */
  readonly folder: string;
  /** Our data folder. It is never part of a snapshot. */
  readonly own: string;
  readonly path?: string | undefined;
  readonly limits?: Partial<SnapshotLimits>;
  /** `false`: every snapshot looks at all files. */
  readonly watch?: Partial<WatchLimits> | false | undefined;
}

export interface SnapshotLimits {
  /** Larger files are left out. */
  readonly fileBytes: number;
  readonly files: number;
  readonly totalBytes: number;
  /** With more new files, prompts do not wait for the snapshot. */
  readonly long: number;
}

/** The first snapshot of a folder with more files takes so long that nobody waits for it. */
const LONG = 5000;

export const DEFAULT_SNAPSHOT_LIMITS: SnapshotLimits = {
  fileBytes: 10 * 1024 * 1024,
  files: 200_000,
  totalBytes: 2 * 1024 * 1024 * 1024,
  long: LONG,
};

/** From this number on, new files are written as one pack. */
const MANY = 500;
const FIRST_MS = 300_000;
/** Git does not change its attributes from one snapshot to the next: bytes are kept as they are. */
const ATTRIBUTES = "* -text -filter -ident -working-tree-encoding !eol !diff !merge\n";
/** A folder that is too large is looked at again after a while. */
const AGAIN_MS = 60 * 60_000;
/** Most paths have fewer bytes. */
const PATH_BYTES = 100;
const AT_ONCE = 64;
const IGNORED_MS = 30_000;
const MOST_NAMED = 200;

interface Kinds {
  readonly take: string[];
  readonly drop: string[];
  readonly leftOut: { readonly [K in keyof LeftOut]: string[] };
}

export class FolderSnapshots {
  readonly git: PrivateGit;
  readonly folder: string;
  readonly #options: FolderSnapshotsOptions;
  readonly #limits: SnapshotLimits;
  #ready: Promise<void> | undefined;
  /** While many files are stored. */
  #isLong = false;
  readonly #onLong = new Set<() => void>();
  #queue: Promise<unknown> = Promise.resolve();
  #next: Promise<Snapshot> | undefined;
  #isThorough = false;
  #watch: FolderWatch | undefined;
  #starting: Promise<void> | undefined;
  #last: Snapshot | undefined;
  #tree: string | undefined;
  /** Ignored files that the user's repository tracks. */
  #tracked: readonly string[] = [];
  #ignored: { readonly at: number; readonly paths: Promise<readonly string[]> } | undefined;
  #refused: { readonly at: number; readonly error: SnapshotError } | undefined;

  constructor(options: FolderSnapshotsOptions) {
    this.#options = options;
    this.folder = options.folder;
    this.#limits = { ...DEFAULT_SNAPSHOT_LIMITS, ...options.limits };
    this.git = new PrivateGit({ directory: options.directory, folder: options.folder, path: options.path });
  }

  /**
   * The folder as it is now. Calls that wait for the same snapshot share it. `thorough` also finds changes that the kernel does not report,
   * for example by a program that writes to a memory-mapped file.
   */
  take({ thorough = false }: { readonly thorough?: boolean } = {}): Promise<Snapshot> {
    this.#isThorough ||= thorough;
    this.#next ??= this.exclusive(() => {
      this.#next = undefined;
      const isThorough = this.#isThorough;
      this.#isThorough = false;
      return this.#takeSafely(isThorough);
    });
    return this.#next;
  }

  /** Calls the listener once if a snapshot has very many files to store, or has begun to. Returns a function that takes it away. */
  whenLong(listener: () => void): () => void {
    if (this.#isLong) listener();
    else this.#onLong.add(listener);
    return () => void this.#onLong.delete(listener);
  }

  /** Runs the work while no other snapshot or restore of the folder runs. */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => {});
    return done;
  }

  /** Thorough. Only for work that is exclusive already. */
  takeNow(): Promise<Snapshot> {
    return this.#takeSafely(true);
  }

  /** Resolves when the watches are set up, or cannot be. For tests and measurements. */
  async watched(): Promise<boolean> {
    await this.#starting;
    return (this.#watch?.size ?? 0) > 0;
  }

  async close(): Promise<void> {
    this.#watch?.close();
    await this.#starting;
  }

  #becomeLong(): void {
    this.#isLong = true;
    for (const listener of this.#onLong) listener();
    this.#onLong.clear();
  }

  async #takeSafely(thorough: boolean): Promise<Snapshot> {
    const refused = this.#refused;
    if (refused !== undefined && performance.now() - refused.at < AGAIN_MS) throw refused.error;
    try {
      return await this.#take(thorough);
    } catch (error) {
      this.#watch?.forget();
      this.#last = undefined;
      if (error instanceof SnapshotError && (error.problem === "too-large" || error.problem === "timeout"))
        this.#refused = { at: performance.now(), error };
      this.#tree = undefined;
      // A killed git left it. The index itself is always replaced as a whole.
      await rm(join(this.#options.directory, "index.lock"), { force: true }).catch(() => {});
      throw error;
    } finally {
      this.#isLong = false;
    }
  }

  /** Ignored files and folders, as they were some seconds ago at most. */
  ignored(): Promise<readonly string[]> {
    const known = this.#ignored;
    if (known !== undefined && performance.now() - known.at < IGNORED_MS) return known.paths;
    const how = ["--others", "--ignored", "--exclude-standard", "--directory", "-z"];
    const paths = this.#prepare()
      .then(() => this.git.run(["ls-files", ...how], { of: "files" }))
      .then((output) => nulSeparated(output).slice(0, MOST_NAMED));
    this.#ignored = { at: performance.now(), paths };
    paths.catch(() => {
      this.#ignored = undefined;
    });
    return paths;
  }

  async #take(thorough: boolean): Promise<Snapshot> {
    await this.#prepare();
    await this.#mustExist();
    const told = await this.#watch?.changes();
    const last = this.#last;
    const paths = thorough || last === undefined || told === undefined ? undefined : listed(told, last.leftOut);
    if (last !== undefined && paths?.length === 0) return last;
    // Directories that were ignored until now have no watches.
    if ([...(told ?? [])].some((path) => IGNORES.test(path))) this.#watch?.release();
    this.#last = undefined;
    const kinds = await this.#look(paths);
    const leftOut = kinds.leftOut;
    if (kinds.take.length + kinds.drop.length > 0) {
      this.#tree = undefined;
      if (kinds.take.length > this.#limits.long) this.#becomeLong();
      if (kinds.drop.length > 0) await this.#update(["--force-remove"], kinds.drop);
      leftOut.unreadable.push(...(await this.#add(kinds.take)));
    }
    // The index contains them from now on.
    this.#tracked = [];
    this.#tree ??= (await this.git.text(["write-tree"])).trim();
    const kept = paths === undefined || last === undefined ? leftOut : together(last.leftOut, leftOut, paths);
    this.#last = { tree: this.#tree, leftOut: kept };
    if (paths === undefined) this.#starting = this.#watch?.start();
    return this.#last;
  }

  /** What differs from the index, in all files or below these paths. */
  async #look(paths: readonly string[] | undefined): Promise<Kinds> {
    const where = paths === undefined ? [] : ["--", ...paths];
    const how = ["--name-status", "-z", "--no-renames", "--ignore-submodules=all"];
    const [changed, others] = await Promise.all([
      this.git.run(["diff-files", ...how, ...where], { of: "files" }),
      this.git.run(["ls-files", "--others", "--exclude-standard", "-z", ...where], {
        of: "files",
        timeoutMs: FIRST_MS,
        mostBytes: this.#limits.files * PATH_BYTES + PATH_BYTES,
      }),
    ]).catch((error: unknown) => {
      throw error instanceof SnapshotError && error.problem === "too-large" ? this.#tooMany() : error;
    });
    return this.#sorted(changedIn(nulSeparated(changed)), [...nulSeparated(others), ...this.#tracked]);
  }

  #tooMany(): SnapshotError {
    const text = `The folder has more than ${this.#limits.files} files, so changes in it are not recorded.`;
    return new SnapshotError("too-large", text);
  }

  async #prepare(): Promise<void> {
    this.#ready ??= this.#make();
    try {
      await this.#ready;
    } catch (error) {
      this.#ready = undefined;
      throw error;
    }
  }

  async #make(): Promise<void> {
    const { directory, folder, own } = this.#options;
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      // This is all that a repository needs. `git init` would also read templates and settings.
      for (const name of ["objects", "refs", "info"]) await mkdir(join(directory, name), { recursive: true });
      await writeFile(join(directory, "HEAD"), "ref: refs/heads/none\n");
      await writeFile(join(directory, "config"), "[core]\n\trepositoryformatversion = 0\n");
      await writeFile(join(directory, "info", "attributes"), ATTRIBUTES);
      await writeFile(this.#excludes, await excludesFor(folder, own));
      // A killed host left it. Nobody else writes here.
      await rm(join(directory, "index.lock"), { force: true });
      this.#tracked = await this.#trackedByUser();
      this.#watch ??= this.#watchFor(this.#tracked);
    } catch (error) {
      if (error instanceof SnapshotError) throw error;
      const { code, message } = error as NodeJS.ErrnoException;
      throw new SnapshotError(code === "ENOSPC" ? "disk-full" : "failed", message, { cause: error });
    }
  }

  #watchFor(tracked: readonly string[]): FolderWatch | undefined {
    const { directory, folder, watch } = this.#options;
    if (watch === false) return undefined;
    const ignored = async (paths: readonly string[]): Promise<ReadonlySet<string>> => {
      const how = ["--others", "--ignored", "--exclude-standard", "--directory", "-z"];
      const found = await this.git.run(["ls-files", ...how, ...(paths.length === 0 ? [] : ["--", ...paths])], {
        of: "files",
      });
      return new Set(nulSeparated(found).flatMap((path) => (path.endsWith("/") ? [path.slice(0, -1)] : [])));
    };
    return new FolderWatch({
      ...{ folder, directory: join(directory, "watch"), ignored, passed: PASSED_FOLDERS },
      kept: new Set(tracked.flatMap(parentFoldersOf)),
      ...(watch !== undefined && { limits: watch }),
    });
  }

  get #excludes(): string {
    return join(this.#options.directory, "info", "exclude");
  }

  /** Asked once. If an ignored file becomes tracked later, it is recorded after a restart. */
  async #trackedByUser(): Promise<readonly string[]> {
    try {
      const how = ["--cached", "--ignored", "--exclude-standard", `--exclude-from=${this.#excludes}`, "-z"];
      const named = nulSeparated(await this.git.run(["ls-files", ...how], { of: "users" }));
      return named.filter((path) => !path.startsWith("../"));
    } catch (error) {
      // The folder is in no repository.
      if (error instanceof SnapshotError && error.problem === "failed") return [];
      throw error;
    }
  }

  /** A folder that was replaced by a link is not the folder that was snapshotted. */
  async #mustExist(): Promise<void> {
    const real = await realpath(this.folder).catch(() => undefined);
    if (real !== this.folder) throw new SnapshotError("no-folder", "The folder is gone.");
  }

  async #sorted(changed: readonly ChangedPath[], others: readonly string[]): Promise<Kinds> {
    const kinds: Kinds = { take: [], drop: [], leftOut: { large: [], repositories: [], unreadable: [], special: [] } };
    if (others.length > this.#limits.files) throw this.#tooMany();
    let bytes = 0;
    const sort = async ({ path, isGone }: ChangedPath, isKnown: boolean): Promise<void> => {
      if (isGone) return void kinds.drop.push(path);
      if (path.endsWith("/")) return void kinds.leftOut.repositories.push(path.slice(0, -1));
      if (path.includes("\uFFFD")) return void kinds.leftOut.unreadable.push(path);
      const full = join(this.folder, path);
      const stats = await lstat(full).catch(() => undefined);
      if (stats === undefined) {
        if (isKnown) kinds.drop.push(path);
        return;
      }
      if (stats.isDirectory()) return void (isKnown && kinds.drop.push(path));
      if (!stats.isFile() && !stats.isSymbolicLink()) {
        kinds.leftOut.special.push(path);
        if (isKnown) kinds.drop.push(path);
      } else if (stats.size > this.#limits.fileBytes) kinds.leftOut.large.push(path);
      else if (stats.isFile() && !(await isReadable(full))) kinds.leftOut.unreadable.push(path);
      else {
        bytes += stats.size;
        kinds.take.push(path);
      }
    };
    const all = [
      ...changed.map((each) => () => sort(each, true)),
      ...others.map((path) => () => sort({ path, isGone: false }, false)),
    ];
    for (let at = 0; at < all.length; at += AT_ONCE)
      await Promise.all(all.slice(at, at + AT_ONCE).map((work) => work()));
    if (bytes > this.#limits.totalBytes)
      throw new SnapshotError("too-large", "The folder is too large, so changes in it are not recorded.");
    return kinds;
  }

  /** Returns the paths that could not be added. The other files are added. */
  async #add(paths: readonly string[]): Promise<string[]> {
    if (paths.length === 0) return [];
    try {
      await this.#update(["--add", "--remove", "--replace"], paths);
      return [];
    } catch (error) {
      if (!(error instanceof SnapshotError) || error.problem !== "failed") throw error;
      if (paths.length === 1) return [...paths];
      const half = paths.length >> 1;
      return [...(await this.#add(paths.slice(0, half))), ...(await this.#add(paths.slice(half)))];
    }
  }

  async #update(how: readonly string[], paths: readonly string[]): Promise<void> {
    // Above this size git streams files into one pack, which is much less work than a file for each.
    const settings = paths.length > MANY ? ([["core.bigFileThreshold", "1"]] as const) : [];
    await this.git.run(["update-index", ...how, "-z", "--stdin"], {
      of: "files",
      input: `${paths.join("\0")}\0`,
      settings,
      timeoutMs: FIRST_MS,
    });
  }
}

const isReadable = (path: string): Promise<boolean> =>
  access(path, constants.R_OK).then(
    () => true,
    () => false,
  );

export { NOTHING_LEFT_OUT };
