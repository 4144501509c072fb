// Reads the delta stream through the host: split, decode, fold, drafts, and a durable log (SQLite, FULL) for the facts.
// Measures the time from the prompt to the result at a listener. Each reading is a new session with a fresh stub.
// Usage: session-reader.ts <stream file> [readings]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Host, openSqliteStore } from "@quarterdeck/host";

import { STUB, clock, readingOf, since, stubEnvironment } from "./reader.ts";
import type { Clock } from "./reader.ts";

const [, , stream = "", readings = "1"] = process.argv;
const folder = mkdtempSync(join(tmpdir(), "quarterdeck-bench-session-"));
const host = await Host.open({
  store: await openSqliteStore(folder),
  claude: { command: process.execPath, prefixArgs: [STUB] },
  environment: () => stubEnvironment(stream),
});
let deltas = 0;
let textLength = 0;

const read = async (): Promise<Clock> => {
  deltas = 0;
  textLength = 0;
  const session = await host.start({ cwd: folder });
  const { promise: done, resolve } = Promise.withResolvers<void>();
  session.subscribe((event) => {
    if (event.type === "streamed") {
      const { event: inner } = event.message as { event?: { delta?: { type: string; text: string } } };
      if (inner?.delta?.type === "text_delta") {
        deltas += 1;
        textLength += inner.delta.text.length;
      }
    } else if (event.type === "received" && (event.message as { type?: string }).type === "result") resolve();
  });
  const startedAt = clock();
  await session.prompt("Go on.");
  await done;
  const took = since(startedAt);
  await session.close();
  return took;
};

const times: Clock[] = [];
for (let left = Number(readings); left > 0; left -= 1) times.push(await read());
console.log(JSON.stringify(readingOf(times, deltas, textLength)));
await host.close();
rmSync(folder, { recursive: true, force: true });
