// From the bytes of a child process to decoded messages, next to the official Agent SDK on the same stub CLI.
// `JSON.parse` sets the limit.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { SDK_VERSION, agentSdkFolder } from "./agent-sdk.ts";
import { TEXTS, writeDeltaStream } from "./delta-stream.ts";
import type { DeltaStream, Text } from "./delta-stream.ts";
import { bestOf, grouped, medianOf, medianRatio, rounded } from "./figure.ts";
import type { Figure, Report } from "./figure.ts";
import { READINGS, runReader } from "./reader.ts";
import type { Reading } from "./reader.ts";

export type Contender = "drain" | "bare" | "ours" | "sdk";

export interface DecodeOptions {
  readonly deltas: number;
  readonly rounds: number;
  readonly withSdk: boolean;
  readonly say: (line: string) => void;
}

const TITLES: Readonly<Record<Contender, string>> = {
  drain: "drain (bytes, not looked at)",
  bare: "bare split + JSON.parse",
  ours: "LineSplitter + decodeLine",
  sdk: `Agent SDK ${SDK_VERSION} query()`,
};
type Readings = Readonly<Record<Contender, Reading[]>>;

export const benchDecode = async ({ deltas, rounds, withSdk, say }: DecodeOptions): Promise<Report> => {
  const sdkFolder = withSdk ? await agentSdkFolder(say) : "";
  const contenders: Contender[] = withSdk ? ["drain", "bare", "ours", "sdk"] : ["drain", "bare", "ours"];
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-bench-"));
  try {
    const figures: Figure[] = [];
    const table = [["text", "contender", "best ms", "median ms", "median busy ms", "messages/s", "MB/s"]];
    const details: Record<string, unknown> = { rounds, readingsPerRound: READINGS, statistic: STATISTIC };
    for (const text of TEXTS) {
      const file = join(folder, text);
      const stream = writeDeltaStream(file, deltas, text);
      const readings: Readings = { drain: [], bare: [], ours: [], sdk: [] };
      for (let round = 0; round < rounds; round += 1) {
        say(`decode, ${text} text: round ${String(round + 1)} of ${String(rounds)}`);
        // Another contender starts each round, so that none always follows the same neighbor.
        const first = round % contenders.length;
        for (const contender of [...contenders.slice(first), ...contenders.slice(0, first)]) {
          const reading = await runReader<Reading>("decode-reader.ts", [
            contender,
            file,
            String(stream.bytes),
            sdkFolder,
            String(READINGS),
          ]);
          mustBeWhole(reading, contender, stream);
          readings[contender].push(reading);
        }
      }
      for (const contender of contenders) table.push(rowOf(text, contender, readings[contender], stream));
      figures.push(...figuresOf(text, readings));
      const each = (pick: (list: readonly Reading[]) => unknown): unknown =>
        Object.fromEntries(contenders.map((name) => [name, pick(readings[name])]));
      details[text] = {
        ...stream,
        milliseconds: each((list) => warmOf(list).map((time) => rounded(time, 1))),
        cpuMilliseconds: each((list) => cpuOf(list).map((time) => rounded(time, 1))),
        coldMilliseconds: each((list) => list.map(({ cold }) => rounded(cold, 1))),
        messagesPerSecond: each((list) => Math.round(perSecond(deltas, medianOf(warmOf(list))))),
      };
    }
    const title = `decode: ${grouped(deltas)} text deltas of a child process, ${String(rounds)} interleaved rounds\n  ${STATISTIC}`;
    return { title, table, details, figures };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const STATISTIC =
  `A process reads ${String(READINGS)} times; its time is the best after the first, which finds cold code. ` +
  "A ratio is the median of the ratios of the rounds.";

const warmOf = (readings: readonly Reading[]): readonly number[] => readings.map(({ milliseconds }) => milliseconds);
const cpuOf = (readings: readonly Reading[]): readonly number[] =>
  readings.map(({ cpuMilliseconds }) => cpuMilliseconds);
const coldOf = (readings: readonly Reading[]): readonly number[] => readings.map(({ cold }) => cold);

const mustBeWhole = (reading: Reading, contender: Contender, stream: DeltaStream): void => {
  if (contender === "drain") return;
  if (reading.deltas === stream.deltas && reading.textLength === stream.textLength) return;
  throw new Error(`${contender} lost something: ${JSON.stringify(reading)} of ${JSON.stringify(stream)}`);
};

const perSecond = (count: number, milliseconds: number): number => (count * 1000) / milliseconds;

const rowOf = (text: Text, contender: Contender, readings: readonly Reading[], stream: DeltaStream): string[] => {
  const times = warmOf(readings);
  const best = bestOf(times);
  return [
    text,
    TITLES[contender],
    best.toFixed(0),
    medianOf(times).toFixed(0),
    medianOf(cpuOf(readings)).toFixed(0),
    grouped(perSecond(stream.deltas, medianOf(times))),
    (perSecond(stream.bytes, medianOf(times)) / 1e6).toFixed(0),
  ];
};

const figuresOf = (text: Text, readings: Readings): Figure[] => {
  const suffix = text === "plain" ? "" : "Accented";
  const ours = warmOf(readings.ours);
  const figures: Figure[] = [
    {
      name: `ratioToParseLimit${suffix}`,
      value: medianRatio(warmOf(readings.bare), ours),
      target: { atLeast: 0.85 },
      says: `our rate / that of bare split + JSON.parse, ${text} text`,
    },
    {
      name: `cpuRatioToParseLimit${suffix}`,
      value: medianRatio(cpuOf(readings.bare), cpuOf(readings.ours)),
      says: "the same by CPU time, which is more reliable on a busy machine",
    },
    {
      name: `coldRatioToParseLimit${suffix}`,
      value: medianRatio(coldOf(readings.bare), coldOf(readings.ours)),
      says: "the same for the first reading in each process, half of which is compilation",
    },
  ];
  if (readings.sdk.length > 0) {
    figures.push({
      name: `ratioToSdk${suffix}`,
      value: medianRatio(warmOf(readings.sdk), ours),
      target: { atLeast: 1.3 },
      says: `our rate / that of the SDK's query(), ${text} text`,
    });
    figures.push({
      name: `cpuRatioToSdk${suffix}`,
      value: medianRatio(cpuOf(readings.sdk), cpuOf(readings.ours)),
      says: "the same by CPU time",
    });
  }
  figures.push({
    name: `stubHeadroom${suffix}`,
    value: medianRatio(warmOf(readings.bare), warmOf(readings.drain)),
    says: "rate of the stub and the pipe alone / bare; above 1, the reader is the bottleneck",
  });
  return figures;
};
