// The writer thread. Commits wait for the disk here, so that no other thread has to. It does one job at a time, in
// order.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { StoreError } from "../event-store.ts";
import type { StoreErrorCode } from "../../host-error.ts";
import { Blobs, BLOBS_FOLDER } from "./blobs.ts";
import { failureOf } from "./failure.ts";
import { FewOpen } from "./few-open.ts";
import { volumesIn } from "./volume.ts";
import { VolumeWriter } from "./volume-writer.ts";
import type { SessionWrites } from "./volume-writer.ts";

export interface WriterOptions {
  readonly folder: string;
  readonly maxPages?: number | undefined;
}

export type Job =
  /**
   * `sweepSince` is when a program opened the store that later crashed. An older blob that no row names is damage, so
   * the sweep does not delete it.
   */
  | { readonly kind: "open"; readonly sweepSince: number | undefined }
  | { readonly kind: "write"; readonly volumes: readonly { volume: number; sessions: readonly SessionWrites[] }[] }
  | { readonly kind: "delete"; readonly volumes: readonly { volume: number; keys: readonly number[] }[] }
  /** Removes the last trace of deleted data from the files. */
  | { readonly kind: "rewrite"; readonly volumes: readonly number[] }
  /** No blob is deleted while a backup copies them. */
  | { readonly kind: "keep-blobs"; readonly keep: boolean }
  | { readonly kind: "close" };

/** One outcome per volume of the job, or a single one. */
export type WriterOutcome =
  | { readonly ok: true; readonly size: number; readonly bytes: ReadonlyMap<number, number> }
  | { readonly ok: false; readonly failure: WriterFailure };

/** An error as it crosses threads. */
export interface WriterFailure {
  readonly message: string;
  readonly code?: StoreErrorCode;
  readonly stack?: string | undefined;
}

export interface WriterRequest {
  readonly id: number;
  readonly job: Job;
}
export interface WriterReply {
  readonly id: number;
  readonly outcomes: readonly WriterOutcome[];
}

const { folder, maxPages } = workerData as WriterOptions;
const blobs = new Blobs(folder);
const writers = new FewOpen((volume) => new VolumeWriter(folder, volume, blobs, { maxPages }));
const NOTHING: ReadonlyMap<number, number> = new Map();
let keptBlobs: { space: string; hash: string }[] | undefined;

const perform = (job: Job): readonly WriterOutcome[] => {
  switch (job.kind) {
    case "open":
      return [attempt("The store cannot be opened", () => openAll(job.sweepSince))];
    case "write":
      return job.volumes.map(({ volume, sessions }) =>
        attempt("Nothing was written", () => {
          const { size, bytes, unneeded } = writers.get(volume).write(sessions);
          removeBlobs(unneeded);
          return { size, bytes };
        }),
      );
    case "delete":
      return job.volumes.map(({ volume, keys }) =>
        attempt("The session cannot be deleted", () => writers.get(volume).delete(keys)),
      );
    case "rewrite":
      return job.volumes.map((volume) =>
        attempt("What was deleted is still on the disk", () => ({
          size: writers.get(volume).doChores(),
          bytes: NOTHING,
        })),
      );
    case "keep-blobs": {
      const kept = keptBlobs ?? [];
      keptBlobs = job.keep ? kept : undefined;
      return [attempt("A blob cannot be removed", () => removeBlobs(kept))];
    }
    case "close":
      return [attempt("The store cannot be closed", () => writers.closeAll())];
  }
};

const openAll = (sweepSince: number | undefined): void => {
  mkdirSync(join(folder, BLOBS_FOLDER), { recursive: true, mode: 0o700 });
  const volumes = volumesIn(folder);
  for (const volume of volumes) {
    const writer = writers.get(volume);
    try {
      writer.doChores();
    } catch (error) {
      // A full disk must not block access to stored data. The next delete retries.
      const failure = failureOf(error, "What was deleted is still on the disk");
      if (!(failure instanceof StoreError)) throw failure;
    }
  }
  if (sweepSince === undefined) return;
  blobs.sweep(sweepSince, (space, hash) => {
    const volume = Number(space.split("-")[0]);
    return volumes.includes(volume) && writers.get(volume).isNeeded(space, hash);
  });
};

const removeBlobs = (unneeded: readonly { space: string; hash: string }[]): void => {
  if (keptBlobs !== undefined) keptBlobs.push(...unneeded);
  else for (const { space, hash } of unneeded) blobs.remove(space, hash);
};

const attempt = (
  what: string,
  work: () => { size: number; bytes: ReadonlyMap<number, number> } | void,
): WriterOutcome => {
  try {
    return { ok: true, ...(work() ?? { size: 0, bytes: NOTHING }) };
  } catch (error) {
    const failure = failureOf(error, what);
    if (failure instanceof StoreError) return { ok: false, failure: { message: failure.message, code: failure.code } };
    const { message, stack } = failure instanceof Error ? failure : new Error(String(failure));
    return { ok: false, failure: { message, stack } };
  }
};

parentPort?.on("message", ({ id, job }: WriterRequest) => {
  const reply: WriterReply = { id, outcomes: perform(job) };
  parentPort?.postMessage(reply);
});
