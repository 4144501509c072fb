// The host: every session of one store, live or not. It knows where the CLI is and how it is spawned; a `Session` knows what
// happens in one conversation.

import { randomUUID } from "node:crypto";
import { argvOf, HOST_OPTIONS } from "@quarterdeck/protocol";
import type { ClaudeOptions, LackingFlag } from "@quarterdeck/protocol";
import type { Event, Head } from "@quarterdeck/session";
import { startCliProcess } from "./cli-process.ts";
import { endOrphans, sessionMarker } from "./descendants.ts";
import type { EventStore, SessionRecord } from "./event-store.ts";
import { isTrusted, untrustedEnvironment, untrustedOptions } from "./folder-trust.ts";
import type { TrustStore } from "./folder-trust.ts";
import { HostError } from "./host-error.ts";
import { jsonSchemaOf } from "./output-schema.ts";
import type { OutputSchema } from "./output-schema.ts";
import { Session } from "./session.ts";
import type { SessionOptions } from "./session.ts";
import { readTranscript } from "./transcripts.ts";
import type { Transcript } from "./transcripts.ts";

/** What `findClaude` gives, or a program of one's own. */
export interface CliProgram {
  readonly command: string;
  /** Before the CLI's own arguments: a script that the command runs. */
  readonly prefixArgs?: readonly string[];
  /** Flags that this version lacks are left out. Without it the newest one is assumed. */
  readonly version?: string;
}

export interface HostOptions {
  readonly store: EventStore;
  readonly claude: CliProgram;
  /** The environment of a process with this marker; nothing is inherited beside it. */
  readonly environment: (marker: string) => Readonly<Record<string, string>>;
  /** Which folders are trusted. One that is not runs none of its own hooks and servers. Without it, all are. */
  readonly trust?: TrustStore;
  /** Names the data directory in the marker of its processes. */
  readonly dataDirId?: string;
  /**
   * Ends a process that has been idle for so long; the session stays and can be resumed. Never one with open requests,
   * queued prompts or background work. Without it nothing ends on a timer.
   */
  readonly releaseIdleAfterMs?: number;
  /** How many processes may live at once; further starts wait. */
  readonly maxLive?: number;
  readonly onError?: (error: unknown) => void;
}

export interface StartOptions extends Pick<SessionOptions, "hooks" | "servers" | "initialize"> {
  readonly cwd: string;
  /** Flags of the CLI, beside those that a host needs. */
  readonly cli?: ClaudeOptions;
  readonly title?: string;
  /** What the session answers with: zod or JSON Schema. `session.askFor` gives it typed. */
  readonly output?: OutputSchema;
}

/** Where the version has them: what a host wants to see. */
const WANTED = { includeHookEvents: true, forwardSubagentText: true } as const satisfies ClaudeOptions;

export class Host {
  readonly #options: HostOptions;
  readonly #dataDirId: string;
  readonly #sessions = new Map<string, Session>();
  readonly #live = new Set<string>();
  readonly #waiting: (() => void)[] = [];
  readonly #starts = new Map<string, Pick<StartOptions, "hooks" | "servers" | "initialize">>();
  readonly #listeners = new Set<(id: string) => void>();
  #closed = false;
  readonly #idleTimer: NodeJS.Timeout | undefined;

  private constructor(options: HostOptions) {
    this.#options = options;
    this.#dataDirId = options.dataDirId ?? randomUUID();
    const { releaseIdleAfterMs: limit } = options;
    if (limit !== undefined)
      this.#idleTimer = setInterval(() => this.#releaseIdle(limit), Math.max(20, limit / 4)).unref();
  }

  #releaseIdle(limit: number): void {
    for (const id of this.#live) {
      const session = this.#sessions.get(id);
      if (session !== undefined && isAtRest(session.head) && Date.now() - session.head.lastEventAt > limit) {
        session.close({ interrupt: false }).catch((error: unknown) => this.#options.onError?.(error));
      }
    }
  }

  /** Ends what an earlier host of the same data directory left running, before anything is resumed. */
  static async open(options: HostOptions): Promise<Host> {
    if (options.dataDirId !== undefined) await endOrphans(options.dataDirId);
    return new Host(options);
  }

  list(): readonly (SessionRecord & { readonly live: boolean })[] {
    return this.#options.store.sessions().map((record) => ({ ...record, live: this.#live.has(record.id) }));
  }

  /** Tells the id of every session that is opened, whose record or process has come or gone, or that is deleted. */
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
    return this.#sessions.get(id);
  }

  /** A session as the log has it; with a process only after `start` or `resume`. */
  get(id: string): Session {
    const open = this.#sessions.get(id);
    if (open !== undefined) return open;
    this.#record(id);
    const { store, onError } = this.#options;
    const session = new Session({ id, store, ...this.#starts.get(id), ...(onError !== undefined && { onError }) });
    this.#sessions.set(id, session);
    session.noteLostProcess();
    this.#tell(id);
    return session;
  }

  async start(options: StartOptions): Promise<Session> {
    const id = options.cli?.sessionId ?? randomUUID();
    await this.#put(id, options, { sessionId: id });
    return this.#launch(id, { sessionId: id });
  }

  /** Goes on where the session ended. What it was asked and not told to anybody is delivered. */
  async resume(id: string): Promise<Session> {
    const record = this.#record(id);
    if (this.#live.has(id)) throw new HostError("session-live", "This session has a process already.", { id });
    const { sessionId } = this.get(id).head;
    // Before its first turn the CLI keeps nothing that could be resumed.
    return this.#launch(id, sessionId === undefined ? { sessionId: record.cliSessionId ?? id } : { resume: sessionId });
  }

  /** Takes over a session of the CLI's own, started in a terminal: its past is imported, and `resume` goes on with it. */
  async adopt(transcript: Transcript, options: Pick<StartOptions, "cli" | "title"> = {}): Promise<Session> {
    const known = this.list().find((record) => record.cliSessionId === transcript.id);
    if (known !== undefined) return this.get(known.id);
    const cwd = transcript.cwd ?? process.cwd();
    const title = options.title ?? transcript.firstPrompt?.slice(0, 80);
    await this.#put(
      transcript.id,
      { ...options, cwd, ...(title !== undefined && { title }) },
      { sessionId: transcript.id },
    );
    const events = await readTranscript(transcript.path);
    const facts = events.map(({ seq: _seq, at, ...fact }) => ({ at, fact }));
    for (let from = 0; from < facts.length; from += 500) {
      await this.#options.store.append(transcript.id, facts.slice(from, from + 500));
    }
    return this.get(transcript.id);
  }

  /** A new session with the same past, or with its past up to one message (by uuid); the old one does not notice. */
  async fork(id: string, options: { readonly title?: string; readonly at?: string } = {}): Promise<Session> {
    const record = this.#record(id);
    const parent = this.get(id);
    const cliId = parent.head.sessionId ?? record.cliSessionId ?? id;
    const forked = randomUUID();
    const title = options.title ?? record.title;
    await this.#put(
      forked,
      { cwd: record.cwd, ...(title !== undefined && { title }), cli: cliOf(record) },
      { sessionId: forked },
    );
    await this.#copyFacts(id, forked, options.at);
    const at = options.at === undefined ? {} : { resumeSessionAt: options.at };
    return this.#launch(forked, { resume: cliId, forkSession: true, sessionId: forked, ...at });
  }

  async rename(id: string, title: string): Promise<void> {
    await this.#options.store.putSession({ ...this.#record(id), title, updatedAt: Date.now() });
    this.#tell(id);
    if (this.#live.has(id)) await this.get(id).request({ subtype: "rename_session", title });
  }

  async archive(id: string, archived = true): Promise<void> {
    await this.#options.store.putSession({ ...this.#record(id), archived, updatedAt: Date.now() });
    this.#tell(id);
  }

  async delete(id: string): Promise<void> {
    this.#record(id);
    await this.#sessions.get(id)?.close();
    this.#sessions.delete(id);
    await this.#options.store.deleteSession(id);
    this.#tell(id);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#idleTimer);
    for (const wake of this.#waiting.splice(0)) wake();
    await Promise.all([...this.#sessions.values()].map((session) => session.close()));
    await this.#options.store.close();
  }

  #record(id: string): SessionRecord {
    const record = this.#options.store.session(id);
    if (record === undefined) throw new HostError("unknown-session", `There is no session ${id}.`, { id });
    return record;
  }

  async #put(id: string, options: StartOptions, cli: { readonly sessionId: string }): Promise<void> {
    const { cwd, title, hooks, servers, initialize, output } = options;
    const flags = { ...options.cli, ...(output !== undefined && { jsonSchema: jsonSchemaOf(output) }) };
    // Refused before anything is kept or spawned.
    argvOf(this.#flags({ ...flags, ...cli }), this.#version);
    this.#starts.set(id, {
      ...(hooks !== undefined && { hooks }),
      ...(servers !== undefined && { servers }),
      ...(initialize !== undefined && { initialize }),
    });
    const now = Date.now();
    await this.#options.store.putSession({
      id,
      createdAt: now,
      updatedAt: now,
      cwd,
      archived: false,
      cliSessionId: id,
      settings: { cli: flags },
      ...(title !== undefined && { title }),
    });
  }

  #flags(cli: ClaudeOptions): ClaudeOptions {
    return { ...WANTED, permissionMode: "default", ...cli, ...HOST_OPTIONS };
  }

  get #version(): { readonly version?: string } {
    const { version } = this.#options.claude;
    return version === undefined ? {} : { version };
  }

  async #launch(id: string, cli: ClaudeOptions): Promise<Session> {
    const record = this.#record(id);
    const session = this.get(id);
    const { claude, environment, trust } = this.#options;
    const incarnation = (session.head.process?.incarnation ?? 0) + 1;
    const marker = sessionMarker({ dataDirId: this.#dataDirId, sessionId: id, incarnation });
    const trusted = trust === undefined || (await isTrusted(record.cwd, trust));
    const flags = this.#flags({ ...cliOf(record), ...cli });
    const { argv, lacking } = argvOf(trusted ? flags : untrustedOptions(flags), this.#version);
    refuseUnsafe(lacking);
    const env = environment(marker);
    const narrowed = trusted ? {} : await untrustedEnvironment(record.cwd, env);
    await this.#takeSlot(id);
    try {
      await session.start(
        (events) =>
          startCliProcess({
            command: claude.command,
            prefixArgs: claude.prefixArgs ?? [],
            argv,
            cwd: record.cwd,
            env: { ...env, ...narrowed },
            marker,
            ...this.#version,
            ...events,
          }),
        { cwd: record.cwd, ...this.#version, ...(flags.jsonSchema !== undefined && { output: flags.jsonSchema }) },
      );
    } finally {
      void session.ended.then(() => this.#freeSlot(id));
    }
    return session;
  }

  async #takeSlot(id: string): Promise<void> {
    const { maxLive = Infinity } = this.#options;
    while (this.#live.size >= maxLive && !this.#closed)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.#closed) throw new HostError("closed", "The host is closed.");
    this.#live.add(id);
    this.#tell(id);
  }

  #freeSlot(id: string): void {
    this.#live.delete(id);
    this.#tell(id);
    this.#waiting.shift()?.();
  }

  /** All facts, or those up to the message with this uuid. */
  async #copyFacts(from: string, to: string, upTo?: string): Promise<void> {
    const { store } = this.#options;
    for (let after = 0; ;) {
      const page = store.read(from, after, 1000);
      const end = page.findIndex((event) => isMessage(event, upTo));
      const events = end === -1 ? page : page.slice(0, end + 1);
      if (events.length === 0) return;
      await store.append(
        to,
        events.map(({ seq: _seq, at, ...fact }) => ({ at, fact })),
      );
      if (end !== -1) return;
      after = page.at(-1)!.seq;
    }
  }
}

const isMessage = (event: Event, uuid: string | undefined): boolean =>
  uuid !== undefined && event.type === "received" && (event.message as { uuid?: unknown } | null)?.uuid === uuid;

const isAtRest = ({ phase, requests, queue, tasks }: Head): boolean =>
  (phase === "idle" || phase === "ready" || phase === "error") &&
  requests.length === 0 &&
  queue.length === 0 &&
  tasks.every((task) => task.endedAt !== undefined);

const cliOf = (record: SessionRecord): ClaudeOptions => {
  const { sessionId: _id, ...cli } = (record.settings["cli"] ?? {}) as ClaudeOptions;
  return cli;
};

/** A flag that narrows what the CLI may do must not be lost in silence. */
const refuseUnsafe = (lacking: readonly LackingFlag[]): void => {
  const unsafe = lacking.filter(({ option }) => NARROWING.has(option));
  if (unsafe.length === 0) return;
  const flags = unsafe.map(({ flag }) => flag).join(", ");
  throw new HostError(
    "invalid-answer",
    `This version of the CLI lacks ${flags}, without which it would be allowed more.`,
    { flags },
  );
};
const NARROWING: ReadonlySet<string> = new Set([
  "restricted",
  "safeMode",
  "strictMcpConfig",
  "settingSources",
  "disallowedTools",
  "permissionPrompts",
]);
