// After drops, resumes, jumps and restarts at any points, a client ends in the state of a direct fold. The sessions are
// recordings of real CLIs. The server is a model that loses frames in flight.

import { createFold } from "@quarterdeck/session";
import type { Fold } from "@quarterdeck/session";
import { array, assert, asyncProperty, constant, integer, nat, oneof, record } from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { RECORDINGS } from "@quarterdeck/test-kit/recordings";
import { roundsOf } from "@quarterdeck/test-kit/how-much";
import { connect } from "./connect.ts";
import type { SessionView } from "./contract.ts";
import { ModelServer } from "./model-server.fixture.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});
const settle = (ms = 0): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);
const jsonOf = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

const Step = oneof(
  { weight: 6, arbitrary: record({ kind: constant("events"), count: integer({ min: 1, max: 12 }) }) },
  { weight: 6, arbitrary: record({ kind: constant("deliver"), count: integer({ min: 1, max: 4 }) }) },
  { weight: 2, arbitrary: record({ kind: constant("drop"), count: integer({ min: 0, max: 600 }) }) },
  { weight: 1, arbitrary: record({ kind: constant("restart"), count: integer({ min: 0, max: 600 }) }) },
  { weight: 3, arbitrary: record({ kind: constant("wait"), count: integer({ min: 1, max: 8000 }) }) },
  { weight: 1, arbitrary: record({ kind: constant("before"), count: integer({ min: 1, max: 5 }) }) },
  { weight: 1, arbitrary: record({ kind: constant("after"), count: integer({ min: 1, max: 5 }) }) },
  { weight: 1, arbitrary: record({ kind: constant("around"), count: nat(30) }) },
  { weight: 1, arbitrary: record({ kind: constant("end"), count: constant(0) }) },
);

const LONG = RECORDINGS.filter(({ events }) => events.length > 50);
const PAUSES: ReadonlySet<string> = new Set(["wait", "drop", "restart"]);

const take = (view: SessionView, server: ModelServer, { kind, count }: { kind: string; count: number }): void => {
  const ignored = (): void => {
    // Closed at the end of the run.
  };
  switch (kind) {
    case "deliver":
      return server.sockets.at(-1)?.deliver(count);
    case "drop":
      return server.dropAll();
    case "restart":
      return server.restart();
    case "before":
      return void view.loadBefore(count).catch(ignored);
    case "after":
      return void view.loadAfter(count).catch(ignored);
    case "around": {
      const row = server.folds.get("a")?.rows[count];
      return row && void view.loadAround(row.id).catch(ignored);
    }
    case "end":
      return void view.loadEnd().catch(ignored);
  }
};

/** All rows, wherever the window was. */
const showAll = async (view: SessionView): Promise<void> => {
  await Promise.all([view.loadEnd(), settle(20_000)]);
  while (view.snapshot.more) await Promise.all([view.loadBefore(), settle(20)]);
};

const isSorted = (rows: readonly { order: number }[]): boolean =>
  rows.every((row, index) => index === 0 || rows[index - 1]!.order < row.order);

it("[S5] any drops, restarts and jumps give the rows, head and drafts of a direct fold", async () => {
  await assert(
    asyncProperty(
      nat(LONG.length - 1),
      integer({ min: 1, max: 9 }),
      array(Step, { minLength: 20, maxLength: 60, size: "max" }),
      async (which, mostRows, steps) => {
        const { events } = LONG[which]!;
        const server = new ModelServer();
        server.mostRows = mostRows;
        server.apply("a");
        const client = connect({
          url: "http://127.0.0.1:1",
          credentials: { kind: "token", token: "x" },
          client: { name: "test", version: "1" },
          openSocket: server.openSocket,
        });
        const view = client.session("a");
        server.holds = true;
        let at = 0;
        for (const step of steps) {
          if (step.kind === "events") {
            server.apply("a", ...events.slice(at, at + step.count));
            at += step.count;
            server.flush();
          } else take(view, server, step);
          await settle(PAUSES.has(step.kind) ? step.count : 0);
          expect(isSorted(view.snapshot.rows)).toBe(true);
        }
        server.holds = false;
        server.apply("a", ...events.slice(at));
        server.sockets.at(-1)?.deliver();
        await settle(20_000);
        server.flush();
        await showAll(view);
        const fold = server.fold("a");
        expect(view.snapshot.rows).toEqual(jsonOf(fold.rows));
        expect(view.snapshot.head).toEqual(jsonOf(fold.head));
        expect(view.snapshot.drafts).toEqual(jsonOf(fold.drafts));
        expect(withoutRevs(view.snapshot)).toEqual(withoutRevs(jsonOf(direct(events))));
        client.close();
      },
    ),
    { numRuns: roundsOf(120) },
  );
});

const direct = (events: (typeof RECORDINGS)[number]["events"]): Pick<Fold, "rows"> => {
  const fold = createFold();
  for (const event of events) if (event.type !== "streamed") fold.apply(event);
  return { rows: fold.rows };
};
const withoutRevs = ({ rows }: Pick<Fold, "rows">): object[] => rows.map((row) => ({ ...row, rev: 0 }));

it("[S5] every recording converges when it is dropped every few events", async () => {
  for (const { name, events } of RECORDINGS) {
    const server = new ModelServer();
    server.apply("a");
    const client = connect({
      url: "http://127.0.0.1:1",
      credentials: { kind: "token", token: "x" },
      client: { name: "test", version: "1" },
      openSocket: server.openSocket,
    });
    const view = client.session("a");
    for (let at = 0; at < events.length; at += 7) {
      await settle();
      server.apply("a", ...events.slice(at, at + 7));
      server.flush();
      await settle(5_000);
      server.holds = at % 3 === 0;
      server.dropAll();
      await settle();
      server.holds = false;
      server.socket.deliver();
    }
    await settle(20_000);
    server.flush();
    await showAll(view);
    expect(view.snapshot.rows, name).toEqual(jsonOf(server.fold("a").rows));
    expect(view.snapshot.head, name).toEqual(jsonOf(server.fold("a").head));
    client.close();
  }
});
