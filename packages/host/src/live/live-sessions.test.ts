// Which sessions give up a process, and which never do. A process that seems idle is kept if a prompt or a request is
// on its way to it.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { trust } from "../trust/folder-trust.ts";
import type { TrustRecord, TrustStore } from "../trust/folder-trust.ts";
import { bench, HELLO, oldCli, prompts, turn, until } from "../host-bench.fixture.ts";
import type { Bench } from "../host-bench.fixture.ts";
import { createMemoryStore } from "../store/memory-store.ts";
import type { Session } from "../session/session.ts";

const wasClosed = ({ store }: Bench, { id }: Session): boolean =>
  store.read(id, 0, 1000).some(({ type }) => type === "stdin-closed");
const STUBBORN = { QUARTERDECK_SIM_FAULT: "ignore-eof" };

it("[H10] ends no more processes than starts are waiting, even if an end takes long", async () => {
  const all = await bench([HELLO], { maxLive: 3, makesRoom: true }, STUBBORN);
  const resting = [];
  for (let n = 0; n < 3; n++) resting.push(await all.host.start({ cwd: all.cwd }));
  await all.host.start({ cwd: all.cwd });
  expect(resting.map((session) => wasClosed(all, session))).toEqual([true, false, false]);
});

it("[H10] waits for a process that is already closing, and ends no other", async () => {
  const all = await bench([HELLO], { maxLive: 2, makesRoom: true }, STUBBORN);
  const { host, cwd } = all;
  const resting = await host.start({ cwd });
  const leaving = await host.start({ cwd });
  await turn(leaving, "hello");
  const closed = leaving.close();
  await host.start({ cwd });
  await closed;
  expect(wasClosed(all, resting)).toBe(false);
});

it("[H13] does not release a process while a prompt for it is being stored", async () => {
  const store = createMemoryStore();
  const append = store.append.bind(store);
  const kept = Promise.withResolvers<void>();
  store.append = async (session, facts) => {
    if (facts.some(({ fact }) => fact.type === "prompt-accepted")) await kept.promise;
    return append(session, facts);
  };
  const { host, cwd } = await bench([HELLO], { store, releaseIdleAfterMs: 50 });
  const session = await host.start({ cwd });
  const prompted = session.prompt("hello");
  // The host checks both sessions equally often, and the first has been idle longer. So it would release the first
  // before this one.
  const other = await host.start({ cwd });
  await other.ended;
  const done = until(session, () => prompts(session).some(([, state]) => state === "done"));
  kept.resolve();
  await prompted;
  await done;
  expect(session.head.process?.incarnation).toBe(1);
});

it("[H13] does not release a process that is still answering a request", async () => {
  const silent = oldCli("", "initialize", "true");
  const { host, cwd } = await bench([], { claude: silent, releaseIdleAfterMs: 50 });
  const session = await host.start({ cwd });
  const abort = new AbortController();
  const asked = session.control.mcp_status({}, { signal: abort.signal }).catch(() => {});
  const other = await host.start({ cwd });
  await other.ended;
  expect(session.isLive).toBe(true);
  abort.abort();
  await asked;
  await session.ended;
});

it("[H7] resumes a session after its closing process has ended", async () => {
  const { host, cwd } = await bench([HELLO], {}, STUBBORN);
  const session = await host.start({ cwd });
  const closed = session.close();
  expect(session.isLeaving).toBe(true);
  await session.prompt("hello");
  const done = until(session, () => prompts(session).some(([, state]) => state === "done"));
  await host.resume(session.id);
  expect(session.isLeaving).toBe(false);
  await Promise.all([closed, done]);
  expect(session.head.process?.incarnation).toBe(2);
});

it("[S34] leaves out what was added to a trusted folder while the session waited for its place", async () => {
  const records = new Map<string, TrustRecord>();
  const store: TrustStore = {
    get: (folder) => records.get(folder),
    set: (record) => void records.set(record.folder, record),
    delete: (folder) => void records.delete(folder),
  };
  const { host, cwd } = await bench([HELLO], { maxLive: 1, trust: store });
  const folder = join(cwd, "project");
  mkdirSync(folder);
  await trust(folder, store, { configDir: join(cwd, ".claude") });
  const first = await host.start({ cwd: folder });
  const waiting = host.start({ cwd: folder });
  await vi.waitFor(() => expect(host.load.waiting).toBe(1));
  writeFileSync(join(folder, ".mcp.json"), "{}");
  await first.close();
  const second = await waiting;
  const notices = (session: Session) => session.rows.flatMap((row) => (row.kind === "notice" ? [row.text] : []));
  expect(notices(first)).toEqual([]);
  expect(notices(second)).toEqual([expect.stringContaining(join(folder, ".mcp.json"))]);
});
