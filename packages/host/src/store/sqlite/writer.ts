// The writer thread as the store sees it: jobs go in, outcomes come back in order. When the thread ends, every waiting
// job fails, so none stays open.

import { Worker } from "node:worker_threads";
import { StoreError } from "../event-store.ts";
import type { WriterFailure, Job, WriterOutcome, WriterReply, WriterRequest, WriterOptions } from "./writer-thread.ts";

const IS_SOURCE = import.meta.url.endsWith(".ts");
const FILE = IS_SOURCE ? "./writer-thread.ts" : "./writer-thread.js";

export class Writer {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, PromiseWithResolvers<readonly WriterOutcome[]>>();
  #lastId = 0;
  #end: StoreError | undefined;

  constructor(options: WriterOptions, onEnd: (error: StoreError) => void) {
    this.#worker = new Worker(new URL(FILE, import.meta.url), {
      workerData: options,
      // The thread must not inherit our Node arguments, such as those of a test runner.
      execArgv: IS_SOURCE ? ["--conditions=source"] : [],
    });
    this.#worker.unref();
    const end = (cause?: unknown): void => {
      if (this.#end !== undefined) return;
      this.#end = new StoreError("closed", "The store's writer has ended.", { cause });
      for (const { reject } of this.#waiting.values()) reject(this.#end);
      this.#waiting.clear();
      onEnd(this.#end);
    };
    this.#worker.on("message", ({ id, outcomes }: WriterReply) => {
      this.#waiting.get(id)?.resolve(outcomes);
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) this.#worker.unref();
    });
    this.#worker.on("error", end);
    this.#worker.on("exit", () => end());
  }

  do(job: Job): Promise<readonly WriterOutcome[]> {
    if (this.#end !== undefined) return Promise.reject(this.#end);
    const request: WriterRequest = { id: ++this.#lastId, job };
    const waiting = Promise.withResolvers<readonly WriterOutcome[]>();
    this.#waiting.set(request.id, waiting);
    // Keeps the program alive until the job is done, even if it does not close the store.
    this.#worker.ref();
    this.#worker.postMessage(request);
    return waiting.promise;
  }

  /** For jobs with one outcome. */
  async must(job: Job): Promise<void> {
    for (const outcome of await this.do(job)) if (!outcome.ok) throw errorOf(outcome.failure);
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}

export const errorOf = ({ message, code, stack }: WriterFailure): Error => {
  if (code !== undefined) return new StoreError(code, message);
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
};
