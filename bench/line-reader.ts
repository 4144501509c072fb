// One reading of one long line: time, or memory.
// Usage: line-reader.ts <split|decode> <time|memory> <file>
// Memory is a peak, measured in two ways. The first is what V8 accounts for (heap and ArrayBuffers), sampled after each
// chunk and step. The second is the resident set of the operating system, which also shows memory that is used only
// within a step. A memory run collects the chunks that were read once per MiB, because they are the stream's garbage
// and not the splitter's. It collects nothing within a step, where the peak is. A time run collects nothing.
import { LineSplitter, decodeLine } from "@quarterdeck/protocol";
import type { Line } from "@quarterdeck/protocol";

import type { LineReading } from "./lines.ts";
import { readStub } from "./reader.ts";

const [, , work, measure, stream = ""] = process.argv;

const accounted = (): number => {
  // `external` includes the ArrayBuffers.
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

let startedAt = 0;
let accountedBefore = 0;
let residentBefore = 0;
let accountedPeak = 0;
const sample = (): void => {
  if (measure === "memory") accountedPeak = Math.max(accountedPeak, accounted());
};
const COLLECT_EVERY = 1024 * 1024;
let uncollected = 0;
const collect = (arrived: number): void => {
  uncollected += arrived;
  if (measure !== "memory" || uncollected < COLLECT_EVERY) return;
  uncollected = 0;
  globalThis.gc?.();
};
const onReady = (): void => {
  globalThis.gc?.();
  globalThis.gc?.();
  accountedBefore = accounted();
  residentBefore = process.memoryUsage.rss();
  startedAt = performance.now();
};

const bytesOf = (line: Line): number => {
  if (typeof line === "string") return Buffer.byteLength(line);
  return line instanceof Uint8Array ? line.length : line.size;
};

const splitter = new LineSplitter();
const onChunk = (chunk: Buffer): boolean => {
  collect(chunk.length);
  const [line] = splitter.push(chunk);
  sample();
  if (line === undefined) return false;
  const decoded = work === "decode" ? decodeLine(line) : undefined;
  const milliseconds = performance.now() - startedAt;
  sample();
  const reading: LineReading = {
    kind: decoded?.kind ?? "line",
    lineBytes: bytesOf(line),
    milliseconds,
    accountedBytes: accountedPeak - accountedBefore,
    residentBytes: process.resourceUsage().maxRSS * 1024 - residentBefore,
  };
  console.log(JSON.stringify(reading));
  return true;
};
await readStub(stream, { onReady, onChunk });
