// The host: every session of one store, live or not. It starts, resumes and forks them. `OpenedSessions` has those in memory,
// `launch-plan.ts` knows how to spawn a CLI, and a `Session` knows what happens in one conversation.

import { randomUUID } from "node:crypto";
import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import type { ClaudeOptions, PermissionUpdate } from "@quarterdeck/protocol";
import type { Event } from "@quarterdeck/session";
import type { Budgets } from "./budgets/budgets.ts";
import { fileNameOf } from "./checkpoints/checkpoints.ts";
import { Reviews } from "./checkpoints/review.ts";
import { WayBack } from "./checkpoints/way-back.ts";
import { endOrphans } from "./process/descendants.ts";
import type { Found, SearchFilter, SessionRecord } from "./store/event-store.ts";
import { FolderGuard } from "./trust/folder-guard.ts";
import { HostError } from "./host-error.ts";
import type { ForkOptions, HostOptions, LaunchOptions, ResumeOptions, StartOptions } from "./host-options.ts";
import { LiveSessions } from "./live/live-sessions.ts";
import { OpenedSessions } from "./live/opened-sessions.ts";
import { jsonSchemaOf } from "./session/output-schema.ts";
import { ownerOf, Session } from "./session/session.ts";
import type { CloseSessionOptions } from "./session/session.ts";
import type { InProcess } from "./session/session-process.ts";
import { findHolder, mustGiveUp } from "./live/session-holder.ts";
import type { SessionHolder } from "./live/session-holder.ts";
import type { SessionOverview } from "./live/session-overview.ts";
import { Elsewhere } from "./past/elsewhere.ts";
import { continueCommand } from "./past/hand-over.ts";
import type { HandedOver } from "./past/hand-over.ts";
import { copyFacts, forkFrom, forkPlace, goingOn, newsOf, uuidsOf } from "./past/session-past.ts";
import type { StoredByCli } from "./past/session-past.ts";
import { cliOf, folderAt, isWithoutFolder, leftOf, SessionRecords } from "./past/session-records.ts";
import { findTranscript, listTranscripts, readTranscript } from "./past/transcripts.ts";
import type { Transcript } from "./past/transcripts.ts";
import type { ReadableSession } from "./session/readable-session.ts";

export type { CliProgram, ForkOptions, HostOptions, ResumeOptions, StartOptions } from "./host-options.ts";

export class Host {
  readonly #options: HostOptions;
  readonly #records: SessionRecords;
  readonly #opened: OpenedSessions;
  readonly #live: LiveSessions;
  readonly #guard: FolderGuard | undefined;
  readonly #resuming = new Set<string>();
  readonly #inProcess = new Map<string, InProcess>();
  readonly #elsewhere: Elsewhere;
  /** Snapshots: what sessions changed, and how to undo it. Absent without snapshots. */
  readonly reviews: Reviews | undefined;
  readonly wayBack: WayBack | undefined;

  private constructor(options: HostOptions) {
    this.#options = options;
    const { trust, store, claude } = options;
    this.#records = new SessionRecords(store, claude.version);
    this.#guard = trust === undefined ? undefined : new FolderGuard(trust, () => ({ configDir: this.configDir }));
    this.#opened = new OpenedSessions(options, this.#records, this.#guard, (id) => this.#live.has(id));
    const { checkpoints } = this.#opened;
    this.reviews = checkpoints && new Reviews(checkpoints);
    this.wayBack = checkpoints && this.reviews && new WayBack(checkpoints, this.reviews);
    this.#live = new LiveSessions(options, options.dataDirId ?? randomUUID(), this.#guard, (session, isLive) =>
      this.#opened.comesOrGoes(session, isLive),
    );
    this.#elsewhere = new Elsewhere({
      config: () => this.configDir,
      cliId: (id) => this.#cliIdOf(id),
      isLive: (id) => this.#live.has(id) || store.session(id) === undefined,
      catchUp: async (id) => void (await this.#importNews(this.get(id), this.#cliIdOf(id))),
      known: (id) => uuidsOf(store, id),
      add: async (id, news) => {
        const owner = ownerOf(this.get(id));
        for (const fact of news) await owner.note(fact);
      },
      onError: (error) => options.onError?.(error),
    });
  }

  /** First ends the processes that an earlier host of the same data directory left running. */
  static async open(options: HostOptions): Promise<Host> {
    if (options.dataDirId !== undefined) await endOrphans(options.dataDirId);
    const host = new Host(options);
    const known = new Set(options.store.sessions().map(({ id }) => fileNameOf(id)));
    await host.#opened.checkpoints
      ?.prune((file) => known.has(file))
      .catch((error: unknown) => options.onError?.(error));
    return host;
  }

  // List and find sessions.

  list(): readonly (SessionRecord & { readonly live: boolean })[] {
    return this.#options.store.sessions().map((record) => ({ ...record, live: this.#live.has(record.id) }));
  }

  /** All sessions, most recent first: phase, cost, open requests. It does not read their logs. */
  overviews(): readonly SessionOverview[] {
    return this.#opened.overviews();
  }

  overview(id: string): SessionOverview {
    return this.#opened.overview(id);
  }

  /** Budgets of the day and of sessions. Absent if the host has no store for them. */
  get budgets(): Budgets | undefined {
    return this.#opened.budgets;
  }

  /** One object for each start that waits for a place. */
  get waits(): readonly object[] {
    return this.#live.waits;
  }

  /** How many processes run, and how many starts wait for one of them to end. */
  get load(): { readonly live: number; readonly waiting: number } {
    return this.#live.load;
  }

  /**
   * Reports the id of each session that was opened or deleted, or whose record, process or overview changed. The overview is
   * its phase, requests, queue, tasks, cost, names and rows.
   */
  subscribe(listener: (id: string) => void): () => void {
    return this.#opened.subscribe(listener);
  }

  /** The session if it is in memory, because somebody follows it or it has a process. */
  opened(id: string): Session | undefined {
    return this.#opened.find(id);
  }

  /** A session from its log. It has a process only after `start` or `resume`. */
  get(id: string): Session {
    return this.#opened.get(id);
  }

  /** For reading: the session if it is in memory, else the stored rows if they are complete. */
  view(id: string): ReadableSession {
    return this.#opened.view(id);
  }

  /** Finds rows of all sessions, newest first, whether they are saved yet or not. */
  search(query: string, limit: number, filter?: SearchFilter): Found {
    return this.#opened.search(query, limit, filter);
  }

  /** Facts after `seq`, oldest first. */
  events(id: string, after: number, limit: number): readonly Event[] {
    this.#records.get(id);
    return this.#options.store.read(id, after, limit);
  }

  // Start and resume sessions.

  async start(options: StartOptions): Promise<Session> {
    const id = options.id ?? options.cli?.sessionId ?? randomUUID();
    if (this.#options.store.session(id) !== undefined)
      throw new HostError("session-exists", `Session ${id} already exists.`, { id });
    // For a pull request, the CLI creates its own session.
    const named = options.cli?.fromPr === undefined && options.cli?.resume === undefined ? { sessionId: id } : {};
    // The next host may run in another folder, so a relative path would change its meaning.
    await this.#add(id, { ...options, cwd: await folderAt(options.cwd) }, named);
    return this.#launchNew(id, named, options);
  }

  /** Continues where the session ended. Prompts that were not delivered are delivered now. */
  async resume(id: string, options: ResumeOptions = {}): Promise<Session> {
    const record = this.#records.get(id);
    await this.#live.untilGone(id, options.signal);
    const live = (): HostError => new HostError("session-live", "This session already has a process.", { id });
    if (this.#live.has(id) || this.#resuming.has(id)) throw live();
    this.#resuming.add(id);
    try {
      const { head } = this.view(id);
      if (cliOf(record).noSessionPersistence === true && head.process !== undefined)
        throw new HostError("not-kept", "This session was started without persistence, so it cannot be resumed.", {
          id,
        });
      const holder = await this.holderOf(id);
      if (holder !== undefined) await mustGiveUp(holder, id, options.takeOver === true);
      this.#inProcess.set(id, { ...this.#inProcess.get(id), ...inProcessOf(options) });
      const session = this.get(id);
      const cliId = session.head.sessionId ?? record.cliSessionId ?? id;
      const kept = await this.#elsewhere.alone(id, () => this.#importNews(session, cliId));
      const keep = options.keepPermissions ?? (record.settings["keepPermissions"] === true ? true : undefined);
      const output = options.output === undefined ? {} : { jsonSchema: jsonSchemaOf(options.output) };
      // During its first turn, the CLI has often saved nothing that it could resume.
      const mustBeKept = session.head.gauges.turns > 0 || this.events(id, 0, 1)[0]?.type === "imported";
      const where = goingOn(cliId, kept, record, mustBeKept);
      const couldBypass =
        (record.settings["cli"] as ClaudeOptions | undefined)?.allowDangerouslySkipPermissions === true;
      if (options.allowBypass !== undefined)
        await this.#records.setFlags(id, { allowDangerouslySkipPermissions: options.allowBypass });
      if (options.debugFile !== undefined)
        await this.#records.setFlags(id, { debugFile: options.debugFile ?? undefined });
      if (options.cli !== undefined) await this.#records.setCli(id, options.cli);
      try {
        const spawn = await this.#prepare(
          id,
          { ...output, ...options.flags, ...where, ...options.place },
          options,
          keep,
        );
        await spawn();
        await this.#records.setHandedOver(id, undefined);
      } catch (error) {
        // The CLI refuses bypass to root, for example. The session must start without it again.
        if (options.allowBypass === true)
          await this.#records.setFlags(id, { allowDangerouslySkipPermissions: couldBypass });
        throw error;
      }
      return session;
    } finally {
      this.#resuming.delete(id);
    }
  }

  /**
   * Ends the process, so that a terminal can continue the session. Returns the command to paste there. Prompts that were not delivered
   * stay here, and `resume` takes the session back.
   */
  async handOver(id: string, how: CloseSessionOptions = {}): Promise<HandedOver> {
    const record = this.#records.get(id);
    const cliId = this.#cliIdOf(id);
    const { configDir: config } = this;
    const isKept = cliOf(record).noSessionPersistence !== true && (await findTranscript(config, cliId)) !== undefined;
    if (!isKept)
      throw new HostError(
        "not-kept",
        "Claude Code has stored nothing of this session, so no terminal can continue it.",
        {
          id,
        },
      );
    const session = this.opened(id);
    await session?.close(how);
    await session?.ended;
    const { home } = this.#opened;
    const handedOver = { at: Date.now(), command: continueCommand({ cwd: record.cwd, cliId, config, home }) };
    await this.#records.setHandedOver(id, handedOver);
    this.#opened.tell(id);
    return handedOver;
  }

  /** Imports what a terminal adds to the session, as long as it has no process here. Returns a function that stops. */
  followElsewhere(id: string): () => void {
    return this.#elsewhere.follow(id);
  }

  #cliIdOf(id: string): string {
    return this.view(id).head.sessionId ?? this.#records.get(id).cliSessionId ?? id;
  }

  /** Continues the newest conversation of the folder, also one from a terminal. */
  async continue(cwd: string, options: ResumeOptions & Pick<StartOptions, "title"> = {}): Promise<Session> {
    const folder = await realpath(await folderAt(cwd));
    const [newest] = (await listTranscripts(this.configDir)).filter(
      (one) => one.cwd === resolve(cwd) || one.cwd === folder,
    );
    if (newest === undefined)
      throw new HostError("nothing-to-continue", `The CLI has no conversation in ${cwd}.`, { cwd });
    const session = await this.adopt(newest, options);
    if (options.relay === undefined && session.isLive && !session.isLeaving) return session;
    if (options.relay !== undefined) return this.resume(session.id, options);
    const { cli, ...others } = options;
    return this.resume(session.id, { ...others, ...(cli !== undefined && { flags: cli }) });
  }

  /** Takes over a session that was started in a terminal. Its past is imported, and `resume` continues it. */
  async adopt(transcript: Transcript, options: Pick<StartOptions, "cli" | "title"> = {}): Promise<Session> {
    const known = this.list().find((record) => record.cliSessionId === transcript.id || record.id === transcript.id);
    if (known !== undefined) return this.get(known.id);
    const cwd = transcript.cwd ?? process.cwd();
    const about = {
      cwd,
      ...(options.cli !== undefined && { cli: options.cli }),
      ...(options.title !== undefined && { title: options.title }),
    };
    await this.#add(transcript.id, about, { sessionId: transcript.id });
    const events = await readTranscript(transcript.path);
    const facts = events.map(({ seq: _seq, at, ...fact }) => ({ at, fact }));
    for (let from = 0; from < facts.length; from += 500) {
      await this.#options.store.append(transcript.id, facts.slice(from, from + 500));
    }
    return this.get(transcript.id);
  }

  /** A new session with the same past, or with the past up to one message. The old session does not change. */
  async fork(id: string, options: ForkOptions = {}): Promise<Session> {
    const record = this.#records.get(id);
    const parent = this.view(id);
    const cliId = parent.head.sessionId ?? record.cliSessionId ?? id;
    const forked = options.id ?? randomUUID();
    const title = options.title ?? record.title;
    const same = {
      cwd: record.cwd,
      ...(title !== undefined && { title }),
      cli: options.cli ?? cliOf(record),
      withoutFolderSettings: options.withoutFolderSettings ?? isWithoutFolder(record),
      ...this.#inProcess.get(id),
      ...inProcessOf(options),
    };
    const { store } = this.#options;
    const at = options.at ?? forkPlace(store, parent, options);
    if (at === undefined && (options.atRow ?? options.beforeRow) !== undefined) {
      // No message came before it, so the fork has no past.
      await this.#add(forked, same, { sessionId: forked }, { forkOf: id });
      return this.#launchNew(forked, { sessionId: forked }, options);
    }
    await this.#add(forked, same, { sessionId: forked }, { forkOf: id, fork: forkFrom(store, parent, cliId, at) });
    await copyFacts(store, id, forked, at);
    const child = this.get(forked);
    // Queued prompts stay with the old session.
    for (const { uuid } of child.head.queue) if (uuid !== undefined) await child.cancelPrompt(uuid);
    await this.#opened.checkpoints?.forked(id, child);
    const upTo = at === undefined ? {} : { ...options.place, resumeSessionAt: at };
    return this.#launchNew(forked, { resume: cliId, forkSession: true, sessionId: forked, ...upTo }, options);
  }

  /** Another process that has the session open, such as a terminal, an editor or another host. */
  async holderOf(id: string): Promise<SessionHolder | undefined> {
    const record = this.#records.get(id);
    const { head } = this.view(id);
    const sessionId = head.sessionId ?? record.cliSessionId ?? id;
    if (this.#live.has(id)) return undefined;
    const transcript = await findTranscript(this.configDir, sessionId);
    // The last lines of our own process say nothing about other processes.
    const isTheirs = transcript !== undefined && transcript.updatedAt > (head.process?.endedAt ?? 0) + OWN_WRITES_MS;
    const writtenAt = isTheirs ? { writtenAt: transcript.updatedAt } : {};
    return findHolder({ sessionId, cwd: record.cwd, config: this.configDir, ours: this.#live.pids, ...writtenAt });
  }

  // Trust in their folders.

  /** True if its process loads the settings of its folder. */
  heedsFolder(id: string): boolean {
    const session = this.#opened.find(id);
    return session !== undefined && ownerOf(session).heedsFolder();
  }

  /**
   * False if a prompt would run something untrusted from the folder, in this process or in the next one. An idle process that
   * would run it is ended.
   */
  async holdsFolder(id: string): Promise<boolean> {
    const record = this.#records.get(id);
    const session = this.#opened.find(id);
    if (session?.isLive === true && !session.isLeaving) return ownerOf(session).holdsFolder();
    return isWithoutFolder(record) || this.#guard === undefined || this.#guard.holds(record.cwd);
  }

  /**
   * Whether a folder that looks changed is still trusted. The change may be a rule that a person allowed just now: the CLI writes
   * it while the tool still runs.
   */
  async keepsTrust(folder: string): Promise<boolean> {
    return this.#guard !== undefined && this.#guard.holds(folder, "whole");
  }

  /**
   * Call it when a folder was trusted. It delivers the prompts that waited for that. It returns the sessions to resume: those
   * with waiting prompts whose process was ended because the folder changed.
   */
  async folderTrusted(folder: string): Promise<readonly string[]> {
    const real = await realpath(folder);
    const isThere = async ({ cwd }: SessionRecord): Promise<boolean> => (await realpath(cwd).catch(() => cwd)) === real;
    for (const session of this.#opened.all) {
      const record = this.#options.store.session(session.id);
      if (record !== undefined && session.isLive && (await isThere(record))) ownerOf(session).deliver();
    }
    const ended: string[] = [];
    for (const id of this.#live.changed) {
      const record = this.#options.store.session(id);
      if (record !== undefined && this.view(id).head.queue.length > 0 && (await isThere(record))) ended.push(id);
    }
    return ended;
  }

  // Change sessions.

  async rename(id: string, title: string): Promise<void> {
    await this.#records.change(id, { title, updatedAt: Date.now() });
    this.#opened.tell(id);
    // We keep the title ourselves. An older CLI has no titles and ignores the request.
    this.#opened
      .find(id)
      ?.control.rename_session({ title }, { timeoutMs: RENAME_MS })
      .catch(() => {});
  }

  async archive(id: string, archived = true): Promise<void> {
    await this.#records.change(id, { archived, updatedAt: Date.now() });
    this.#opened.tell(id);
  }

  async delete(id: string): Promise<void> {
    this.#records.get(id);
    await this.#opened.find(id)?.close();
    this.#opened.forget(id);
    this.#inProcess.delete(id);
    await this.#options.store.deleteSession(id);
    await this.#opened.checkpoints?.deleted(id).catch((error: unknown) => this.#options.onError?.(error));
    for (const policy of this.#options.policies?.list() ?? [])
      if (policy.session === id) this.#options.policies?.remove(policy.id);
    this.budgets?.forget(id);
    this.#opened.tell(id);
  }

  /** Ends every process and closes the store. Turns are interrupted, unless `finishTurn` lets them end. */
  async close(options: CloseSessionOptions = {}): Promise<void> {
    this.#live.close();
    this.budgets?.close();
    await Promise.all(this.#opened.all.map((session) => session.close(options)));
    await this.#opened.checkpoints?.settled();
    await this.#opened.checkpoints?.close();
    await this.#options.store.close();
  }

  // Private parts.

  async #add(
    id: string,
    options: StartOptions,
    cli: ClaudeOptions,
    about?: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    await this.#records.add(id, options, cli, about);
    this.#inProcess.set(id, inProcessOf(options));
  }

  /** A session whose process does not start is deleted, unless it got a prompt meanwhile. */
  async #launchNew(id: string, cli: ClaudeOptions, options: LaunchOptions): Promise<Session> {
    const session = this.get(id);
    try {
      const spawn = await this.#prepare(id, cli, options);
      await spawn();
    } catch (error) {
      if (session.head.queue.length === 0) await this.delete(id);
      throw error;
    }
    return session;
  }

  async #prepare(id: string, cli: ClaudeOptions, options: LaunchOptions, keep?: boolean): Promise<() => Promise<void>> {
    let record = this.#records.get(id);
    await folderAt(record.cwd);
    const { withoutFolderSettings = isWithoutFolder(record) } = options;
    if (withoutFolderSettings !== isWithoutFolder(record)) {
      // The next process uses the same settings, until a person changes them.
      record = await this.#records.change(id, { settings: { ...record.settings, withoutFolderSettings } });
    }
    const { relay } = options;
    if (relay !== undefined) void relay.first.then((first) => this.#records.setLeft(id, first?.request));
    return this.#live.prepare({
      record,
      session: this.get(id),
      cli: { ...cliOf(record), ...cli },
      inProcess: { ...this.#inProcess.get(id), ...leftOf(record) },
      keepPermissions: keep,
      asksPolicies: () => {
        const { policies } = this.#options;
        return policies !== undefined && this.#opened.gateOf(id, record.cwd, policies).guards;
      },
      options: { ...options, withoutFolderSettings },
    });
  }

  /**
   * Runs `write`, which puts a person's rules into the folder's settings. A trusted folder stays trusted if nothing else changes
   * meanwhile. `updates` lists what is written.
   */
  async writeRules<T>(cwd: string, updates: readonly PermissionUpdate[], write: () => Promise<T>): Promise<T> {
    const written = await this.#opened.watchRules(cwd, updates);
    try {
      return await write();
    } finally {
      await written();
    }
  }

  /** The folder of the CLI's user settings. */
  get configDir(): string {
    return this.#opened.configDir;
  }

  /**
   * Imports what the CLI's transcript has and our log lacks: turns in a terminal, or turns after our host died.
   */
  async #importNews(session: Session, cliId: string): Promise<StoredByCli> {
    const transcript = await findTranscript(this.configDir, cliId);
    if (transcript === undefined) return "nothing";
    const entries = await readTranscript(transcript.path);
    const news = newsOf(entries, uuidsOf(this.#options.store, session.id));
    for (const fact of news) await ownerOf(session).note(fact);
    return entries.length === 0 ? "only its name" : "conversation";
  }
}

const RENAME_MS = 10_000;
/** The CLI may write to its transcript for this long after it exited. */
const OWN_WRITES_MS = 2000;

const inProcessOf = ({ hooks, servers, initialize, environment }: InProcess): InProcess => ({
  ...(environment !== undefined && { environment }),
  ...(hooks !== undefined && { hooks }),
  ...(servers !== undefined && { servers }),
  ...(initialize !== undefined && { initialize }),
});
