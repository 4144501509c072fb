// Group commit. What is handed in within one turn of the event loop, or while a commit is under way, goes into the next
// one, up to a bound; one commit runs at a time, and everything settles in the order in which it came. It knows no database.

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
  /** The facts as text, as they were when they were handed in. */
  readonly bodies: readonly string[];
  readonly characters: number;
  /** The `seq` of the first of them, once it has one. */
  first: number;
}

/** Rows of a fold that is too large for one commit; the fold itself follows when all of them are kept. */
export interface RowSlice {
  readonly kind: "rows";
  readonly session: string;
  readonly version: number;
  readonly rows: readonly Row[];
  /** With this slice, every row of the fold up to this `rev` is kept. */
  readonly upTo: number;
  /** The fold goes on from one that is kept whole. */
  readonly isPartial: boolean;
}

/** Either deletes alone or everything but deletes. Gives the sessions whose writes were not kept, and why. */
export type Commit = (writes: readonly Write[]) => Promise<ReadonlyMap<string, unknown>>;

/** Large enough that a disk that takes half a second for a commit still keeps up with 4,000 facts a second. */
const MOST_FACTS = 2000;
const MOST_CHARACTERS = 4 * 1024 * 1024;

interface Entry {
  write: Write;
  readonly waiters: { resolve: () => void; reject: (error: unknown) => void }[];
}

interface Outcome {
  readonly entries: readonly Entry[];
  /** By session. */
  readonly failed: ReadonlyMap<string, unknown>;
}

export class WriteQueue {
  readonly #commit: Commit;
  #entries: Entry[] = [];
  /** What a later write of the same kind replaces, since the last delete. */
  readonly #replaceable = new Map<string, Entry>();
  #isCommitting = false;
  #isScheduled = false;
  #idle: (() => void)[] = [];
  #end: unknown;

  constructor(commit: Commit) {
    this.#commit = commit;
  }

  add(write: Write): Promise<void> {
    if (this.#end !== undefined) return Promise.reject(this.#end);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const key = keyOf(write);
    // It goes on from those that wait, and none may be put in their place.
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

  /** When all that was handed in has been settled. */
  idle(): Promise<void> {
    if (this.#entries.length === 0 && !this.#isCommitting) return Promise.resolve();
    this.#schedule();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Settles all that waits, and whatever comes. */
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

  /** Where not all of it can be kept, what a promise was given for is tried alone: a draft must not cost a fact its place. */
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

  /** A log has no holes, nor has a draft: what was to follow one that was not kept is not kept either. */
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

/** Rows, folds and drafts are made again from what is kept, or are due again in a moment. */
const isNeeded = ({ kind }: Write): boolean => kind === "append" || kind === "record" || kind === "delete";

/** What only adds to what was handed in before. */
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
