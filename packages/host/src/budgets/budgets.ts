// Enforces budgets. The CLI reports cost when a turn ends, so the check comes then, and a running turn can exceed the budget.
// At 80 % the session says so. At 100 % its turn is interrupted, queued prompts are held, and no prompt is taken until the budget is raised.

import { isRunning } from "@quarterdeck/session";
import type { Fact, Head, Spending } from "@quarterdeck/session";
import { HostError } from "../host-error.ts";
import type { BudgetLimits, BudgetStore } from "./budget-store.ts";

export type BudgetNotedFact = Extract<Fact, { type: "budget-noted" }>;

/** What the budgets need of a session. */
export interface BudgetedSession {
  readonly id: string;
  readonly head: Head;
  readonly isLive: boolean;
  stop(options: { readonly timeoutMs: number }): Promise<unknown>;
}

export interface Spender {
  readonly id: string;
  /** A fork has only its own turns here. */
  readonly spent?: readonly Spending[];
  /** Set if the session shows that a budget is near or reached. */
  readonly budget?: "near" | "reached";
}

export interface BudgetParts {
  readonly store: BudgetStore;
  /** All sessions, with what they have spent. */
  readonly spenders: () => readonly Spender[];
  readonly spender: (id: string) => Spender;
  /** The sessions in memory. */
  readonly opened: () => readonly BudgetedSession[];
  /** Opens a session that is not in memory. */
  readonly open: (id: string) => BudgetedSession;
  /** Hands over prompts that waited for the budget. */
  readonly deliver: (session: BudgetedSession) => void;
  readonly note: (session: BudgetedSession, note: BudgetNotedFact) => Promise<unknown>;
  readonly onError: (error: unknown) => void;
  readonly now?: () => number;
}

const NEAR = 0.8;
const HOUR_MS = 3_600_000;
const STOP_MS = 30_000;
/** Timers cannot wait longer than this, and a laptop may sleep meanwhile. */
const LOOK_AGAIN_MS = 600_000;

export class Budgets {
  readonly #parts: BudgetParts;
  readonly #now: () => number;
  /** Cost of each session when it was last looked at. */
  readonly #seen = new WeakMap<BudgetedSession, number>();
  readonly #stopping = new WeakSet<BudgetedSession>();
  readonly #noting = new WeakMap<BudgetedSession, Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  #day: number;

  constructor(parts: BudgetParts) {
    this.#parts = parts;
    this.#now = parts.now ?? Date.now;
    this.#day = startOfDay(this.#now());
    this.#timer = setInterval(() => this.#atMidnight(), LOOK_AGAIN_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  get limits(): BudgetLimits {
    return this.#parts.store.limits();
  }

  /** What all sessions together have spent since midnight. */
  spentToday(): number {
    const first = Math.floor(startOfDay(this.#now()) / HOUR_MS);
    return this.#parts.spenders().reduce((sum, { spent }) => sum + spentSince(spent ?? [], first), 0);
  }

  spentBy(id: string): number {
    return spentSince(this.#parts.spender(id).spent ?? [], 0);
  }

  /** The own limit of a session, or the one for each session. */
  limitOf(id: string): number | undefined {
    const { sessions, eachUsd } = this.limits;
    return Object.hasOwn(sessions, id) ? (sessions[id] ?? undefined) : eachUsd;
  }

  /** What the budgets say about a session now. */
  judge(id: string): BudgetNotedFact {
    const { dayUsd } = this.limits;
    const own = this.limitOf(id);
    const notes = [
      ...(own === undefined ? [] : [noteOf("session", this.spentBy(id), own)]),
      ...(dayUsd === undefined ? [] : [noteOf("day", this.spentToday(), dayUsd)]),
    ];
    return worst(notes) ?? { type: "budget-noted", state: "free", scope: "session", spentUsd: 0, limitUsd: 0 };
  }

  /** Throws if no prompt may be taken now. Without a session, only the budget of the day counts. */
  mustAfford(id?: string): void {
    const { dayUsd } = this.limits;
    const note =
      id === undefined ? (dayUsd === undefined ? undefined : noteOf("day", this.spentToday(), dayUsd)) : this.judge(id);
    if (note?.state !== "reached") return;
    const whose = note.scope === "day" ? "Today's budget" : "The budget of this session";
    throw new HostError(
      "budget-reached",
      `${whose} is spent: $${note.spentUsd.toFixed(2)} of $${note.limitUsd.toFixed(2)}. Raise it, then send the message again.`,
      { scope: note.scope, spentUsd: note.spentUsd, limitUsd: note.limitUsd },
    );
  }

  /** After each fact of a session. Cheap, unless its cost has changed or it works against a spent budget. */
  onFact(session: BudgetedSession): void {
    const { budget, phase, gauges } = session.head;
    const before = this.#seen.get(session);
    this.#seen.set(session, gauges.costUsd);
    if (budget?.state === "reached" && isRunning(phase)) this.#stop(session);
    if (before === undefined || before === gauges.costUsd) return;
    this.look(session);
    // What one session spends counts for the day of all.
    if (this.limits.dayUsd !== undefined)
      for (const other of this.#parts.opened()) if (other !== session && other.isLive) this.look(other);
  }

  /** Compares what the session shows with what the budgets say. */
  look(session: BudgetedSession): void {
    const noting = (this.#noting.get(session) ?? Promise.resolve())
      .then(() => this.#look(session))
      .catch(this.#parts.onError);
    this.#noting.set(session, noting);
  }

  async #look(session: BudgetedSession): Promise<void> {
    const { budget } = session.head;
    const note = this.judge(session.id);
    const isSame =
      note.state === (budget?.state ?? "free") &&
      (note.state === "free" || (note.scope === budget?.scope && note.limitUsd === budget.limitUsd));
    // A budget that stays spent is noted again if the sum has grown, so that people see what they owe.
    if (!isSame || (note.state !== "free" && note.spentUsd !== budget?.spentUsd)) await this.#parts.note(session, note);
    if (note.state !== "reached") this.#parts.deliver(session);
    else if (isRunning(session.head.phase)) this.#stop(session);
  }

  /** A session was read into memory, or got a process. */
  onOpened(session: BudgetedSession): void {
    this.#seen.set(session, session.head.gauges.costUsd);
    if (session.isLive || session.head.budget != null) this.look(session);
  }

  /** A person changes the limits. */
  change(limits: BudgetLimits): void {
    this.#parts.store.set(limits);
    this.#lookAtAll();
  }

  /** Forgets the budget of a deleted session. */
  forget(id: string): void {
    const { sessions, ...rest } = this.limits;
    if (!Object.hasOwn(sessions, id)) return;
    const { [id]: _gone, ...others } = sessions;
    this.#parts.store.set({ ...rest, sessions: others });
  }

  /** Live sessions, and all that show a mark, also those that are not in memory. */
  #lookAtAll(): void {
    const live = this.#parts.opened().filter((session) => session.isLive);
    for (const session of live) this.look(session);
    const ids = new Set(live.map(({ id }) => id));
    for (const { id, budget } of this.#parts.spenders())
      if (budget !== undefined && !ids.has(id)) this.look(this.#parts.open(id));
  }

  #atMidnight(): void {
    const day = startOfDay(this.#now());
    if (day === this.#day) return;
    this.#day = day;
    this.#lookAtAll();
  }

  #stop(session: BudgetedSession): void {
    if (!session.isLive || this.#stopping.has(session)) return;
    this.#stopping.add(session);
    session
      .stop({ timeoutMs: STOP_MS })
      .catch((error: unknown) => {
        // Its process has ended meanwhile: that stops it, too.
        if (!(error instanceof HostError)) this.#parts.onError(error);
      })
      .finally(() => this.#stopping.delete(session));
  }
}

const noteOf = (scope: "session" | "day", spentUsd: number, limitUsd: number): BudgetNotedFact => ({
  type: "budget-noted",
  state: spentUsd >= limitUsd ? "reached" : spentUsd >= limitUsd * NEAR ? "near" : "free",
  scope,
  spentUsd,
  limitUsd,
});

const RANKS = { free: 0, near: 1, reached: 2 } as const;
const worst = (notes: readonly BudgetNotedFact[]): BudgetNotedFact | undefined =>
  notes.toSorted((a, b) => RANKS[b.state] - RANKS[a.state])[0];

const startOfDay = (at: number): number => new Date(at).setHours(0, 0, 0, 0);

/** Entries are in the order of their hours. */
const spentSince = (spent: readonly Spending[], firstHour: number): number => {
  let sum = 0;
  for (let at = spent.length - 1; at >= 0 && spent[at]!.hour >= firstHour; at--)
    for (const { costUsd } of Object.values(spent[at]!.byModel)) sum += costUsd;
  return sum;
};
