// The files of a folder that the CLI acts on by itself, read once and within bounds. A decision about a folder is a decision about
// these bytes. Only regular files inside the folder are read. Anything else in their place (a link that leads out, a FIFO, a device)
// is reported by its kind. Nobody can see what it would run, so such a folder cannot be trusted.
//
// Which files: measured on 2.1.38 and 2.1.325, and read in their sources.
// - Settings: in the folder itself. After 2.1.38 also in the repository's root and in the main worktree.
// - `.mcp.json`: in every folder above, up to the top of the file system, also outside of a repository.
// - Commands, skills, agents, output styles, workflows and routines: in the folder and in every folder above it, up to the
//   repository's root. Outside of a repository, up to the top. A worktree without its own uses those of the main worktree.
//   Commands, skills and agents run shell commands and hooks without asking. Agents also start servers.
// - `scheduled_tasks.json`: in the folder. The CLI sends the prompts in it by itself, at their time (2.1.325).
// - Skills of the folders below (skills-below.ts).
// - What git would run in the folder (git-trust.ts), as one list.
// - Not here: CLAUDE.md, `.claude/rules` and memory, which are only text for the model, and the scripts that a hook names.
// The CLI follows links, in folders too.

import { createHash } from "node:crypto";
import type { Dirent } from "node:fs";
import { constants } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, extname, join, resolve } from "node:path";
import { entriesOf, FileError, isInside, openWhere, fileProblemOf, readRegular, readWhere } from "./contained-file.ts";
import { withParents } from "./git-repositories.ts";
import { GIT_LIST, readGitPrograms } from "./git-trust.ts";
import type { GitPrograms } from "./git-trust.ts";
import { isSkillBelow, skillFoldersBelow, twinOf } from "./skills-below.ts";

/**
 * `file` and `binary` can be trusted; `binary` is an asset of a skill that is not text. The others cannot:
 * `link-outside` leads out of the folder or to a private place, `special` is a FIFO, socket or device, `too-many` is a folder
 * with more files than a person could review.
 */
export type FolderFileKind =
  | "file"
  | "binary"
  | "link-outside"
  | "folder"
  | "special"
  | "too-large"
  | "too-many"
  | "unreadable";

export interface FolderFile {
  readonly path: string;
  readonly kind: FolderFileKind;
  /** What a person decides about. */
  readonly text?: string;
  /** Hash of the exact bytes and the kind. */
  readonly hash: string;
}

/** The current contents of a folder. What is shown to a person is what is trusted. */
export interface FolderContents {
  /** Without links. */
  readonly folder: string;
  readonly files: readonly FolderFile[];
  /** Read without git's programs and skills below. It can be compared, but not trusted. */
  readonly isQuick?: true;
}

export interface FolderOptions {
  /** The user's own configuration, which is always trusted. */
  readonly configDir?: string;
  /** Folders that are never read, whatever leads there: the host's own data. */
  readonly hidden?: readonly string[];
  /**
   * For the check before a prompt that is not a command. Skips what needs processes to find: git's programs, skills below.
   * FolderGuard knows when git's answer may have changed.
   */
  readonly quick?: boolean;
}

export const isTrustable = ({ kind }: FolderFile): boolean => kind === "file" || kind === "binary";

/** Paths for a notice. A folder of commands or skills is listed instead of every file in it. */
export const namesOf = ({ files }: FolderContents): string[] => [
  ...new Set(files.map(({ path }) => /^.*\/\.claude\/[^/]+(?=\/)/.exec(path)?.[0] ?? path)),
];

/** Limit per file. */
const MOST_FILE_BYTES = 1024 * 1024;
/** Limit for all files together. They are read before each prompt, and shown in one message. */
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_FILES = 1000;
const MOST_DEPTH = 10;

const SETTINGS = ["settings.json", "settings.local.json", "scheduled_tasks.json"];
const LOADED = ["commands", "skills", "agents", "output-styles", "workflows", "routines"];
/** Inside a skill the CLI loads nothing from these folders, and tools change them often. */
const LEFT_OUT: ReadonlySet<string> = new Set(["node_modules", "__pycache__", ".venv", ".git"]);
/** Files that the CLI reads itself. They must be text. */
const READ_BY_CLI: ReadonlySet<string> = new Set([".md", ".json", ".js", ".mjs", ".cjs", ".ts"]);

export const readFolder = async (path: string, options: FolderOptions = {}): Promise<FolderContents> => {
  const { configDir = process.env["CLAUDE_CONFIG_DIR"] ?? join(homedir(), ".claude"), hidden = [] } = options;
  // A prompt waits for this, so whatever can be asked at the same time is.
  const [folder, ownConfig, ...hiddenPlaces] = await Promise.all([
    realpath(path),
    realOr(configDir),
    ...hidden.map(realOr),
  ]);
  const upwards = withParents(folder);
  const { root, main } = await repositoryOf(upwards);
  const roots = [root, main].filter((each) => each !== undefined);
  const reader = new Reader({ ownConfig, hidden: hiddenPlaces, ...(root !== undefined && { root }) });
  const withLoaded = root === undefined ? upwards : upwards.slice(0, upwards.indexOf(root) + 1);
  const [servers] = await Promise.all([
    reader.readEach(upwards, ".mcp.json"),
    // Most of these places are empty.
    reader.lookAt([...withLoaded, ...roots]),
  ]);
  for (const place of new Set([folder, ...roots])) await reader.files(place, SETTINGS);
  reader.takeEach(servers);
  for (const place of new Set([...withLoaded, ...roots])) await reader.trees(place, LOADED);
  if (options.quick === true) return { folder, files: withoutCopies(reader.found), isQuick: true };
  const [programs, below] = await Promise.all([readGitPrograms(folder), skillFoldersBelow(folder)]);
  for (const place of below ?? []) await reader.trees(place, ["skills"]);
  const more = [
    ...(below === undefined ? [tooLarge(folder)] : []),
    ...(programs === undefined ? [] : [listed(programs)]),
  ];
  return { folder, files: [...withoutCopies(reader.found), ...more] };
};

/** True for files that a quick reading skips. */
export const isSlowToFind = (path: string, folder: string): boolean =>
  basename(path) === GIT_LIST || isSkillBelow(path, folder);

/** The CLI makes worktrees in the folder by itself. A skill there that equals the trusted one is not a new one. */
const withoutCopies = (files: readonly FolderFile[]): FolderFile[] => {
  const hashes = new Map(files.map(({ path, hash }) => [path, hash]));
  return files.filter(({ path, hash }) => hashes.get(twinOf(path) ?? "") !== hash);
};

const tooLarge = (folder: string): FolderFile => {
  const text = "This folder is too large to look for skills in all of its subfolders. Such skills may run programs.";
  return { path: join(folder, "*", ".claude", "skills"), kind: "file", text, hash: hashOf("below\0", text) };
};

/** What git would run is trusted as a file that lists it. */
const listed = ({ path, text }: GitPrograms): FolderFile => ({ path, kind: "file", text, hash: hashOf("git\0", text) });

const realOr = (path: string): Promise<string> => realpath(path).catch(() => resolve(path));

interface Bounds {
  readonly ownConfig: string;
  readonly hidden: readonly string[];
  /** Top level of the repository. */
  readonly root?: string;
}

class Reader {
  readonly #bounds: Bounds;
  readonly #found = new Map<string, FolderFile>();
  readonly #leftOut = new Map<string, Promise<boolean>>();
  #bytes = 0;
  #isFull = false;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  get found(): FolderFile[] {
    return [...this.#found.values()];
  }

  /** Finds out at the same time which of these places have something to read. */
  async lookAt(places: readonly string[]): Promise<void> {
    await Promise.all(places.map((place) => this.#isLeftOut(join(place, ".claude"))));
  }

  /** One file in each of these places. They count when they are taken. */
  async readEach(places: readonly string[], name: string): Promise<ReadonlyMap<string, PromiseSettledResult<Buffer>>> {
    const read = await Promise.allSettled(
      places.map((place) => readWhere(join(place, name), this.#admitIn(place), MOST_FILE_BYTES)),
    );
    return new Map(places.map((place, at) => [join(place, name), read[at]!]));
  }

  takeEach(read: ReadonlyMap<string, PromiseSettledResult<Buffer>>): void {
    for (const [path, bytes] of read) this.#take(path, bytes);
  }

  async files(place: string, names: readonly string[]): Promise<void> {
    const claude = join(place, ".claude");
    if (await this.#isLeftOut(claude)) return;
    for (const name of names) await this.#read(join(claude, name), this.#admitIn(place));
  }

  async trees(place: string, names: readonly string[]): Promise<void> {
    const claude = join(place, ".claude");
    if (await this.#isLeftOut(claude)) return;
    for (const name of names) {
      const top = join(claude, name);
      await this.#walk({ top, admit: this.#admitIn(place), seen: new Set() }, top, 0);
    }
  }

  /** True if nothing is there, or if it is the user's own. */
  #isLeftOut(claude: string): Promise<boolean> {
    let isLeftOut = this.#leftOut.get(claude);
    if (isLeftOut === undefined) this.#leftOut.set(claude, (isLeftOut = this.#mayBeLeftOut(claude)));
    return isLeftOut;
  }

  async #mayBeLeftOut(claude: string): Promise<boolean> {
    try {
      return (await realpath(claude)) === this.#bounds.ownConfig;
    } catch (error) {
      this.#report(claude, fileProblemOf(claude, error));
      return true;
    }
  }

  /** A link may lead anywhere in the repository that the place belongs to; outside of a repository, anywhere in the place. */
  #admitIn(place: string): (real: string) => void {
    const { root, hidden } = this.#bounds;
    const container = root !== undefined && isInside(place, root) ? root : place;
    return (real) => {
      if (!isInside(real, container) || hidden.some((each) => isInside(real, each)))
        throw new FileError("outside", real);
    };
  }

  async #walk(tree: Tree, path: string, depth: number): Promise<void> {
    if (depth > MOST_DEPTH) return this.#stopAt(tree);
    let entries: Dirent[];
    try {
      const folder = await openWhere(path, tree.admit, constants.O_DIRECTORY);
      try {
        if (tree.seen.has(folder.path)) return;
        tree.seen.add(folder.path);
        entries = await entriesOf(folder, tree.admit);
      } finally {
        await folder.handle.close();
      }
    } catch (error) {
      // A file in the place of such a folder counts as missing: the CLI loads nothing from it.
      return this.#report(path, fileProblemOf(path, error));
    }
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (this.#isFull) return;
      await this.#entry(tree, join(path, entry.name), entry, depth);
    }
  }

  async #entry(tree: Tree, path: string, entry: Dirent, depth: number): Promise<void> {
    let isFolder = entry.isDirectory();
    try {
      if (entry.isSymbolicLink()) isFolder = (await stat(path)).isDirectory();
    } catch (error) {
      return this.#report(path, fileProblemOf(path, error));
    }
    if (!isFolder) await this.#read(path, tree.admit, tree);
    else if (depth === 0 || basename(tree.top) !== "skills" || !LEFT_OUT.has(entry.name))
      await this.#walk(tree, path, depth + 1);
  }

  async #read(path: string, admit: (real: string) => void, tree?: Tree): Promise<void> {
    if (this.#found.has(path)) return;
    const [read] = await Promise.allSettled([readWhere(path, admit, MOST_FILE_BYTES)]);
    this.#take(path, read, tree);
  }

  #take(path: string, read: PromiseSettledResult<Buffer>, tree?: Tree): void {
    if (this.#found.has(path)) return;
    if (read.status === "rejected") return this.#report(path, read.reason);
    const bytes = read.value;
    this.#bytes += bytes.length;
    if (this.#bytes <= MOST_BYTES && this.#found.size < MOST_FILES) this.#found.set(path, fileOf(path, bytes));
    else if (tree === undefined) this.#add(path, "too-large");
    else this.#stopAt(tree);
  }

  /** Missing files do not count: the CLI ignores them too. A link that leads nowhere is such a file. */
  #report(path: string, error: unknown): void {
    if (!(error instanceof FileError)) throw error;
    const { problem } = error;
    if (problem !== "missing") this.#add(path, problem === "outside" ? "link-outside" : problem);
  }

  #stopAt({ top }: Tree): void {
    this.#isFull = true;
    this.#add(top, "too-many");
  }

  #add(path: string, kind: FolderFileKind): void {
    this.#found.set(path, { path, kind, hash: hashOf(`${kind}\0`) });
  }
}

interface Tree {
  readonly top: string;
  readonly admit: (real: string) => void;
  /** Links can make a circle. */
  readonly seen: Set<string>;
}

const fileOf = (path: string, bytes: Buffer): FolderFile => {
  const hash = hashOf("file\0", basename(path) === "scheduled_tasks.json" ? withoutFirings(bytes) : bytes);
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  if (isUtf16) return { path, kind: "file", text: bytes.toString("utf16le"), hash };
  if (!bytes.includes(0)) return { path, kind: "file", text: bytes.toString("utf8"), hash };
  return { path, kind: READ_BY_CLI.has(extname(path).toLowerCase()) ? "unreadable" : "binary", hash };
};

/** The CLI notes in the file when it last sent each prompt. This does not change what it will send. */
const withoutFirings = (bytes: Buffer): Buffer | string => {
  try {
    const tasks: unknown = JSON.parse(bytes.toString("utf8"));
    return JSON.stringify(tasks, (name, value: unknown) => (name === "lastFiredAt" ? undefined : value));
  } catch {
    return bytes;
  }
};

const hashOf = (...parts: readonly (string | Buffer)[]): string => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
};

interface Repository {
  readonly root?: string;
  /** The root of the main worktree, where the folder is in a linked one. */
  readonly main?: string;
}

/** Longer than any path. */
const POINTER_BYTES = 64 * 1024;

/** Looks as the CLI does: the first folder above with a `.git`. In a linked worktree, `.git` is a file that points to the main one. */
const repositoryOf = async (upwards: readonly string[]): Promise<Repository> => {
  const kinds = await Promise.all(upwards.map((root) => stat(join(root, ".git")).catch(() => undefined)));
  for (const [at, root] of upwards.entries()) {
    const git = join(root, ".git");
    const kind = kinds[at];
    if (kind?.isDirectory() === true) return { root };
    if (kind?.isFile() !== true) continue;
    const gitDir = /^gitdir:\s*(\S.*?)\s*$/m.exec((await pointerAt(git)) ?? "")?.[1];
    if (gitDir === undefined) return { root };
    const admin = resolve(root, gitDir);
    const common = await pointerAt(join(admin, "commondir"));
    if (common === undefined) return { root };
    const main = await realpath(resolve(admin, common.trim())).catch(() => undefined);
    if (main === undefined) return { root };
    return { root, main: basename(main) === ".git" ? dirname(main) : main };
  }
  return {};
};

/** The text of a file that only names a path. The text is never shown, so the file may be anywhere. */
const pointerAt = async (path: string): Promise<string | undefined> => {
  try {
    return (await readRegular(await realpath(path), POINTER_BYTES)).toString("utf8");
  } catch {
    // It is missing, or git could not read it either.
    return undefined;
  }
};
