import { randomUUID } from "node:crypto";
import { openSqliteStore } from "@quarterdeck/host";
import { createFold } from "@quarterdeck/session";
import type { Fact } from "@quarterdeck/session";
import { expect, it } from "vitest";
import { Bench, SCENARIO } from "./bench.ts";
import { makePlace } from "./server-process.ts";
import type { Place } from "./server-process.ts";

const EVENTS = 10_000;

const said = (n: number): Fact => ({
  type: "received",
  message: {
    type: "assistant",
    uuid: `u${n}`,
    session_id: "s",
    parent_tool_use_id: null,
    message: { id: `m${n}`, role: "assistant", model: "m", content: [{ type: "text", text: `text ${n}` }] },
  },
});

/** A long session, as a host stores it. */
const keepLongSession = async ({ dataDir, cwd }: Place): Promise<{ readonly id: string; readonly epoch: string }> => {
  const [id, epoch] = [randomUUID(), randomUUID()];
  const store = await openSqliteStore(dataDir);
  await store.putSession({ id, createdAt: 1, updatedAt: 1, cwd, archived: false, settings: {} });
  const fold = createFold(undefined, { epoch });
  for (let from = 0; from < EVENTS; from += 1000) {
    const facts = Array.from({ length: 1000 }, (_, n) => ({ at: from + n, fact: said(from + n) }));
    for (const event of await store.append(id, facts)) fold.apply(event);
  }
  await store.saveFold(id, { seq: fold.seq, fold: fold.save() });
  await store.close();
  return { id, epoch };
};

it("[B3] a client that was away since the start gets a reset, has the end at once, and loads the rest without a gap", async () => {
  const place = makePlace(SCENARIO);
  const { id, epoch } = await keepLongSession(place);
  const bench = await Bench.start(place);
  const client = await bench.client();

  const screen = await client.call("session/subscribe", { session: id, cursor: `${epoch}:1` });
  expect(screen).toMatchObject({ status: "reset", more: true });
  expect(screen.rows.length).toBeLessThan(500);
  expect(screen.rows.at(-1)).toMatchObject({ text: `text ${EVENTS - 1}` });

  const rows: { text: string; order: number }[] = [...screen.rows];
  for (let more = screen.more; more;) {
    const page = await client.call("session/rows", { session: id, before: rows[0]!.order, limit: 500 });
    rows.unshift(...page.rows);
    more = page.moreBefore;
  }
  expect(rows.map(({ text }) => text)).toEqual(Array.from({ length: EVENTS }, (_, n) => `text ${n}`));

  const seqs: number[] = [];
  for (let last = EVENTS; seqs.length < last;) {
    const { events, lastSeq } = await client.call("session/events", { session: id, after: seqs.length, limit: 1000 });
    seqs.push(...events.map(({ seq }: { seq: number }) => seq));
    last = events.length === 0 ? 0 : lastSeq;
  }
  expect(seqs).toEqual(Array.from({ length: EVENTS }, (_, n) => n + 1));
});
