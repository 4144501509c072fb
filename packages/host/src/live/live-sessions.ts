// Which sessions have a process, and how they get one: a plan, a place among the live sessions, the spawn, and the
// cleanup.

import { isAbsolute } from "node:path";
import { argvOf } from "@quarterdeck/protocol";
import type { ClaudeOptions } from "@quarterdeck/protocol";
import { isResting } from "@quarterdeck/session";
import { startCliProcess } from "../process/cli-process.ts";
import { sessionMarker } from "../process/descendants.ts";
import type { SessionRecord } from "../store/event-store.ts";
import type { FolderGuard } from "../trust/folder-guard.ts";
import { HostError } from "../host-error.ts";
import type { HostOptions, LaunchOptions } from "../host-options.ts";
import { canBypass, planLaunch, planStillTrusted } from "../process/launch-plan.ts";
import type { LaunchWishes } from "../process/launch-plan.ts";
import { LiveSlots } from "./live-slots.ts";
import { releaseOne, watchLive } from "./live-watch.ts";
import type { WatchedSession } from "./live-watch.ts";
import { PrivateFiles } from "../process/private-files.ts";
import type { KeptPrivate } from "../process/private-files.ts";
import { ownerOf } from "../session/session.ts";
import type { Session } from "../session/session.ts";
import type { HeededFolder, InProcess } from "../session/session-process.ts";

export interface Spawn {
  readonly record: SessionRecord;
  readonly session: Session;
  readonly cli: ClaudeOptions;
  readonly inProcess: InProcess;
  /** Undefined: keep permissions only if the host ended the last process itself. */
  readonly keepPermissions: boolean | undefined;
  /** Whether the process must ask the policies before each call. Asked right before it starts. */
  readonly asksPolicies: () => boolean;
  readonly options: LaunchOptions;
}

/** A session that became idle just now will often get another prompt soon, so it is not released yet. */
const RESTED_MS = 2000;

interface Held {
  readonly folder: HeededFolder;
  readonly watch: () => void;
  readonly stop: () => void;
}

export class LiveSessions {
  readonly #options: HostOptions;
  readonly #dataDirId: string;
  readonly #onChange: (session: Session, isLive: boolean) => void;
  readonly #slots: LiveSlots;
  readonly #live = new Map<string, WatchedSession>();
  /** Sessions whose last process the host ended by itself, without a request of the user. */
  readonly #released = new Set<string>();
  readonly #stopWatching: () => void;
  readonly #files: PrivateFiles;
  readonly #changed = new Set<string>();
  readonly #guard: FolderGuard | undefined;
  #makesRoom = false;
  #isClosed = false;

  /** `onChange` is called when a session gets a process and when the process has ended. */
  constructor(
    options: HostOptions,
    dataDirId: string,
    guard: FolderGuard | undefined,
    onChange: (session: Session, isLive: boolean) => void,
  ) {
    this.#options = options;
    this.#guard = guard;
    this.#dataDirId = dataDirId;
    this.#onChange = onChange;
    this.#slots = new LiveSlots(options.maxLive);
    this.#files = new PrivateFiles(options.privateFolder);
    this.#stopWatching = watchLive({
      live: () => this.#all,
      onRelease: this.#onRelease,
      releaseIdleAfterMs: options.releaseIdleAfterMs,
      memory: options.memory,
      onError: (error) => options.onError?.(error),
    });
  }

  readonly #onRelease = ({ id }: Session): void => void this.#released.add(id);

  has(id: string): boolean {
    return this.#slots.has(id);
  }

  /** Waits until a closing process is gone, so that the next one can start. */
  async untilGone(id: string, signal?: AbortSignal): Promise<void> {
    const one = this.#live.get(id);
    if (one === undefined || !isLeaving(one)) return;
    const { promise, reject } = Promise.withResolvers<never>();
    const leave = (): void => reject(new HostError("request-aborted", "The caller stopped waiting for the session."));
    signal?.addEventListener("abort", leave, { once: true });
    if (signal?.aborted === true) leave();
    try {
      await Promise.race([one.session.ended, promise]);
    } finally {
      signal?.removeEventListener("abort", leave);
    }
  }

  get pids(): ReadonlySet<number> {
    return new Set(this.#all.flatMap(({ session }) => session.head.process?.pid ?? []));
  }

  get waits(): readonly object[] {
    return this.#slots.waits;
  }

  get load(): { readonly live: number; readonly waiting: number } {
    return { live: this.#slots.size, waiting: this.#slots.waiting };
  }

  /** Until this resolves nothing has been spawned; what it gives spawns, and waits for `initialize`. */
  async prepare({
    record,
    session,
    cli,
    inProcess,
    keepPermissions,
    asksPolicies,
    options,
  }: Spawn): Promise<() => Promise<void>> {
    const { claude, environment, trust, closedPaths } = this.#options;
    const { id, cwd } = record;
    const { relay } = options;
    const incarnation = (session.head.process?.incarnation ?? 0) + 1;
    const marker = sessionMarker({ dataDirId: this.#dataDirId, sessionId: id, incarnation });
    const keeps = (keepPermissions ?? this.#released.has(id)) && session.head.process !== undefined;
    const version = claude.version === undefined ? {} : { version: claude.version };
    const wishes: LaunchWishes = {
      cwd,
      cli,
      env: environment(marker, cwd, inProcess.environment),
      ...(relay !== undefined && { relayed: true }),
      ...version,
      ...(trust !== undefined && { trust }),
      ...(closedPaths !== undefined && { closedPaths }),
      ...(options.withoutFolderSettings !== undefined && { withoutFolderSettings: options.withoutFolderSettings }),
      ...(keeps && { keep: session.head }),
      ...(session.head.mode !== undefined && { mode: session.head.mode }),
    };
    const planned = await planLaunch(wishes);
    await this.#takePlace(id, options.signal);
    const { command, prefixArgs = [] } = claude;
    const { signal, timeoutMs } = options;
    return async () => {
      const plan = await planStillTrusted(planned, wishes).catch((error: unknown) => {
        this.#slots.free(id);
        throw error;
      });
      const { env, flags, leftOut } = plan;
      const held = plan.heedsFolder ? this.#holdTo(session, cwd, plan.added) : undefined;
      const about = {
        cwd,
        patience: { ...(signal !== undefined && { signal }), ...(timeoutMs !== undefined && { timeoutMs }) },
        ...version,
        ...(keeps && ({ keptPermissions: true } as const)),
        ...(leftOut.length > 0 && { leftOut }),
        mode: plan.mode,
        ...(asksPolicies() && ({ asksPolicies: true } as const)),
        ...(canBypass(flags) && ({ canBypass: true } as const)),
        ...(plan.ignoredMode !== undefined && { ignoredMode: plan.ignoredMode }),
        ...(flags.debugFile !== undefined && { debugFile: flags.debugFile }),
        ...(held !== undefined && { folder: held.folder }),
        ...(flags.jsonSchema !== undefined && { output: flags.jsonSchema }),
        flags,
      };
      // The host was closed meanwhile, so nobody would end the process.
      if (this.#isClosed) throw new HostError("closed", "The host is closed.");
      let kept: KeptPrivate | undefined;
      this.#live.set(id, { session, marker });
      this.#released.delete(id);
      this.#changed.delete(id);
      this.#onChange(session, true);
      held?.watch();
      try {
        kept = this.#files.keep(flags);
        const argv = [...argvOf(kept.flags, version).argv, ...(relay?.call.extra ?? [])];
        const initialize = { ...kept.initialize, ...inProcess.initialize };
        await ownerOf(session).start(
          (events) => startCliProcess({ command, prefixArgs, argv, cwd, env, marker, ...version, ...events }),
          { ...about, ...(relay !== undefined && { relay }), inProcess: { ...inProcess, initialize } },
        );
      } finally {
        void session.ended.then(() => {
          kept?.remove();
          held?.stop();
          this.#slots.free(id);
          this.#live.delete(id);
          this.#onChange(session, false);
        });
      }
    };
  }

  /** The checks for a process that loads its folder's settings, from its start to its end. */
  #holdTo(session: Session, cwd: string, added: readonly string[]): Held | undefined {
    const guard = this.#guard;
    if (guard === undefined) return undefined;
    // Additional folders are checked but not watched: the CLI loads their commands and skills, but reloads no settings
    // there.
    const folders = new Set(added.filter((folder) => folder !== cwd));
    const stops: (() => void)[] = [];
    const watch = (folder: string): void => {
      if (folders.has(folder)) return;
      folders.add(folder);
      stops.push(guard.watch(folder, (file) => this.#leaveChanged(session, [file])));
    };
    return {
      watch: () => watch(cwd),
      stop: () => stops.forEach((stop) => stop()),
      folder: {
        holds: async (reading) => {
          const holds = await Promise.all([...folders].map((folder) => guard.holds(folder, reading)));
          if (!holds.includes(false)) return true;
          // A running turn may end normally, because a watch covers the files that the CLI reloads during a turn.
          if (isResting(session.head.phase)) this.#leaveChanged(session, []);
          return false;
        },
        admits: async (path) => {
          // Only the CLI knows which folder a relative path starts from.
          if (!isAbsolute(path) || !(await guard.admits(path))) return false;
          watch(path);
          return true;
        },
      },
    };
  }

  /**
   * Kills a process before it runs what nobody has trusted. A CLI that ends by itself runs the hooks for its end, and reloads a changed file
   * after a second. Its permissions are kept, because the user did not end it.
   */
  #leaveChanged(session: Session, files: readonly string[]): void {
    if (!session.isLive || session.isLeaving) return;
    this.#released.add(session.id);
    this.#changed.add(session.id);
    const fail = (error: unknown): void => this.#options.onError?.(error);
    ownerOf(session).note({ type: "folder-changed", files }).catch(fail);
    session.close({ kill: true }).catch(fail);
  }

  /** Sessions without a process, because the host ended it when their folder changed. */
  get changed(): ReadonlySet<string> {
    return this.#changed;
  }

  async #takePlace(id: string, signal: AbortSignal | undefined): Promise<void> {
    const taken = this.#slots.take(id, signal);
    const makeRoom = (): void => {
      this.#makeRoom().catch((error: unknown) => this.#options.onError?.(error));
    };
    const { makesRoom = false } = this.#options;
    if (makesRoom) makeRoom();
    // A session that is busy now may become idle later.
    const timer = makesRoom ? setInterval(makeRoom, RESTED_MS) : undefined;
    try {
      await taken;
    } finally {
      clearInterval(timer);
    }
  }

  /**
   * An end takes time. The host never ends more processes than starts are waiting, and counts ends that others began.
   */
  async #makeRoom(): Promise<void> {
    if (this.#makesRoom) return;
    this.#makesRoom = true;
    try {
      let isReleased = true;
      while (isReleased && this.#slots.waiting > this.#leaving)
        isReleased = await releaseOne(this.#all, RESTED_MS, this.#onRelease);
    } finally {
      this.#makesRoom = false;
    }
  }

  get #all(): readonly WatchedSession[] {
    return [...this.#live.values()];
  }

  get #leaving(): number {
    return this.#all.filter(isLeaving).length;
  }

  /** Rejects every later start. */
  close(): void {
    this.#isClosed = true;
    this.#stopWatching();
    this.#slots.close();
  }
}

/** True also after the process has exited, while its cleanup is still running. */
const isLeaving = ({ session }: WatchedSession): boolean => !session.isLive || session.isLeaving;
