// Checkpoints of sessions: a snapshot of the folder before and after each turn, and the journal of who changed what. A
// turn waits only a short time for its snapshot, and never fails because of it. A failure becomes a line of the
// journal.

import { createHash } from "node:crypto";
import { mkdir, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { isRunning } from "@quarterdeck/session";
import { isInside } from "../trust/contained-file.ts";
import type { ReadableSession } from "../session/readable-session.ts";
import type { Session } from "../session/session.ts";
import { FolderSnapshots } from "./folder-snapshots.ts";
import type { SnapshotLimits } from "./folder-snapshots.ts";
import { inheritedLines, Journal, originsOfTurn, originsSince, turnsOf } from "./journal.ts";
import type { Origins, Totals, TreeLine, TurnWork } from "./journal.ts";
import { lateness } from "./late-snapshot.ts";
import { SnapshotError } from "./private-git.ts";
import { foundIn, lastHeads, lineOf, movedBetween } from "./repository-heads.ts";
import type { FoundHeads } from "./repository-heads.ts";
import { changesBetween } from "./tree-diff.ts";
import { workIn } from "./turn-work.ts";
import type { WorkDone } from "./turn-work.ts";

export interface CheckpointsOptions {
  /** Ours alone, inside of the data folder. */
  readonly folder: string;
  readonly limits?: Partial<SnapshotLimits>;
  /** Where git is looked for. */
  readonly path?: string | undefined;
  /** How long a prompt waits for its snapshot. */
  readonly waitMs?: number;
  readonly onError?: (error: unknown) => void;
}

export interface CheckpointOwner {
  /** Keeps the totals in the session's log. */
  count(session: Session, totals: Totals): Promise<unknown>;
  cwdOf(session: Pick<Reviewable, "id" | "head">): string;
}

/** What is read of a session. */
export type Reviewable = Pick<ReadableSession, "id" | "head" | "rowsBefore">;

const NOTHING: WorkDone = { paths: new Set(), shell: false };
const WAIT_MS = 5000;
const ROWS_LOOKED_AT = 5000;

/** A turn that runs, or the time since the last one. */
interface Stretch {
  readonly folder: string;
  /** Rows up to this place in the order belong to earlier turns. */
  readonly fromOrder: number;
  /** Set while it runs. */
  session?: Session;
  /** Sessions that worked in the folder at the same time, and what their turns did that have ended since. */
  readonly beside: Set<string>;
  readonly heard: WorkDone[];
  work?: WorkDone;
}

export class Checkpoints {
  readonly #options: CheckpointsOptions;
  readonly #owner: CheckpointOwner;
  readonly #folders = new Map<string, FolderSnapshots>();
  readonly #journals = new Map<string, Journal>();
  readonly #stretches = new Map<string, Stretch>();
  readonly #chains = new Map<string, Promise<unknown>>();
  /** Files that this host has written. A prompt waits for each write. */
  readonly #users = new Set<string>();
  readonly #wasRunning = new WeakMap<Session, boolean>();

  constructor(options: CheckpointsOptions, owner: CheckpointOwner) {
    this.#options = options;
    this.#owner = owner;
  }

  // What the sessions report.

  /**
   * A prompt is about to go to the CLI. Resolves when the snapshot is taken, when it has very much to store, or after a while. If `checked`
   * rejects, the prompt is refused, and the journal does not name it.
   */
  async beforePrompt(session: Session, prompt: string, checked: Promise<unknown> = Promise.resolve()): Promise<void> {
    const { phase, queue } = session.head;
    const opens = !isRunning(phase) && queue.every(({ state }) => state === "accepted");
    const [sentAt, fromOrder] = [Date.now(), session.rowsBefore(Infinity, 1).rows.at(-1)?.order ?? 0];
    const isSent = isFulfilled(checked);
    let isLate = false;
    const { promise: waited, resolve: goOn } = Promise.withResolvers<void>();
    const stopWaiting = (): void => {
      isLate = true;
      goOn();
    };
    // The first snapshot of the folder may be under way, and this one waits for it.
    const forget = this.folderOf(session).then(
      (folder) => folder.whenLong(stopWaiting),
      () => undefined,
    );
    const taken = this.#chained(session.id, async () => {
      const folder = await this.folderOf(session);
      const taking = folder.take();
      // It may fail before anybody waits for it.
      taking.catch(() => {});
      if (!(await isSent)) return;
      const stretch = opens ? this.#open(session, folder.folder, fromOrder) : this.#stretchOf(session, folder.folder);
      const found = await foundIn(folder, await taking);
      const journal = this.journalOf(session.id);
      const origins = await this.originsSinceLast(session, folder, found, opens ? "gap" : stretch);
      await this.#use(folder, session.id);
      const line = { kind: "before", at: Date.now(), ...lineOf(folder, found), prompt, opens, ...origins } as const;
      const done = isLate ? workIn(this.#rowsOf(session, stretch.fromOrder)) : NOTHING;
      await journal.append({ ...line, ...(await lateness(folder.git, sentAt, done)) });
    });
    const timer = setTimeout(stopWaiting, this.#options.waitMs ?? WAIT_MS);
    try {
      await Promise.race([taken, waited]);
    } finally {
      clearTimeout(timer);
      void forget.then((stop) => stop?.());
    }
  }

  /** After each fact. Takes the snapshot at the end of a turn. */
  onFact(session: Session): void {
    const runs = isRunning(session.head.phase);
    const ran = this.#wasRunning.get(session) === true;
    this.#wasRunning.set(session, runs);
    if (runs && !ran) this.#began(session);
    if (!ran || runs) return;
    const last = session.rowsBefore(Infinity, 50).rows.findLast((row) => row.kind === "turn");
    const prompts = (last?.prompts ?? []).map((id) => id.replace(/^prompt\//, ""));
    const rows = session.rowsBefore(Infinity, ROWS_LOOKED_AT).rows;
    void this.#chained(session.id, async () => {
      const folder = await this.folderOf(session);
      const stretch = this.#stretchOf(session, folder.folder);
      const done = workIn(rows.filter(({ order }) => order > stretch.fromOrder));
      stretch.work = done;
      // Nobody waits for it, and a command may have written in ways that the kernel does not report.
      const found = await foundIn(folder, await folder.take({ thorough: done.shell }));
      const { tree } = found;
      const journal = this.journalOf(session.id);
      const origins = await this.originsSinceLast(session, folder, found, stretch);
      const totals = await this.#turnTotals(folder, journal, tree, origins);
      await this.#use(folder, session.id);
      await journal.append({ kind: "after", at: Date.now(), ...lineOf(folder, found), prompts, totals, ...origins });
      delete stretch.session;
      for (const other of this.#stretches.values()) if (other.beside.has(session.id)) other.heard.push(done);
      const fromOrder = rows.at(-1)?.order ?? 0;
      this.#stretches.set(session.id, { folder: folder.folder, fromOrder, beside: new Set(), heard: [], work: done });
      await this.count(session, folder, tree);
    });
  }

  /** The first snapshot of a large folder takes a while: it begins before there is a prompt. */
  warm(session: Session): void {
    void this.#chained(session.id, async () => {
      await (await this.folderOf(session)).take();
    });
  }

  async forked(parent: string, child: Session): Promise<void> {
    const lines = inheritedLines(this.journalOf(parent).lines, (prompt) => child.row(`prompt/${prompt}`) !== undefined);
    if (lines.length === 0) return;
    await this.journalOf(child.id).replace(lines);
    const folder = (lines as readonly TreeLine[]).at(-1)!.folder;
    await this.#use(this.at(folder), child.id);
  }

  async deleted(id: string): Promise<void> {
    const folders = new Set(this.journalOf(id).lines.flatMap((line) => (line.kind === "problem" ? [] : [line.folder])));
    await this.#chains.get(id);
    await this.journalOf(id).delete();
    for (const known of [this.#journals, this.#stretches, this.#chains]) known.delete(id);
    for (const folder of folders) {
      const users = join(this.#directoryOf(folder), "users");
      const file = join(users, fileNameOf(id));
      this.#users.delete(file);
      await rm(file, { force: true });
      if ((await readdir(users).catch(() => [])).length > 0) continue;
      await this.#folders.get(folder)?.close();
      this.#folders.delete(folder);
      await rm(this.#directoryOf(folder), { recursive: true, force: true });
    }
  }

  /** Deletes what a host left that ended while it deleted a session. */
  async prune(isKnown: (file: string) => boolean): Promise<void> {
    const files = await readdir(join(this.#options.folder, "sessions")).catch(() => []);
    for (const file of files) {
      const name = file.replace(/\.jsonl$/, "");
      if (name !== file && !isKnown(name)) await this.deleted(name);
    }
  }

  /** Until all snapshots that were begun are taken. */
  async settled(id?: string): Promise<void> {
    await Promise.all(id === undefined ? [...this.#chains.values()] : [this.#chains.get(id) ?? Promise.resolve()]);
  }

  /** No more watches. Snapshots can still be read. */
  async close(): Promise<void> {
    await Promise.all([...this.#folders.values()].map((folder) => folder.close()));
  }

  // What reviews need.

  journalOf(id: string): Journal {
    let journal = this.#journals.get(id);
    if (journal === undefined) {
      journal = new Journal(join(this.#options.folder, "sessions", `${fileNameOf(id)}.jsonl`));
      this.#journals.set(id, journal);
    }
    return journal;
  }

  async folderOf(session: Reviewable): Promise<FolderSnapshots> {
    const cwd = this.#owner.cwdOf(session);
    const real = await realpath(cwd).catch(() => {
      throw new SnapshotError("no-folder", `The folder ${cwd} is gone.`);
    });
    return this.at(real);
  }

  cwdOf(session: Pick<Reviewable, "id" | "head">): string {
    return this.#owner.cwdOf(session);
  }

  /** Snapshots of the folder with this real path. */
  at(real: string): FolderSnapshots {
    let folder = this.#folders.get(real);
    if (folder === undefined) {
      const { limits, path = process.env["PATH"], folder: own } = this.#options;
      const directory = join(this.#directoryOf(real), "git");
      folder = new FolderSnapshots({
        directory,
        folder: real,
        own: resolve(own, ".."),
        path,
        ...(limits !== undefined && { limits }),
      });
      this.#folders.set(real, folder);
    }
    return folder;
  }

  /** Who changed what since the newest line. `gap`: no turn of the session has run since. */
  async originsSinceLast(
    session: Reviewable,
    folder: FolderSnapshots,
    { tree, heads }: FoundHeads,
    during: Stretch | "gap" | "now",
  ): Promise<Origins> {
    const lines = this.journalOf(session.id).trees;
    const last = lines.at(-1);
    if (last === undefined || last.folder !== folder.folder) return {};
    const moved = movedBetween(lastHeads(lines), heads);
    if (last.tree === tree && moved.length === 0) return {};
    const changes = await changesBetween(folder.git, last.tree, tree, { renames: false, namesOnly: true });
    const paths = [...changes, ...moved].map(({ path }) => path);
    const running = this.#stretches.get(session.id);
    const stretch = during === "now" ? (running?.session !== undefined ? running : "gap") : during;
    const cwd = this.#owner.cwdOf(session);
    if (stretch !== "gap") {
      const own = stretch.work ?? workIn(this.#rowsOf(session, stretch.fromOrder));
      return kept(originsOfTurn(paths, inFolder(own, folder.folder, cwd), this.#besideOf(stretch)));
    }
    // A background agent or command of the session may write between its turns.
    const hasTask = session.head.tasks.some(({ endedAt }) => endedAt === undefined || endedAt > last.at);
    const done = running === undefined || !hasTask ? NOTHING : workIn(this.#rowsOf(session, running.fromOrder));
    return kept(originsOfTurn(paths, { ...inFolder(done, folder.folder, cwd), shell: hasTask }));
  }

  /** What the session changed in all, for its head. */
  async count(session: Session, folder: FolderSnapshots, tree: string): Promise<void> {
    const lines = this.journalOf(session.id).trees;
    const [first] = lines;
    if (first === undefined) return;
    const start = turnsOf(lines)[0]?.before ?? first.tree;
    const origins = originsSince(lines, 0);
    const changes = await changesBetween(folder.git, start, tree);
    const isOwn = (path: string): boolean => {
      const by = origins.get(path);
      return by !== undefined && (by.has("tool") || by.has("shell"));
    };
    await this.#owner.count(session, totalsOf(changes.filter(({ path, from }) => isOwn(path) || isOwn(from ?? path))));
  }

  /** One thing after another for each session. What fails is a line of its journal. */
  #chained(id: string, work: () => Promise<void>): Promise<void> {
    const done = (this.#chains.get(id) ?? Promise.resolve())
      .then(work)
      .catch((error: unknown) => this.#noted(id, error));
    this.#chains.set(id, done);
    return done;
  }

  async #noted(id: string, error: unknown): Promise<void> {
    const problem = error instanceof SnapshotError ? error.problem : "failed";
    const text = error instanceof Error ? error.message : String(error);
    if (!(error instanceof SnapshotError)) this.#options.onError?.(error);
    const journal = this.journalOf(id);
    if (journal.problem?.text === text) return;
    await journal.append({ kind: "problem", at: Date.now(), problem, text }).catch((failure: unknown) => {
      this.#options.onError?.(failure);
    });
  }

  #open(session: Session, folder: string, fromOrder: number): Stretch {
    const stretch: Stretch = { folder, fromOrder, session, beside: new Set(), heard: [] };
    this.#stretches.set(session.id, stretch);
    this.#meet(session.id, stretch);
    return stretch;
  }

  /** A turn that the CLI began by itself, or from its queue, has no prompt of its own before it. */
  #began(session: Session): void {
    const known = this.#stretches.get(session.id);
    if (known === undefined || known.session !== undefined) return;
    known.session = session;
    delete known.work;
    this.#meet(session.id, known);
  }

  #stretchOf(session: Session, folder: string): Stretch {
    const known = this.#stretches.get(session.id);
    if (known !== undefined && known.folder === folder) return known;
    const stretch: Stretch = { folder, fromOrder: 0, session, beside: new Set(), heard: [] };
    this.#stretches.set(session.id, stretch);
    return stretch;
  }

  #meet(own: string, stretch: Stretch): void {
    for (const [id, other] of this.#stretches) {
      if (id === own || other.session === undefined) continue;
      if (!isInside(other.folder, stretch.folder) && !isInside(stretch.folder, other.folder)) continue;
      other.beside.add(own);
      stretch.beside.add(id);
    }
  }

  #besideOf({ beside, heard, folder }: Stretch): TurnWork | undefined {
    if (beside.size === 0) return undefined;
    const running = [...beside].flatMap((id) => {
      const { session, fromOrder = 0 } = this.#stretches.get(id) ?? {};
      return session === undefined ? [] : [workIn(this.#rowsOf(session, fromOrder))];
    });
    const works = [...heard, ...running].map((done) => inFolder(done, folder, folder));
    return { tools: new Set(works.flatMap(({ tools }) => [...tools])), shell: works.some(({ shell }) => shell) };
  }

  #rowsOf(session: Reviewable, fromOrder: number) {
    return session.rowsBefore(Infinity, ROWS_LOOKED_AT).rows.filter(({ order }) => order > fromOrder);
  }

  async #turnTotals(folder: FolderSnapshots, journal: Journal, tree: string, origins: Origins): Promise<Totals> {
    const lines = journal.trees;
    const open = turnsOf(lines).at(-1);
    const before = open !== undefined && open.after === undefined ? open.before : lines.at(-1)?.tree;
    if (before === undefined) return { files: 0, added: 0, removed: 0 };
    const own = new Set([...(origins.tool ?? []), ...(origins.shell ?? [])]);
    for (const [path, by] of originsSince(lines, open?.from ?? 0)) if (by.has("tool") || by.has("shell")) own.add(path);
    const changes = await changesBetween(folder.git, before, tree);
    return totalsOf(changes.filter(({ path, from }) => own.has(path) || own.has(from ?? path)));
  }

  #directoryOf(folder: string): string {
    const name = createHash("sha256").update(folder).digest("hex").slice(0, 32);
    return join(this.#options.folder, "folders", name);
  }

  /** Which sessions need the folder's snapshots: the last one takes them along. */
  async #use(folder: FolderSnapshots, id: string): Promise<void> {
    const users = join(this.#directoryOf(folder.folder), "users");
    const file = join(users, fileNameOf(id));
    if (this.#users.has(file)) return;
    await mkdir(users, { recursive: true, mode: 0o700 });
    await writeFile(file, "", { mode: 0o600 });
    this.#users.add(file);
  }
}

const isFulfilled = (one: Promise<unknown>): Promise<boolean> =>
  one.then(
    () => true,
    () => false,
  );

/** An id is a UUID unless a caller made it; a file's name has no separators. */
export const fileNameOf = (id: string): string =>
  /^[\w-]{1,100}$/.test(id) ? id : createHash("sha256").update(id).digest("hex");

const kept = (origins: Required<Origins>): Origins =>
  Object.fromEntries(Object.entries(origins).filter(([, paths]) => paths.length > 0));

const inFolder = ({ paths, shell }: WorkDone, folder: string, cwd: string): TurnWork => {
  const tools = new Set<string>();
  for (const path of paths) {
    const at = resolve(cwd, path);
    for (const base of new Set([folder, cwd])) if (isInside(at, base)) tools.add(relative(base, at));
  }
  return { tools, shell };
};

export const totalsOf = (changes: readonly { readonly added?: number; readonly removed?: number }[]): Totals => ({
  files: changes.length,
  added: changes.reduce((sum, { added = 0 }) => sum + added, 0),
  removed: changes.reduce((sum, { removed = 0 }) => sum + removed, 0),
});
