// The path of a session's events. Facts are committed to the store before anyone sees them, and drafts wait only for
// earlier facts. Everything is applied and reported in one order. This file owns the fold and knows no process.

import { randomUUID } from "node:crypto";
import { createFold, FOLD_VERSION, isPause } from "@quarterdeck/session";
import type { Draft, Event, Fact, Fold, Streamed } from "@quarterdeck/session";
import type { JsonValue } from "@quarterdeck/protocol";
import type { EventStore } from "../store/event-store.ts";
import { SharedTimer } from "./shared-timer.ts";
import { passingDelta, waitingDelta } from "./streamed-delta.ts";

export type Listener = (event: Event | Streamed) => void;

export interface RecorderOptions {
  readonly store: EventStore;
  readonly session: string;
  /** Called with true when too much waits for the disk, and with false when it is written. */
  readonly onPressure: (high: boolean) => void;
  /** Gets errors of listeners and of the store. None is swallowed. */
  readonly onError: (error: unknown) => void;
  /** Called after each applied fact, before the listeners. */
  readonly onFact?: () => void;
  /** Called with the number of listeners, whenever it changes. */
  readonly onListeners?: (count: number) => void;
  readonly now?: () => number;
}

const HIGH_WATER = 2000;
const LOW_WATER = 200;
/** The fold is saved after this many facts, and at each pause. Only saved rows can be searched. */
const SAVE_EVERY = 500;
/** An idle session that still changes, through a task or a hook, is saved once per this time. */
const SAVE_AT_REST_MS = 1000;
/** Shared by all sessions. */
const checkpoints = new SharedTimer(250);
/** Key of the data about all drafts. Other keys are draft ids, with their texts. */
const ABOUT = "about";

interface Waiting {
  readonly committed: Promise<readonly Event[]> | undefined;
  readonly streamed: Streamed | undefined;
  readonly settle: (events: readonly Event[]) => void;
  readonly fail: (error: unknown) => void;
}

interface KeptAbout {
  /** `seq` of the last fact before the checkpoint. */
  readonly seq: number;
  readonly drafts: readonly Omit<Draft, "text">[];
}

const endsDrafts = (event: Event): boolean =>
  event.type === "process-started" ||
  event.type === "process-exited" ||
  event.type === "drafts-left" ||
  (event.type === "received" && (event.message as { type?: unknown } | null)?.type === "result");

export class Recorder {
  readonly #options: RecorderOptions;
  readonly #now: () => number;
  readonly fold: Fold;
  readonly #listeners = new Set<Listener>();
  readonly #waiting: Waiting[] = [];
  #draining = false;
  #pressed = false;
  #savedSeq: number;
  /** The store has the rows up to this rev. Undefined: it must get all rows. */
  #savedRev: number | undefined;
  #saving: Promise<void> | undefined;
  /** Set after a save while idle, until the next one is allowed. */
  #restTimer: NodeJS.Timeout | undefined;
  #isDue = false;
  #hasCheckpoint = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    const { store, session } = options;
    const stored = store.loadFold(session, FOLD_VERSION);
    // Deltas of a process whose host died moved the fold further than the store knows. Clients that saw them must start
    // again.
    const isWhole = stored?.seq === store.lastSeq(session) && stored.fold.timeline.head.process?.running !== true;
    this.fold = createFold(stored?.fold, isWhole ? {} : { epoch: randomUUID() });
    this.#savedSeq = this.fold.seq;
    this.#savedRev = stored?.fold.timeline.rev;
    for (;;) {
      const events = store.read(session, this.fold.seq, 1000);
      for (const event of events) this.fold.apply(event);
      if (events.length < 1000) break;
    }
    // Saves the rebuilt fold, so that the next start need not rebuild it.
    this.#saveInTime();
  }

  /** Resolves when the fact is committed, applied and reported. */
  record(fact: Fact): Promise<Event> {
    const committed = this.#options.store.append(this.#options.session, [{ at: this.#now(), fact }]);
    return new Promise((resolve, reject) => {
      this.#enqueue({ committed, streamed: undefined, settle: ([event]) => resolve(event!), fail: reject });
    });
  }

  /** A delta is applied after the facts before it. */
  stream(message: JsonValue): void {
    const at = this.#now();
    if (!this.#draining) this.#apply(passingDelta(at, message));
    else {
      const streamed = waitingDelta(at, message);
      this.#enqueue({ committed: undefined, streamed, settle: () => {}, fail: () => {} });
    }
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    this.#options.onListeners?.(this.#listeners.size);
    return () => {
      this.#listeners.delete(listener);
      this.#options.onListeners?.(this.#listeners.size);
    };
  }

  /** Resolves when everything that was passed in is applied. */
  applied(): Promise<void> {
    return new Promise<void>((resolve) => {
      this.#enqueue({ committed: undefined, streamed: undefined, settle: () => resolve(), fail: () => resolve() });
    });
  }

  /** Unfinished blocks that a dead host had streamed, from its last checkpoint. */
  lostDrafts(): readonly Draft[] {
    const { store, session } = this.#options;
    try {
      const { [ABOUT]: about, ...texts } = store.loadDrafts(session);
      this.#hasCheckpoint = about !== undefined;
      if (about === undefined) return [];
      const kept = JSON.parse(about) as KeptAbout;
      // After the end of its turn, a draft is obsolete, even if nobody has deleted it.
      for (let after = kept.seq; after < this.fold.seq; after += 1000) {
        if (store.read(session, after, 1000).some(endsDrafts)) return [];
      }
      return kept.drafts.map((draft) => ({ ...draft, text: texts[draft.id] ?? "" }));
    } catch (error) {
      this.#options.onError(error);
      return [];
    }
  }

  /** Waits until everything is applied, then saves the fold. */
  async flush(): Promise<void> {
    await this.applied();
    this.#isDue = false;
    if (this.#hasCheckpoint) this.#options.store.saveDrafts(this.#options.session, {});
    this.#hasCheckpoint = false;
    clearTimeout(this.#restTimer);
    this.#restTimer = undefined;
    // The end of a save may start the next one.
    while (this.#saving !== undefined) await this.#saving;
    await this.#save();
  }

  #enqueue(waiting: Waiting): void {
    // Handled at once, so that a failed commit is not an unhandled rejection while it waits.
    waiting.committed?.catch(() => {});
    this.#waiting.push(waiting);
    if (!this.#pressed && this.#waiting.length > HIGH_WATER) this.#press(true);
    if (!this.#draining) void this.#drain();
  }

  async #drain(): Promise<void> {
    this.#draining = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      try {
        const events = next.committed === undefined ? [] : await next.committed;
        for (const event of events) this.#apply(event);
        if (next.streamed !== undefined) this.#apply(next.streamed);
        next.settle(events);
      } catch (error) {
        next.fail(error);
        this.#options.onError(error);
      }
      if (this.#pressed && this.#waiting.length < LOW_WATER) this.#press(false);
      this.#saveInTime();
    }
    this.#draining = false;
  }

  #press(high: boolean): void {
    this.#pressed = high;
    this.#options.onPressure(high);
  }

  #apply(event: Event | Streamed): void {
    this.fold.apply(event);
    if (event.type === "streamed") this.#checkpointSoon();
    else this.#options.onFact?.();
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.#options.onError(error);
      }
    }
  }

  #checkpointSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    checkpoints.add(this.#checkpointIfDue, this.#options.onError);
  }
  readonly #checkpointIfDue = (): void => {
    // A flush may have saved it meanwhile.
    if (!this.#isDue) return;
    this.#isDue = false;
    this.#checkpoint();
  };

  /** Passes whole texts. The store sees which text has grown and writes only the new part. */
  #checkpoint(): void {
    const { seq, drafts } = this.fold;
    if (drafts.length === 0 && !this.#hasCheckpoint) return;
    const kept: Record<string, string> = {};
    if (drafts.length > 0) {
      const about: KeptAbout = { seq, drafts: drafts.map(({ text: _text, ...draft }) => draft) };
      kept[ABOUT] = JSON.stringify(about);
      for (const { id, text } of drafts) kept[id] = text;
    }
    this.#hasCheckpoint = drafts.length > 0;
    this.#options.store.saveDrafts(this.#options.session, kept);
  }

  /** One save at a time. Nobody waits for it, and the fold continues meanwhile. */
  #saveInTime(): void {
    const unsaved = this.fold.seq - this.#savedSeq;
    const rests = isPause(this.fold.head.phase) && this.#restTimer === undefined;
    if (this.#saving !== undefined || unsaved < (rests ? 1 : SAVE_EVERY)) return;
    if (rests) {
      this.#restTimer = setTimeout(() => {
        this.#restTimer = undefined;
        this.#saveInTime();
      }, SAVE_AT_REST_MS).unref();
    }
    this.#saving = this.#save().finally(() => {
      this.#saving = undefined;
      this.#saveInTime();
    });
  }

  async #save(): Promise<void> {
    const { seq, rev, rowCount } = this.fold;
    if (seq === this.#savedSeq) return;
    const since = this.#savedRev;
    const fold = this.fold.save(since);
    this.#savedSeq = seq;
    this.#savedRev = rev;
    try {
      const part = since === undefined ? {} : { partial: { since, rowCount } };
      await this.#options.store.saveFold(this.#options.session, { seq, fold, ...part });
    } catch (error) {
      this.#savedRev = undefined;
      // The fold can be rebuilt from the log, so a failed save only costs time at the next start.
      this.#options.onError(error);
    }
  }
}
