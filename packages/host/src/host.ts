// The host: every session of one store, live or not. It knows where the CLI is and which sessions there are; how one is spawned
// stands in `launch-plan.ts`, and a `Session` knows what happens in one conversation.

import { randomUUID } from "node:crypto";
import { realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { argvOf } from "@quarterdeck/protocol";
import type { ClaudeOptions, PermissionUpdate } from "@quarterdeck/protocol";
import { FOLD_VERSION } from "@quarterdeck/session";
import type { Event, Head } from "@quarterdeck/session";
import { Checkpoints, fileNameOf } from "./checkpoints/checkpoints.ts";
import { Reviews } from "./checkpoints/review.ts";
import { WayBack } from "./checkpoints/way-back.ts";
import { endOrphans } from "./process/descendants.ts";
import type { SessionRecord } from "./store/event-store.ts";
import { FolderGuard } from "./trust/folder-guard.ts";
import { HostError } from "./host-error.ts";
import type { ForkOptions, HostOptions, LaunchOptions, ResumeOptions, StartOptions } from "./host-options.ts";
import { flagsOf, withChosen } from "./process/launch-plan.ts";
import { PolicyGate } from "./policies/policy-gate.ts";
import type { PolicyStore } from "./policies/policy-store.ts";
import { ExplainedCalls } from "./rules/explained-calls.ts";
import { LiveSessions } from "./live/live-sessions.ts";
import { jsonSchemaOf } from "./session/output-schema.ts";
import { ownerOf, Session } from "./session/session.ts";
import type { CloseSessionOptions } from "./session/session.ts";
import type { InProcess } from "./session/session-process.ts";
import { findHolder, mustGiveUp } from "./live/session-holder.ts";
import type { SessionHolder } from "./live/session-holder.ts";
import { hasNewFace, overviewOf } from "./live/session-overview.ts";
import type { SessionOverview } from "./live/session-overview.ts";
import { copyFacts, forkFrom, forkPlace, goingOn, newsOf, uuidsOf } from "./past/session-past.ts";
import type { Kept } from "./past/session-past.ts";
import { SessionShelf } from "./live/session-shelf.ts";
import { storedView } from "./session/readable-session.ts";
import { configFolder, findTranscript, listTranscripts, readTranscript } from "./past/transcripts.ts";
import type { Transcript } from "./past/transcripts.ts";
import { translated } from "./session/translated.ts";
import type { ReadableSession } from "./session/readable-session.ts";

export type { CliProgram, ForkOptions, HostOptions, ResumeOptions, StartOptions } from "./host-options.ts";

export class Host {
  readonly #options: HostOptions;
  readonly #shelf = new SessionShelf();
  readonly #live: LiveSessions;
  readonly #guard: FolderGuard | undefined;
  readonly #resuming = new Set<string>();
  readonly #inProcess = new Map<string, InProcess>();
  readonly #checkpoints: Checkpoints | undefined;
  /** What sessions changed, and the way back. Absent without snapshots. */
  readonly reviews: Reviews | undefined;
  readonly wayBack: WayBack | undefined;
  readonly #listeners = new Set<(id: string) => void>();

  private constructor(options: HostOptions) {
    this.#options = options;
    const { trust } = options;
    this.#guard = trust === undefined ? undefined : new FolderGuard(trust, () => ({ configDir: this.#config }));
    this.#checkpoints = this.#openCheckpoints();
    this.reviews = this.#checkpoints && new Reviews(this.#checkpoints);
    this.wayBack = this.#checkpoints && this.reviews && new WayBack(this.#checkpoints, this.reviews);
    this.#live = new LiveSessions(options, options.dataDirId ?? randomUUID(), this.#guard, (session, isLive) =>
      this.#comesOrGoes(session, isLive),
    );
  }

  /** Ends what an earlier host of the same data directory left running, before anything is resumed. */
  static async open(options: HostOptions): Promise<Host> {
    if (options.dataDirId !== undefined) await endOrphans(options.dataDirId);
    const host = new Host(options);
    const known = new Set(options.store.sessions().map(({ id }) => fileNameOf(id)));
    await host.#checkpoints?.prune((file) => known.has(file)).catch((error: unknown) => options.onError?.(error));
    return host;
  }

  // Which sessions there are.

  list(): readonly (SessionRecord & { readonly live: boolean })[] {
    return this.#options.store.sessions().map((record) => ({ ...record, live: this.#live.has(record.id) }));
  }

  /** All of them, the last used first, without reading any: phase, cost, what waits for a person. */
  overviews(): readonly SessionOverview[] {
    return this.#options.store
      .list()
      .map((entry) => overviewOf(entry, this.#live.has(entry.record.id), this.#shelf.get(entry.record.id)));
  }

  overview(id: string): SessionOverview {
    const entry = this.#options.store.entry(id);
    if (entry === undefined) throw new HostError("unknown-session", `Session ${id} does not exist.`, { id });
    return overviewOf(entry, this.#live.has(id), this.#shelf.get(id));
  }

  /** How many processes live, and how many starts wait for a place. */
  get load(): { readonly live: number; readonly waiting: number } {
    return this.#live.load;
  }

  /**
   * Tells the id of every session that is opened or deleted, whose record or process has come or gone, or whose overview has
   * changed: its phase, requests, queue, tasks, cost, names or rows.
   */
  subscribe(listener: (id: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(id: string): void {
    for (const listener of this.#listeners) {
      try {
        listener(id);
      } catch (error) {
        this.#options.onError?.(error);
      }
    }
  }

  /** The session if it is in memory: one that is looked at, or that has a process. */
  opened(id: string): Session | undefined {
    return this.#shelf.get(id);
  }

  /** A session as the log has it; with a process only after `start` or `resume`. */
  get(id: string): Session {
    const open = this.#shelf.get(id);
    if (open !== undefined) return open;
    const { cwd } = this.#record(id);
    const { store, limits, onError, policies, explainsCalls } = this.#options;
    const session: Session = new Session({
      id,
      store,
      ...(onError !== undefined && { onError }),
      ...(limits !== undefined && { limits }),
      watchRules: (updates) => this.#watchRules(cwd, updates),
      ...(policies !== undefined && { policies: this.#gateOf(id, cwd, policies) }),
      ...(explainsCalls === true && {
        explained: new ExplainedCalls({ cwd, home: this.#home, configDir: this.#config }),
      }),
      onChosen: async (chosen) => {
        const record = this.#record(id);
        const cli = withChosen(cliOf(record), chosen);
        await store.putSession({ ...record, settings: { ...record.settings, cli } });
      },
      beforePrompt: async (uuid) => this.#checkpoints?.beforePrompt(session, uuid),
      onListeners: (count) => this.#shelf.hold(id, "listeners", count > 0),
      onFact: () => {
        this.#checkpoints?.onFact(session);
        if (hasNewFace(session)) this.#tell(id);
      },
    });
    this.#shelf.put(session);
    ownerOf(session).noteLostProcess();
    this.#tell(id);
    return session;
  }

  /** For reading: the session itself if it is in memory, else what is stored, as far as that is all. */
  view(id: string): ReadableSession {
    this.#record(id);
    return this.#shelf.get(id) ?? storedView(this.#options.store, id, FOLD_VERSION) ?? this.get(id);
  }

  /** Facts after `seq`, oldest first. */
  events(id: string, after: number, limit: number): readonly Event[] {
    this.#record(id);
    return this.#options.store.read(id, after, limit);
  }

  // How they begin and go on.

  async start(options: StartOptions): Promise<Session> {
    const id = options.id ?? options.cli?.sessionId ?? randomUUID();
    if (this.#options.store.session(id) !== undefined)
      throw new HostError("session-exists", `Session ${id} already exists.`, { id });
    // The CLI makes its own session of a pull request.
    const named = options.cli?.fromPr === undefined ? { sessionId: id } : {};
    // A relative folder would be another one for the next host.
    await this.#put(id, { ...options, cwd: await folderAt(options.cwd) }, named);
    return this.#launchNew(id, named, options);
  }

  /** Goes on where the session ended. What it was asked and not told to anybody is delivered. */
  async resume(id: string, options: ResumeOptions = {}): Promise<Session> {
    const record = this.#record(id);
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
      const kept = await this.#importNews(session, cliId);
      const keep = options.keepPermissions ?? (record.settings["keepPermissions"] === true ? true : undefined);
      const output = options.output === undefined ? {} : { jsonSchema: jsonSchemaOf(options.output) };
      // In its first turn the CLI has often kept nothing yet that could be resumed.
      const mustBeKept = session.head.gauges.turns > 0 || this.events(id, 0, 1)[0]?.type === "imported";
      const where = goingOn(cliId, kept, record, mustBeKept);
      if (options.allowBypass !== undefined)
        await this.#setFlags(id, { allowDangerouslySkipPermissions: options.allowBypass });
      if (options.debugFile !== undefined) await this.#setFlags(id, { debugFile: options.debugFile ?? undefined });
      const spawn = await this.#prepare(id, { ...output, ...where }, options, keep);
      await spawn();
      return session;
    } finally {
      this.#resuming.delete(id);
    }
  }

  /** Goes on with the newest conversation of the folder, whoever had it. */
  async continue(cwd: string, options: ResumeOptions & Pick<StartOptions, "cli" | "title"> = {}): Promise<Session> {
    const folder = await realpath(await folderAt(cwd));
    const [newest] = (await listTranscripts(this.#config)).filter(
      (one) => one.cwd === resolve(cwd) || one.cwd === folder,
    );
    if (newest === undefined)
      throw new HostError("nothing-to-continue", `The CLI has no conversation in ${cwd}.`, { cwd });
    const session = await this.adopt(newest, options);
    return session.isLive && !session.isLeaving ? session : this.resume(session.id, options);
  }

  /** Takes over a session of the CLI's own, started in a terminal: its past is imported, and `resume` goes on with it. */
  async adopt(transcript: Transcript, options: Pick<StartOptions, "cli" | "title"> = {}): Promise<Session> {
    const known = this.list().find((record) => record.cliSessionId === transcript.id || record.id === transcript.id);
    if (known !== undefined) return this.get(known.id);
    const cwd = transcript.cwd ?? process.cwd();
    const title = options.title ?? transcript.firstPrompt?.slice(0, 80);
    const about = {
      cwd,
      ...(options.cli !== undefined && { cli: options.cli }),
      ...(title !== undefined && { title }),
    };
    await this.#put(transcript.id, about, { sessionId: transcript.id });
    const events = await readTranscript(transcript.path);
    const facts = events.map(({ seq: _seq, at, ...fact }) => ({ at, fact }));
    for (let from = 0; from < facts.length; from += 500) {
      await this.#options.store.append(transcript.id, facts.slice(from, from + 500));
    }
    return this.get(transcript.id);
  }

  /** A new session with the same past, or with its past up to one message; the old one does not notice. */
  async fork(id: string, options: ForkOptions = {}): Promise<Session> {
    const record = this.#record(id);
    const parent = this.view(id);
    const cliId = parent.head.sessionId ?? record.cliSessionId ?? id;
    const forked = options.id ?? randomUUID();
    const title = options.title ?? record.title;
    const same = {
      cwd: record.cwd,
      ...(title !== undefined && { title }),
      cli: cliOf(record),
      withoutFolderSettings: options.withoutFolderSettings ?? isWithoutFolder(record),
      ...this.#inProcess.get(id),
      ...inProcessOf(options),
    };
    const { store } = this.#options;
    const at = options.at ?? forkPlace(store, parent, options);
    if (at === undefined && (options.atRow ?? options.beforeRow) !== undefined) {
      // Nothing was said before it: a fork without a past.
      await this.#put(forked, same, { sessionId: forked }, { forkOf: id });
      return this.#launchNew(forked, { sessionId: forked }, options);
    }
    await this.#put(forked, same, { sessionId: forked }, { forkOf: id, fork: forkFrom(store, parent, cliId, at) });
    await copyFacts(store, id, forked, at);
    const child = this.get(forked);
    // What waited there waits there.
    for (const { uuid } of child.head.queue) if (uuid !== undefined) await child.cancelPrompt(uuid);
    await this.#checkpoints?.forked(id, child);
    const upTo = at === undefined ? {} : { resumeSessionAt: at };
    return this.#launchNew(forked, { resume: cliId, forkSession: true, sessionId: forked, ...upTo }, options);
  }

  /** Another process that has the session open: a terminal, an editor, another host. */
  async holderOf(id: string): Promise<SessionHolder | undefined> {
    const record = this.#record(id);
    const { head } = this.view(id);
    const sessionId = head.sessionId ?? record.cliSessionId ?? id;
    if (this.#live.has(id)) return undefined;
    const transcript = await findTranscript(this.#config, sessionId);
    // What our own process wrote last says nothing of others.
    const isTheirs = transcript !== undefined && transcript.updatedAt > (head.process?.endedAt ?? 0) + OWN_WRITES_MS;
    const writtenAt = isTheirs ? { writtenAt: transcript.updatedAt } : {};
    return findHolder({ sessionId, cwd: record.cwd, config: this.#config, ours: this.#live.pids, ...writtenAt });
  }

  // What their folders may run.

  /** Its process loads settings of its folder. */
  heedsFolder(id: string): boolean {
    const session = this.#shelf.get(id);
    return session !== undefined && ownerOf(session).heedsFolder();
  }

  /**
   * False if a prompt would run something of the folder that nobody has trusted, in this process or in the next one. A resting
   * process that would is ended.
   */
  async holdsFolder(id: string): Promise<boolean> {
    const record = this.#record(id);
    const session = this.#shelf.get(id);
    if (session?.isLive === true && !session.isLeaving) return ownerOf(session).holdsFolder();
    return isWithoutFolder(record) || this.#guard === undefined || this.#guard.holds(record.cwd);
  }

  /**
   * Whether a folder that looks changed is still trusted: what changed may be a rule that a person allowed a moment ago, written by the
   * CLI while the tool still runs.
   */
  async keepsTrust(folder: string): Promise<boolean> {
    return this.#guard !== undefined && this.#guard.holds(folder, "whole");
  }

  /**
   * Call it when a folder was trusted. Prompts that waited for that are handed over. Gives the sessions whose process was ended
   * for the folder's change and that have prompts waiting: resume them.
   */
  async folderTrusted(folder: string): Promise<readonly string[]> {
    const real = await realpath(folder);
    const isThere = async ({ cwd }: SessionRecord): Promise<boolean> => (await realpath(cwd).catch(() => cwd)) === real;
    for (const session of this.#shelf.all) {
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

  // What is done with them.

  async rename(id: string, title: string): Promise<void> {
    await this.#options.store.putSession({ ...this.#record(id), title, updatedAt: Date.now() });
    this.#tell(id);
    // The title is ours and is kept; an older CLI has none to change, and does not even say so.
    this.#shelf
      .get(id)
      ?.control.rename_session({ title }, { timeoutMs: RENAME_MS })
      .catch(() => {});
  }

  async archive(id: string, archived = true): Promise<void> {
    await this.#options.store.putSession({ ...this.#record(id), archived, updatedAt: Date.now() });
    this.#tell(id);
  }

  async delete(id: string): Promise<void> {
    this.#record(id);
    await this.#shelf.get(id)?.close();
    this.#shelf.forget(id);
    this.#inProcess.delete(id);
    await this.#options.store.deleteSession(id);
    await this.#checkpoints?.deleted(id).catch((error: unknown) => this.#options.onError?.(error));
    for (const policy of this.#options.policies?.list() ?? [])
      if (policy.session === id) this.#options.policies?.remove(policy.id);
    this.#tell(id);
  }

  /** Ends every process and closes the store. By default turns are interrupted; `finishTurn` lets them end. */
  async close(options: CloseSessionOptions = {}): Promise<void> {
    this.#live.close();
    await Promise.all(this.#shelf.all.map((session) => session.close(options)));
    await this.#checkpoints?.settled();
    await this.#options.store.close();
  }

  // How it is done.

  #openCheckpoints(): Checkpoints | undefined {
    const { snapshots, onError } = this.#options;
    if (snapshots === undefined) return undefined;
    return new Checkpoints(
      { ...snapshots, ...(onError !== undefined && { onError }) },
      {
        cwdOf: ({ id, head }) => head.cwd ?? this.#record(id).cwd,
        count: async (session, { files, added, removed }) => {
          const { changes } = session.head;
          const isSame = changes?.files === files && changes.added === added && changes.removed === removed;
          if (isSame || (changes === undefined && files === 0)) return;
          if (this.#options.store.session(session.id) === undefined) return;
          await ownerOf(session).note({ type: "changes-counted", files, added, removed });
        },
      },
    );
  }

  get #config(): string {
    return configFolder(this.#options.environment("none:none:0"));
  }

  get #home(): string {
    return this.#options.environment("none:none:0")["HOME"] ?? homedir();
  }

  #gateOf(id: string, cwd: string, store: PolicyStore): PolicyGate {
    const head = (): Head | Record<string, never> => this.#shelf.get(id)?.head ?? {};
    return new PolicyGate({ store, session: id, cwd, home: this.#home, head });
  }

  get #version(): { readonly version?: string } {
    const { version } = this.#options.claude;
    return version === undefined ? {} : { version };
  }

  #record(id: string): SessionRecord {
    const record = this.#options.store.session(id);
    if (record === undefined) throw new HostError("unknown-session", `Session ${id} does not exist.`, { id });
    return record;
  }

  async #put(
    id: string,
    options: StartOptions,
    cli: ClaudeOptions,
    about: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    const { cwd, title, output, keepPermissions, withoutFolderSettings } = options;
    const flags = { ...options.cli, ...(output !== undefined && { jsonSchema: jsonSchemaOf(output) }) };
    // Refused before anything is kept or spawned.
    translated(() => argvOf(flagsOf({ ...flags, ...cli }), this.#version));
    this.#inProcess.set(id, inProcessOf(options));
    const now = Date.now();
    await this.#options.store.putSession({
      id,
      createdAt: now,
      updatedAt: now,
      cwd,
      archived: false,
      ...(cli.sessionId !== undefined && { cliSessionId: cli.sessionId }),
      settings: {
        cli: flags,
        ...(keepPermissions === true && { keepPermissions }),
        ...(withoutFolderSettings === true && { withoutFolderSettings }),
        ...about,
      },
      ...(title !== undefined && { title }),
    });
  }

  /** For this and later processes of the session. A flag without a value is taken away. */
  async #setFlags(
    id: string,
    flags: { allowDangerouslySkipPermissions?: boolean; debugFile?: string | undefined },
  ): Promise<void> {
    const record = this.#record(id);
    const cli = Object.fromEntries(
      Object.entries({ ...cliOf(record), ...flags }).filter(([, value]) => value !== undefined && value !== false),
    );
    await this.#options.store.putSession({ ...record, settings: { ...record.settings, cli } });
  }

  /** A session that gets no process is not kept, unless somebody spoke to it meanwhile. */
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
    let record = this.#record(id);
    await folderAt(record.cwd);
    const { withoutFolderSettings = isWithoutFolder(record) } = options;
    if (withoutFolderSettings !== isWithoutFolder(record)) {
      // The next process is like this one, until somebody says otherwise.
      record = { ...record, settings: { ...record.settings, withoutFolderSettings } };
      await this.#options.store.putSession(record);
    }
    return this.#live.prepare({
      record,
      session: this.get(id),
      cli: { ...cliOf(record), ...cli },
      inProcess: this.#inProcess.get(id) ?? {},
      keepPermissions: keep,
      asksPolicies: () => {
        const { policies } = this.#options;
        return policies !== undefined && this.#gateOf(id, record.cwd, policies).guards;
      },
      options: { ...options, withoutFolderSettings },
    });
  }

  #comesOrGoes({ id, head }: Session, isLive: boolean): void {
    this.#shelf.hold(id, "process", isLive);
    const session = this.#shelf.get(id);
    if (isLive && session !== undefined) this.#checkpoints?.warm(session);
    this.#tell(id);
    const record = isLive ? undefined : this.#options.store.session(id);
    if (record === undefined || head.sessionId === undefined || head.sessionId === record.cliSessionId) return;
    // `/clear` and a pull request give the CLI's session another id.
    this.#options.store
      .putSession({ ...record, cliSessionId: head.sessionId })
      .catch((error: unknown) => this.#options.onError?.(error));
  }

  /**
   * Runs `write`, which puts a person's rules into the settings of the folder. A trusted folder stays trusted if nothing else in it
   * changes meanwhile. `updates` says what is written.
   */
  async writeRules<T>(cwd: string, updates: readonly PermissionUpdate[], write: () => Promise<T>): Promise<T> {
    const written = await this.#watchRules(cwd, updates);
    try {
      return await write();
    } finally {
      await written();
    }
  }

  /** Where the CLI has the user's settings. */
  get configDir(): string {
    return this.#config;
  }

  /** What a person allows for good the CLI writes into the folder: that alone must not cost the folder its trust. */
  async #watchRules(cwd: string, updates: readonly PermissionUpdate[]): Promise<() => Promise<void>> {
    return this.#guard === undefined ? async () => {} : this.#guard.expect(cwd, updates);
  }

  /**
   * What the CLI's transcript has and our log has not: turns in a terminal, or after our host had died. What there is of a
   * transcript.
   */
  async #importNews(session: Session, cliId: string): Promise<Kept> {
    const transcript = await findTranscript(this.#config, cliId);
    if (transcript === undefined) return "nothing";
    const entries = await readTranscript(transcript.path);
    const news = newsOf(entries, uuidsOf(this.#options.store, session.id));
    for (const fact of news) await ownerOf(session).note(fact);
    return entries.length === 0 ? "only its name" : "conversation";
  }
}

const RENAME_MS = 10_000;
/** The CLI still writes its transcript for so long after we were told of its end. */
const OWN_WRITES_MS = 2000;

const folderAt = async (cwd: string): Promise<string> => {
  const folder = resolve(cwd);
  if (
    await stat(folder).then(
      (found) => found.isDirectory(),
      () => false,
    )
  )
    return folder;
  throw new HostError("no-folder", `The folder ${folder} does not exist. Create it, or choose another.`, { cwd });
};

const inProcessOf = ({ hooks, servers, initialize }: InProcess): InProcess => ({
  ...(hooks !== undefined && { hooks }),
  ...(servers !== undefined && { servers }),
  ...(initialize !== undefined && { initialize }),
});

const isWithoutFolder = ({ settings }: SessionRecord): boolean => settings["withoutFolderSettings"] === true;

const cliOf = (record: SessionRecord): ClaudeOptions => {
  const { sessionId: _id, ...cli } = (record.settings["cli"] ?? {}) as ClaudeOptions;
  return cli;
};
