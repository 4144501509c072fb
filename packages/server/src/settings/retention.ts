// Deletes sessions that nobody has used for a time that an admin chose. Off by default. A session with a process, or
// with an open client, is never deleted. Project files and the transcripts of Claude Code stay.

import { rm } from "node:fs/promises";
import { basename, join } from "node:path";
import type { EventStore, Host } from "@quarterdeck/host";
import type { Log } from "../log.ts";
import type { KeptRetention, KeptSettings } from "./kept-settings.ts";

export interface Doomed {
  readonly id: string;
  readonly title?: string;
  readonly cwd: string;
  readonly usedAt: number;
  readonly bytes: number;
}

export interface Retention {
  /** What a retention would delete now, the oldest first. */
  plan(retention: Pick<KeptRetention, "days" | "onlyArchived">): readonly Doomed[];
  /** Deletes what the kept retention says. Returns the number of deleted sessions. */
  run(): Promise<number>;
  close(): void;
}

export interface RetentionParts {
  readonly host: Host;
  readonly store: EventStore;
  readonly kept: KeptSettings;
  /** Files that were sent with prompts, in a folder for each session. */
  readonly sessionFiles: string;
  readonly log: Log;
  readonly now?: () => number;
}

const DAY_MS = 86_400_000;
const EVERY_MS = 6 * 3_600_000;

export const keepRetention = (parts: RetentionParts): Retention => {
  const { host, store, kept, sessionFiles, log, now = Date.now } = parts;

  const plan: Retention["plan"] = ({ days, onlyArchived }) => {
    if (days === null) return [];
    const before = now() - days * DAY_MS;
    return store
      .list()
      .filter(
        ({ record, usedAt }) =>
          Math.max(usedAt, record.updatedAt) < before &&
          (!onlyArchived || record.archived) &&
          host.opened(record.id) === undefined,
      )
      .map(({ record, usedAt, bytes, summary }) => {
        const title = record.title ?? summary?.title ?? summary?.firstPrompt;
        return { id: record.id, cwd: record.cwd, usedAt, bytes, ...(title !== undefined && { title }) };
      })
      .toSorted((a, b) => a.usedAt - b.usedAt);
  };

  let running: Promise<number> | undefined;
  const run = (): Promise<number> =>
    (running ??= (async () => {
      const doomed = plan(kept.retention);
      let deleted = 0;
      for (const { id } of doomed) {
        // Opened meanwhile, so it is in use.
        if (host.opened(id) !== undefined || store.session(id) === undefined) continue;
        await host.delete(id);
        await rm(join(sessionFiles, basename(id)), { recursive: true, force: true });
        deleted++;
      }
      if (deleted > 0) {
        kept.setRetention({ ...kept.retention, last: { at: now(), deleted } });
        log.info("old sessions deleted", { deleted, days: kept.retention.days ?? 0 });
      }
      return deleted;
    })().finally(() => (running = undefined)));

  const tryRun = (): void =>
    void run().catch((error: unknown) =>
      log.error("retention failed", { error: error instanceof Error ? error.message : String(error) }),
    );
  const timer = setInterval(tryRun, EVERY_MS).unref();
  tryRun();
  return { plan, run, close: () => clearInterval(timer) };
};
