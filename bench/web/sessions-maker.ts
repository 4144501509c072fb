// Fills a store with many short sessions, spread over a year. Each has one turn with its cost. Usage: sessions-maker.ts <folder> <count> <working folder>. Prints their number.
import { randomUUID } from "node:crypto";

import { openSqliteStore, type NewFact } from "@quarterdeck/host";
import { createFold } from "@quarterdeck/session";

import { factsOfSession, ROWS_A_TURN } from "./long-session.ts";

/** Shorter than a year, so all are in it whatever the time of day. */
const YEAR = 360 * 86_400_000;
const [, , folder = "", count = "20", cwd = "."] = process.argv;
const store = await openSqliteStore(folder);
const [facts = []] = factsOfSession(ROWS_A_TURN, cwd);
const spent = (costUSD: number) => ({
  inputTokens: 900,
  outputTokens: 300,
  cacheReadInputTokens: 12_000,
  cacheCreationInputTokens: 800,
  webSearchRequests: 0,
  costUSD,
  contextWindow: 200_000,
});
const MODELS = ["claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"];
/** The turn, moved to its day, with what it cost. */
const factsAt = (usedAt: number, number: number): readonly NewFact[] => {
  const moved = usedAt - facts.at(-1)!.at;
  return facts.map(({ at, fact }) => {
    const isResult = fact.type === "received" && (fact.message as { type?: string }).type === "result";
    const modelUsage = { [MODELS[number % MODELS.length]!]: spent(0.1 + (number % 7) / 10) };
    const told = isResult ? { ...fact, message: Object.assign({}, fact.message, { modelUsage }) } : fact;
    return { at: at + moved, fact: told };
  });
};
for (let at = 0; at < Number(count); at += 1) {
  const id = `session-${String(at)}`;
  const usedAt = Date.now() - Math.floor((at * YEAR) / Number(count));
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
  for (const event of await store.append(id, factsAt(usedAt, at))) fold.apply(event);
  await store.saveFold(id, { seq: fold.seq, fold: fold.save() });
}
await store.close();
console.log(JSON.stringify({ sessions: Number(count) }));
