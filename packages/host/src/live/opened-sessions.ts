// The sessions in memory. It opens each one from its log, with its policies, budget and snapshots, and reports what changed.

import { homedir } from "node:os";
import type { PermissionUpdate } from "@quarterdeck/protocol";
import { FOLD_VERSION } from "@quarterdeck/session";
import type { Head } from "@quarterdeck/session";
import { Budgets } from "../budgets/budgets.ts";
import type { BudgetedSession } from "../budgets/budgets.ts";
import { Checkpoints } from "../checkpoints/checkpoints.ts";
import { HostError } from "../host-error.ts";
import type { HostOptions } from "../host-options.ts";
import { cliOf } from "../past/session-records.ts";
import type { SessionRecords } from "../past/session-records.ts";
import { configFolder } from "../past/transcripts.ts";
import { PolicyGate } from "../policies/policy-gate.ts";
import type { PolicyStore } from "../policies/policy-store.ts";
import { withChosen } from "../process/launch-plan.ts";
import { ExplainedCalls } from "../rules/explained-calls.ts";
import { searchSessions } from "../search-sessions.ts";
import { storedView } from "../session/readable-session.ts";
import type { ReadableSession } from "../session/readable-session.ts";
import { ownerOf, Session } from "../session/session.ts";
import type { Found, SearchFilter } from "../store/event-store.ts";
import type { FolderGuard } from "../trust/folder-guard.ts";
import { hasNewFace, overviewOf } from "./session-overview.ts";
import type { SessionOverview } from "./session-overview.ts";
import { SessionShelf } from "./session-shelf.ts";

/** Logs that one search reads, at most. */
const MOST_OPENED = 8;

export class OpenedSessions {
  readonly #options: HostOptions;
  readonly #records: SessionRecords;
  readonly #guard: FolderGuard | undefined;
  readonly #isLive: (id: string) => boolean;
  readonly #shelf = new SessionShelf();
  readonly #listeners = new Set<(id: string) => void>();
  readonly checkpoints: Checkpoints | undefined;
  readonly budgets: Budgets | undefined;

  constructor(
    options: HostOptions,
    records: SessionRecords,
    guard: FolderGuard | undefined,
    isLive: (id: string) => boolean,
  ) {
    this.#options = options;
    this.#records = records;
    this.#guard = guard;
    this.#isLive = isLive;
    this.checkpoints = this.#openCheckpoints();
    this.budgets = this.#openBudgets();
  }

  /** The session if it is in memory, because somebody follows it or it has a process. */
  find(id: string): Session | undefined {
    return this.#shelf.get(id);
  }

  /** A session from its log. It has a process only after `start` or `resume`. */
  get(id: string): Session {
    const open = this.#shelf.get(id);
    if (open !== undefined) return open;
    const { cwd } = this.#records.get(id);
    const { store, limits, onError, policies, explainsCalls } = this.#options;
    const session: Session = new Session({
      id,
      store,
      ...(onError !== undefined && { onError }),
      ...(limits !== undefined && { limits }),
      watchRules: (updates) => this.watchRules(cwd, updates),
      ...(policies !== undefined && { policies: this.gateOf(id, cwd, policies) }),
      ...(explainsCalls === true && {
        explained: new ExplainedCalls({ cwd, home: this.home, configDir: this.configDir }),
      }),
      onChosen: async (chosen) => {
        const record = this.#records.get(id);
        const cli = withChosen(cliOf(record), chosen);
        await this.#records.change(id, { settings: { ...record.settings, cli } });
      },
      mustAfford: () => {
        try {
          this.budgets?.mustAfford(id);
        } catch (error) {
          // The session says why, to everybody who looks at it.
          this.budgets?.look(session);
          throw error;
        }
      },
      beforePrompt: async (uuid, checked) => this.checkpoints?.beforePrompt(session, uuid, checked),
      onListeners: (count) => this.#shelf.hold(id, "listeners", count > 0),
      onFact: () => {
        this.checkpoints?.onFact(session);
        this.budgets?.onFact(session);
        if (hasNewFace(session)) this.tell(id);
      },
    });
    this.#shelf.put(session);
    ownerOf(session).noteLostProcess();
    this.budgets?.onOpened(session);
    this.tell(id);
    return session;
  }

  /** For reading: the session if it is in memory, else the stored rows if they are complete. */
  view(id: string): ReadableSession {
    this.#records.get(id);
    return this.#shelf.get(id) ?? storedView(this.#options.store, id, FOLD_VERSION) ?? this.get(id);
  }

  search(query: string, limit: number, filter?: SearchFilter): Found {
    return searchSessions(this.#options.store, [...this.all, ...this.#unsaved()], query, limit, filter);
  }

  /** Sessions that nobody opened since a crash: their log is ahead of the rows that are saved. */
  #unsaved(): readonly Session[] {
    return this.#options.store
      .list()
      .filter(({ record, lastSeq, summary }) => (summary?.seq ?? 0) < lastSeq && this.find(record.id) === undefined)
      .slice(0, MOST_OPENED)
      .flatMap(({ record }) => {
        try {
          return this.get(record.id);
        } catch {
          // A damaged log. The list of sessions tells about it.
          return [];
        }
      });
  }

  get all(): readonly Session[] {
    return this.#shelf.all;
  }

  forget(id: string): void {
    this.#shelf.forget(id);
  }

  /** All sessions, most recent first: phase, cost, open requests. It does not read their logs. */
  overviews(): readonly SessionOverview[] {
    return this.#options.store
      .list()
      .map((entry) => overviewOf(entry, this.#isLive(entry.record.id), this.#shelf.get(entry.record.id)));
  }

  overview(id: string): SessionOverview {
    const entry = this.#options.store.entry(id);
    if (entry === undefined) throw new HostError("unknown-session", `Session ${id} does not exist.`, { id });
    return overviewOf(entry, this.#isLive(id), this.#shelf.get(id));
  }

  /**
   * Reports the id of each session that was opened or deleted, or whose record, process or overview changed. The overview is
   * its phase, requests, queue, tasks, cost, names and rows.
   */
  subscribe(listener: (id: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(id: string): void {
    for (const listener of this.#listeners) {
      try {
        listener(id);
      } catch (error) {
        this.#options.onError?.(error);
      }
    }
  }

  /** A process of the session started or ended. */
  comesOrGoes({ id, head }: Session, isLive: boolean): void {
    this.#shelf.hold(id, "process", isLive);
    const session = this.#shelf.get(id);
    if (isLive && session !== undefined) {
      this.checkpoints?.warm(session);
      this.budgets?.onOpened(session);
    }
    this.tell(id);
    const record = isLive ? undefined : this.#options.store.session(id);
    if (record === undefined || head.sessionId === undefined || head.sessionId === record.cliSessionId) return;
    // After `/clear` or for a pull request, the CLI's session has another id.
    this.#options.store
      .putSession({ ...record, cliSessionId: head.sessionId })
      .catch((error: unknown) => this.#options.onError?.(error));
  }

  /** The CLI writes "always allow" rules into the folder. A folder must not lose its trust for that alone. */
  async watchRules(cwd: string, updates: readonly PermissionUpdate[]): Promise<() => Promise<void>> {
    return this.#guard === undefined ? async () => {} : this.#guard.expect(cwd, updates);
  }

  /** The folder of the CLI's user settings. */
  get configDir(): string {
    return configFolder(this.#options.environment("none:none:0"));
  }

  get home(): string {
    return this.#options.environment("none:none:0")["HOME"] ?? homedir();
  }

  /** What policies decide about calls of the session. */
  gateOf(id: string, cwd: string, store: PolicyStore): PolicyGate {
    const head = (): Head | Record<string, never> => this.#shelf.get(id)?.head ?? {};
    return new PolicyGate({ store, session: id, cwd, home: this.home, head });
  }

  #openCheckpoints(): Checkpoints | undefined {
    const { snapshots, onError } = this.#options;
    if (snapshots === undefined) return undefined;
    return new Checkpoints(
      { ...snapshots, ...(onError !== undefined && { onError }) },
      {
        cwdOf: ({ id, head }) => head.cwd ?? this.#records.get(id).cwd,
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

  #openBudgets(): Budgets | undefined {
    const { budgets, store, onError } = this.#options;
    if (budgets === undefined) return undefined;
    const sessionOf = ({ id }: BudgetedSession): Session => this.get(id);
    return new Budgets({
      store: budgets,
      spenders: () => this.overviews(),
      spender: (id) => this.overview(id),
      opened: () => this.#shelf.all,
      open: (id) => this.get(id),
      deliver: (session) => ownerOf(sessionOf(session)).deliver(),
      note: async (session, note) => {
        if (store.session(session.id) !== undefined) await ownerOf(sessionOf(session)).note(note);
      },
      onError: (error) => onError?.(error),
    });
  }
}
