// Where the time of a session goes, stage by stage, in microseconds per message. Each stage runs by itself over the
// whole delta stream, three times in one process, and the best run after the first counts. The log stores facts, about
// one per hundred deltas. Its time is that until a fact is committed with FULL, with many waiting at once.
// Usage: session-stages.ts <stream file>
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { openSqliteStore } from "@quarterdeck/host";
import { LineSplitter, decodeLine } from "@quarterdeck/protocol";
import type { JsonValue, Line } from "@quarterdeck/protocol";
import { createFold } from "@quarterdeck/session";
import type { Event, Streamed } from "@quarterdeck/session";

import { eventStream } from "../packages/host/src/session/event-stream.ts";
import { Recorder } from "../packages/host/src/session/recorder.ts";
import { turnOf } from "./turns.ts";

/** Microseconds per message. */
export interface Stages {
  readonly split: number;
  readonly decode: number;
  readonly fold: number;
  /** From the recorder to a listener, and through `for await`. */
  readonly handOver: number;
  readonly iterate: number;
  /** Per fact: until it is committed, and how long this thread is busy with it. */
  readonly log: number;
  readonly logHere: number;
}

const CHUNK = 64 * 1024;
const PASSES = 3;
/** The number of facts that the host lets wait for the disk. */
const WINDOW = 1000;
/** Fewer than an iterator queues. */
const BURST = 500;

const [, , stream = "", factCount = "0"] = process.argv;
const FACTS = Number(factCount);
const bytes = readFileSync(stream);
const folder = mkdtempSync(join(tmpdir(), "quarterdeck-bench-stages-"));
const store = await openSqliteStore(folder);

const bestOfPasses = async (count: number, work: (pass: number) => void | Promise<void>): Promise<number> => {
  let best = Infinity;
  for (let pass = 0; pass < PASSES; pass += 1) {
    const startedAt = performance.now();
    await work(pass);
    if (pass > 0) best = Math.min(best, performance.now() - startedAt);
  }
  return (best * 1000) / count;
};

let lines: Line[] = [];
const splitAll = (): void => {
  const splitter = new LineSplitter();
  lines = [];
  for (let at = 0; at < bytes.length; at += CHUNK) {
    for (const line of splitter.push(bytes.subarray(at, at + CHUNK))) lines.push(line);
  }
};
splitAll();
const count = lines.length;
const split = await bestOfPasses(count, splitAll);

let streamed: Streamed[] = [];
const decode = await bestOfPasses(count, () => {
  streamed = [];
  for (const line of lines) {
    const decoded = decodeLine(line);
    if (decoded.kind !== "message") throw new Error(`a line decoded as ${decoded.kind}`);
    if (decoded.message.type !== "stream_event") continue;
    streamed.push({ type: "streamed", at: streamed.length, message: decoded.message as unknown as JsonValue });
  }
});

const fold = await bestOfPasses(streamed.length, () => {
  const folded = createFold();
  for (const event of streamed) folded.apply(event);
});

let told = 0;
const recorded = await bestOfPasses(streamed.length, async (pass) => {
  const session = `recorder-${String(pass)}`;
  const recorder = new Recorder({ store, session, onPressure: () => {}, onError: fail, now: () => told });
  recorder.subscribe(() => {
    told += 1;
  });
  for (const { message } of streamed) recorder.stream(message);
  await recorder.flush();
});
if (told !== PASSES * streamed.length) throw new Error("The recorder reported fewer events than it got.");

const iterate = await bestOfPasses(streamed.length, async () => {
  let listener: ((event: Event | Streamed) => void) | undefined;
  const events = eventStream({
    seq: () => 0,
    subscribe: (given) => {
      listener = given;
      return () => {};
    },
    read: () => [],
  });
  const first = events.next();
  for (let at = 0; at < streamed.length; at += BURST) {
    const burst = streamed.slice(at, at + BURST);
    for (const event of burst) listener?.(event);
    for (let left = at === 0 ? burst.length - 1 : burst.length; left > 0; left -= 1) await events.next();
  }
  await first;
  await events.return(undefined);
});

const facts = Array.from({ length: FACTS / 4 }, (_, n) => turnOf(n, n * 4 + 1)).flat();
let busy = 0;
const log = await bestOfPasses(FACTS, async (pass) => {
  const before = cpuOfThread();
  const underWay = new Set<Promise<unknown>>();
  for (const { seq: _seq, at, ...fact } of facts) {
    const kept = store.append(`log-${String(pass)}`, [{ at, fact }]).finally(() => underWay.delete(kept));
    underWay.add(kept);
    if (underWay.size >= WINDOW) await Promise.race(underWay);
  }
  await Promise.all(underWay);
  busy = cpuOfThread() - before;
});

function fail(error: unknown): never {
  throw error;
}

/** Microseconds. Older Node versions report only the time of all threads. */
function cpuOfThread(): number {
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage();
  return user + system;
}

const stages: Stages = {
  split,
  decode,
  fold,
  handOver: Math.max(0, recorded - fold),
  iterate,
  log,
  logHere: busy / FACTS,
};
console.log(JSON.stringify(stages));
await store.close();
rmSync(folder, { recursive: true, force: true });
