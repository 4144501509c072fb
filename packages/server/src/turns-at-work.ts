// What the sessions of this server do now: which run a turn, when all of them have ended, and whether one waits for a place.

import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Host, Session } from "@quarterdeck/host";
import { isWorking } from "@quarterdeck/session";
import type { Metrics } from "./http/contract.ts";

export const measure = (metrics: Metrics, host: Host): void => {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  const started = Date.now() / 1000 - process.uptime();
  metrics.gauge("quarterdeck_start_time_seconds", "When the process started", () => started);
  metrics.gauge("quarterdeck_resident_bytes", "Memory of the server's process", () => process.memoryUsage.rss());
  metrics.gauge("quarterdeck_event_loop_delay_p99_seconds", "Since the last scrape", () => {
    const seconds = delay.percentile(99) / 1e9;
    delay.reset();
    return seconds;
  });
  metrics.gauge("quarterdeck_sessions_stored", "Sessions in the store", () => host.list().length);
  metrics.gauge("quarterdeck_sessions_live", "Sessions with a process", () => liveSessions(host).length);
  metrics.gauge("quarterdeck_turns_running", "Running turns", () => sessionsAtWork(host).length);
  metrics.gauge("quarterdeck_requests_open", "Requests of live sessions that wait for an answer", () =>
    liveSessions(host).reduce((sum, session) => sum + session.head.requests.length, 0),
  );
};

export const liveSessions = (host: Host): Session[] =>
  host
    .list()
    .filter(({ live }) => live)
    .map(({ id }) => host.get(id));

/** Turns that end by themselves. A turn that waits for a person does not. */
export const sessionsAtWork = (host: Host): Session[] => liveSessions(host).filter(({ head }) => isWorking(head.phase));

export const turnsEnded = async (host: Host, withinMs: number, hurry: AbortSignal | undefined): Promise<void> => {
  if (withinMs === 0 || hurry?.aborted === true || sessionsAtWork(host).length === 0) return;
  const done = Promise.withResolvers<void>();
  const look = (): void => {
    if (sessionsAtWork(host).length === 0) done.resolve();
  };
  const stops = sessionsAtWork(host).map((session) => session.subscribe(look));
  const timer = setTimeout(done.resolve, withinMs);
  hurry?.addEventListener("abort", () => done.resolve(), { once: true });
  // A process that dies ends the turn without an event.
  for (const session of sessionsAtWork(host)) void session.ended.then(look);
  await done.promise;
  clearTimeout(timer);
  for (const stop of stops) stop();
};

/** Longer than an idle session needs to make room. */
const ROOM_MS = 5000;

/** Notifies when a start waits for a place and no session gives one up. */
export const watchRoom = (host: Host, tell: (text: string) => void): (() => void) => {
  let before: readonly object[] = [];
  const told = new WeakSet<object>();
  const timer = setInterval(() => {
    const { live } = host.load;
    const now = host.waits;
    const lasting = now.filter((wait) => before.includes(wait) && !told.has(wait));
    for (const wait of lasting) told.add(wait);
    if (lasting.length > 0)
      tell(
        `A session waits for a place: ${live} are at work, which is as many as may be (--max-sessions). It starts when one of them rests or is closed.`,
      );
    before = now;
  }, ROOM_MS).unref();
  return () => clearInterval(timer);
};
