// `quarterdeck fleet archive`, killed at any moment while sessions change and are deleted. Afterwards the archive has every row of the
// machine, and nothing that was deleted.

import { setTimeout as delay } from "node:timers/promises";
import { openSqliteStore } from "@quarterdeck/host";
import { createFold, isOver, isResting } from "@quarterdeck/session";
import { count, none, same, told } from "../outcome.ts";
import type { Line, Size } from "../outcome.ts";
import { remove, scratch, startSession, until } from "./world.ts";
import type { World } from "./world.ts";

export const archive = async (world: World, size: Size): Promise<Line[]> => {
  const [kills, sessions] = size.isSmall ? [1, 2] : [100, 20];
  const admin = world.admin("box");
  const { cwd } = world.machine("box").place;
  const into = scratch();
  const deleted: string[] = [];
  const ids: string[] = [];
  const add = async (): Promise<void> => {
    const session = await startSession(admin, cwd);
    ids.push(session);
    for (const content of ["one", "two"]) await admin.command("session/prompt", { session, content });
  };
  const archiver = () => world.machine("hub").spawn("fleet", "archive", "box", "--into", into);
  const ended = (child: ReturnType<typeof archiver>): Promise<number | null> =>
    new Promise((resolve) => child.once("exit", resolve));
  try {
    while (ids.length < sessions) await add();
    // How long a whole run takes, so that kills hit every part of it.
    const began = performance.now();
    const first = archiver();
    if (size.isSmall) await delay(250).then(() => first.kill("SIGKILL"));
    await ended(first);
    let wholeMs = performance.now() - began;
    let killed = 0;
    let cameBack = 0;
    const end = performance.now() + size.limitMs;
    for (let n = 0; killed < kills && performance.now() < end; n += 1) {
      if (n % 5 === 1) {
        const gone = ids.shift()!;
        await admin.command("sessions/delete", { session: gone });
        deleted.push(gone);
        await add();
      }
      await admin.command("session/prompt", { session: ids[n % ids.length]!, content: `more ${String(n)}` });
      const startedAt = performance.now();
      const child = archiver();
      const ending = ended(child);
      await Promise.race([ending, delay(wholeMs * (0.2 + 0.8 * Math.random()))]);
      if (child.exitCode === null && child.kill("SIGKILL")) killed += 1;
      // It was done before. The next kill comes earlier.
      else wholeMs = performance.now() - startedAt;
      await ending;
    }
    const live = async () => (await admin.call("sessions/list", { state: "live" })).sessions;
    await until(async () => (await live()).every(({ phase }) => isResting(phase) || isOver(phase)));
    // Two whole runs: the second one finds nothing new.
    const runs = [];
    for (let n = 0; n < 2; n += 1)
      runs.push(await world.machine("hub").fleet<{ facts: number }[]>("archive", "box", "--into", into));
    const store = await openSqliteStore(into);
    let differ = 0;
    let rows = 0;
    try {
      cameBack = store.sessions().filter(({ id }) => deleted.includes(id)).length;
      for (const id of ids) {
        const fold = createFold();
        for (let after = 0; ;) {
          const events = store.read(id, after, 500);
          for (const event of events) fold.apply(event);
          if (events.length < 500) break;
          after = events.at(-1)!.seq;
        }
        const there = (await admin.call("session/rows", { session: id, limit: 500 })).rows;
        rows += there.length;
        if (rowsText(there) !== rowsText(fold.rows)) differ += 1;
      }
    } finally {
      await store.close();
    }
    return [
      count("kill -9 of the archiver", killed, kills),
      told("sessions and rows", `${String(ids.length)} and ${String(rows)}`),
      none("sessions whose rows differ, except for rev", differ),
      none("deleted sessions that came back", cameBack),
      same("new facts in a second run", runs[1]![0]!.facts, 0),
    ];
  } finally {
    remove(into);
  }
};

const rowsText = (rows: readonly object[]): string =>
  JSON.stringify(
    rows.map(({ rev: _rev, ...row }: { readonly rev?: unknown }) => row),
    (_key, value: unknown) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : value,
  );
