// Fills a store for the bench. Usage: store-maker.ts <folder> <id prefix> <sessions> <events of each>
import { randomUUID } from "node:crypto";

import { openSqliteStore } from "@quarterdeck/host";
import { createFold } from "@quarterdeck/session";

import { EVENTS_A_TURN, turnOf } from "./turns.ts";

const [, , folder = "", prefix = "s", sessions = "1", events = "1000"] = process.argv;
const turns = Math.ceil(Number(events) / EVENTS_A_TURN);
const TURNS_AT_ONCE = 500;

const store = await openSqliteStore(folder);
for (let number = 0; number < Number(sessions); number += 1) {
  const id = Number(sessions) === 1 ? prefix : `${prefix}-${String(number)}`;
  // Like the host: a cursor contains the epoch.
  const fold = createFold(undefined, { epoch: randomUUID() });
  await store.putSession({
    id,
    createdAt: 1,
    updatedAt: 1,
    cwd: `/home/somebody/project-${String(number % 20)}`,
    title: `Session ${String(number)}`,
    archived: false,
    settings: { cli: { model: "opus" } },
  });
  for (let n = 0; n < turns; n += TURNS_AT_ONCE) {
    const some = Array.from({ length: Math.min(TURNS_AT_ONCE, turns - n) }, (_, index) =>
      turnOf(n + index, (n + index) * EVENTS_A_TURN + 1),
    ).flat();
    const kept = await store.append(
      id,
      some.map(({ seq: _seq, at, ...fact }) => ({ at, fact })),
    );
    for (const event of kept) fold.apply(event);
  }
  await store.saveFold(id, { seq: fold.seq, fold: fold.save() });
}
await store.close();
console.log(JSON.stringify({ sessions: Number(sessions), turns }));
