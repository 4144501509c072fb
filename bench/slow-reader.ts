// Memory of a consumer that takes one message per millisecond, after the stub has written its whole stream. It is the
// memory that cannot be collected then, minus the memory before the prompt. Run with --expose-gc.
// Usage: slow-reader.ts <host | sdk> <stream file> <folder of the Agent SDK, or "">
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { Host, openSqliteStore } from "@quarterdeck/host";

import { loadQuery } from "./agent-sdk.ts";
import { PROMPT, STUB, stubEnvironment } from "./reader.ts";

export interface SlowReading {
  readonly retainedBytes: number;
  readonly peakResidentBytes: number;
  /** Messages that the consumer had taken by then. */
  readonly taken: number;
  /** False if the reader stopped reading, so that the stub could not write everything. */
  readonly isAllRead: boolean;
}

const [, , who, stream = "", sdkFolder = ""] = process.argv;
const folder = mkdtempSync(join(tmpdir(), "quarterdeck-bench-slow-"));
const done = join(folder, "done");
const env = { ...stubEnvironment(stream), BENCH_DONE: done };
/** A reader that takes longer than this has stopped. */
const PATIENCE_MS = 20_000;

/**
 * Collects several times, with turns of the event loop between: buffers are freed in the turn after their collection.
 */
const used = async (): Promise<number> => {
  for (let collection = 0; collection < 4; collection += 1) {
    globalThis.gc?.();
    await delay(20);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

let taken = 0;
let before = 0;
let isOver = false;
const consume = async (messages: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of messages) {
    if (isOver) return;
    taken += 1;
    await delay(1);
  }
};

/** Waits until the stub has written everything and the reader has taken it in. */
const allWritten = async (isTakenIn: () => boolean): Promise<boolean> => {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    if (existsSync(done) && isTakenIn()) return true;
    await delay(20);
  }
  return false;
};

const throughHost = async (): Promise<SlowReading> => {
  const host = await Host.open({
    store: await openSqliteStore(join(folder, "data")),
    claude: { command: process.execPath, prefixArgs: [STUB] },
    environment: () => env,
  });
  const session = await host.start({ cwd: folder });
  const stop = new AbortController();
  before = await used();
  void consume(session.events(stop.signal));
  await session.prompt("Go on.");
  const isAllRead = await allWritten(() => session.head.phase === "idle");
  const reading = await measured(isAllRead);
  isOver = true;
  stop.abort();
  await host.close();
  return reading;
};

const throughSdk = async (): Promise<SlowReading> => {
  const query = await loadQuery(sdkFolder);
  const { promise: initialized, resolve: initialize } = Promise.withResolvers<unknown>();
  const prompts = async function* () {
    await initialized;
    before = await used();
    yield PROMPT;
    await new Promise(() => {});
  };
  const messages = query({
    prompt: prompts(),
    options: { pathToClaudeCodeExecutable: STUB, includePartialMessages: true, settingSources: [], env },
  });
  initialize(messages.initializationResult());
  void consume(messages);
  let quiet = 0;
  let last = 0;
  // The SDK does not report how much it has read. When its memory stops changing, that was everything.
  const isAllRead = await allWritten(() => {
    const { heapUsed } = process.memoryUsage();
    quiet = Math.abs(heapUsed - last) < 500_000 ? quiet + 1 : 0;
    last = heapUsed;
    return quiet >= 5;
  });
  return measured(isAllRead);
};

const measured = async (isAllRead: boolean): Promise<SlowReading> => ({
  retainedBytes: (await used()) - before,
  peakResidentBytes: process.resourceUsage().maxRSS * 1024,
  taken,
  isAllRead,
});

console.log(JSON.stringify(who === "host" ? await throughHost() : await throughSdk()));
rmSync(folder, { recursive: true, force: true });
process.exit();
