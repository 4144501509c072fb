// Fills a store with many short sessions. Usage: sessions-maker.ts <folder> <count> <working folder>. Prints their number.
import { randomUUID } from "node:crypto";

import { openSqliteStore } from "@quarterdeck/host";
import { createFold } from "@quarterdeck/session";

import { factsOfSession, ROWS_A_TURN } from "./long-session.ts";

const MINUTE = 60_000;
const [, , folder = "", count = "20", cwd = "."] = process.argv;
const store = await openSqliteStore(folder);
const [facts = []] = factsOfSession(ROWS_A_TURN, cwd);
for (let at = 0; at < Number(count); at += 1) {
  const id = `session-${String(at)}`;
  const usedAt = Date.now() - at * MINUTE;
  await store.putSession({
    id,
    createdAt: usedAt,
    updatedAt: usedAt,
    cwd,
    title: `Session ${String(at)} of ${count}`,
    archived: false,
    settings: { cli: { model: "opus" } },
  });
  const fold = createFold(undefined, { epoch: randomUUID() });
  for (const event of await store.append(id, facts)) fold.apply(event);
  await store.saveFold(id, { seq: fold.seq, fold: fold.save() });
}
await store.close();
console.log(JSON.stringify({ sessions: Number(count) }));
