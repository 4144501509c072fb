// Fills a store with one long session. Usage: session-maker.ts <folder> <id> <rows> <working folder>. Prints the number
// of rows of each kind, and the last row.
import { randomUUID } from "node:crypto";

import { openSqliteStore } from "@quarterdeck/host";
import { createFold } from "@quarterdeck/session";

import { CLI_SESSION, factsOfSession } from "./long-session.ts";

export interface MadeSession {
  readonly rows: number;
  readonly kinds: Readonly<Record<string, number>>;
  readonly lastRow: string;
}

const [, , folder = "", id = "", rows = "100", cwd = "."] = process.argv;
const store = await openSqliteStore(folder);
const fold = createFold(undefined, { epoch: randomUUID() });
await store.putSession({
  id,
  createdAt: 1,
  updatedAt: 1,
  cwd,
  title: `A session of ${rows} rows`,
  archived: false,
  cliSessionId: CLI_SESSION,
  settings: { cli: { model: "opus" } },
});
for (const facts of factsOfSession(Number(rows), cwd))
  for (const event of await store.append(id, facts)) fold.apply(event);
await store.saveFold(id, { seq: fold.seq, fold: fold.save() });
await store.close();
const kinds: Record<string, number> = {};
for (const row of fold.rows) {
  const kind = row.kind === "tool" ? row.name : row.kind;
  kinds[kind] = (kinds[kind] ?? 0) + 1;
}
console.log(
  JSON.stringify({ rows: fold.rows.length, kinds, lastRow: fold.rows.at(-1)?.id ?? "" } satisfies MadeSession),
);
