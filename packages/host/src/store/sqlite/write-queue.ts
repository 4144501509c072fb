// Group commit. Writes that arrive within one turn of the event loop, or during a commit, share the next commit, up to
// a limit. One commit runs at a time, and writes settle in the order in which they came. This file knows no database.

import type { Row } from "@quarterdeck/session";
import { StoreError } from "../event-store.ts";
import type { FoldToSave, NewFact, SessionRecord } from "../event-store.ts";
import type { DraftWrites } from "./draft-pieces.ts";

export type Write =
  | Append
  | { readonly kind: "fold"; readonly session: string; readonly stored: FoldToSave }
  | RowSlice
  | { readonly kind: "record"; readonly session: string; readonly record: SessionRecord }
  | { readonly kind: "drafts"; readonly session: string; readonly drafts: DraftWrites }
  | { readonly kind: "delete"; readonly session: string };

export interface Append {
  readonly kind: "append";
  readonly session: string;
  readonly facts: readonly NewFact[];
  /** The facts as text, as they were when they were passed in. */
  readonly bodies: readonly string[];
  readonly characters: number;
  /** `seq` of the first fact, once it is assigned. */
  first: number;
}

/** Rows of a fold that is too large for one commit. The fold itself follows when all rows are stored. */
export interface RowSlice {
  readonly kind: "rows";
  readonly session: string;
  readonly version: number;
  readonly rows: readonly Row[];
  /** After this slice, every row of the fold up to this `rev` is stored. */
  readonly upTo: number;
  /** The fold continues a complete stored fold. */
  readonly isPartial: boolean;
}

/** Gets either only deletes or no deletes. Returns the sessions whose writes failed, and why. */
export type CommitWrites = (writes: readonly Write[]) => Promise<ReadonlyMap<string, unknown>>;

/** Large enough for 4,000 facts a second, even if the disk needs half a second per commit. */
const MOST_FACTS = 2000;
const MOST_CHARACTERS = 4 * 1024 * 1024;

interface Entry {
  write: Write;
  readonly waiters: { resolve: () => void; reject: (error: unknown) => void }[];
}

interface Outcome {
  readonly entries: readonly Entry[];
  /** Errors by session. */
  readonly failed: ReadonlyMap<string, unknown>;
}

export class WriteQueue {
  readonly #commit: CommitWrites;
  #entries: Entry[] = [];
  /** Writes that a later write of the same kind replaces, since the last delete. */
  readonly #replaceable = new Map<string, Entry>();
  #isCommitting = false;
  #isScheduled = false;
  #idle: (() => void)[] = [];
  #end: unknown;

  constructor(commit: CommitWrites) {
    this.#commit = commit;
  }

  add(write: Write): Promise<void> {
    if (this.#end !== undefined) return Promise.reject(this.#end);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const key = keyOf(write);
    // This write continues the waiting ones, so none of them may be replaced.
    if (goesOn(write)) this.#replaceable.delete(key);
    const waiting = this.#replaceable.get(key);
    if (waiting === undefined) {
      const entry: Entry = { write, waiters: [{ resolve, reject }] };
      this.#entries.push(entry);
      if (write.kind === "delete") this.#replaceable.clear();
      else if (!goesOn(write)) this.#replaceable.set(key, entry);
    } else {
      waiting.write = write;
      waiting.waiters.push({ resolve, reject });
    }
    this.#schedule();
    return promise;
  }

  /** Resolves when all writes are settled. */
  idle(): Promise<void> {
    if (this.#entries.length === 0 && !this.#isCommitting) return Promise.resolve();
    this.#schedule();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Rejects all waiting and all later writes. */
  end(error: unknown): void {
    this.#end = error;
    const waiting = this.#entries;
    this.#entries = [];
    this.#replaceable.clear();
    for (const { waiters } of waiting) for (const { reject } of waiters) reject(error);
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isCommitting) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isCommitting = true;
    while (this.#entries.length > 0) {
      for (const { entries, failed } of await this.#keep(this.#take())) {
        settle(entries, failed);
        this.#failFollowers(entries, failed);
      }
    }
    this.#isCommitting = false;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  /**
   * If a commit fails, facts, records and deletes are retried alone: drafts and folds must not cost a fact its place.
   */
  async #keep(entries: readonly Entry[]): Promise<readonly Outcome[]> {
    const failed = await this.#tryCommit(entries);
    const lost = entries.filter(({ write }) => failed.has(write.session));
    const needed = new Set(lost.filter(({ write }) => isNeeded(write)));
    if (needed.size === 0 || needed.size === lost.length) return [{ entries, failed }];
    const others = entries.filter((entry) => !needed.has(entry));
    const facts = [...needed];
    return [
      { entries: others, failed },
      { entries: facts, failed: await this.#tryCommit(facts) },
    ];
  }

  async #tryCommit(entries: readonly Entry[]): Promise<ReadonlyMap<string, unknown>> {
    try {
      return await this.#commit(entries.map(({ write }) => write));
    } catch (error) {
      return new Map(entries.map(({ write }) => [write.session, error]));
    }
  }

  #take(): Entry[] {
    const deletes = this.#entries[0]?.write.kind === "delete";
    let count = 0;
    let facts = 0;
    let characters = 0;
    for (const { write } of this.#entries) {
      if ((write.kind === "delete") !== deletes) break;
      if (write.kind === "append") {
        facts += write.facts.length;
        characters += write.characters;
        if (count > 0 && (facts > MOST_FACTS || characters > MOST_CHARACTERS)) break;
      }
      count++;
    }
    const taken = this.#entries.splice(0, count);
    for (const { write } of taken) this.#replaceable.delete(keyOf(write));
    return taken;
  }

  /** A log has no holes, and neither has a draft. If one write fails, the writes that continue it fail too. */
  #failFollowers(entries: readonly Entry[], failed: ReadonlyMap<string, unknown>): void {
    const follows = ({ kind }: Write): boolean => kind === "append" || kind === "drafts";
    const broken = new Set(
      entries.flatMap(({ write }) => (follows(write) && failed.has(write.session) ? keyOf(write) : [])),
    );
    if (broken.size === 0) return;
    const isFollower = ({ write }: Entry): boolean => follows(write) && broken.has(keyOf(write));
    const followers = this.#entries.filter(isFollower);
    this.#entries = this.#entries.filter((entry) => !isFollower(entry));
    settle(followers, failed);
  }
}

const keyOf = ({ kind, session }: Write): string => `${kind} ${session}`;

/** Rows and folds can be rebuilt from the log, and new drafts follow in a moment. */
const isNeeded = ({ kind }: Write): boolean => kind === "append" || kind === "record" || kind === "delete";

/** Whether the write only adds to earlier writes. */
const goesOn = (write: Write): boolean =>
  write.kind === "append" ||
  write.kind === "rows" ||
  write.kind === "drafts" ||
  (write.kind === "fold" && write.stored.partial !== undefined);

const settle = (entries: readonly Entry[], failed: ReadonlyMap<string, unknown>): void => {
  for (const { write, waiters } of entries) {
    for (const { resolve, reject } of waiters) {
      if (failed.has(write.session)) reject(failed.get(write.session));
      else resolve();
    }
  }
};

export const CLOSED = (): StoreError => new StoreError("closed", "The store is closed.");
