// Bytes of a child process -> decoded messages: how much of the limit that `JSON.parse` sets do we reach, and how do we
// stand beside the official Agent SDK on the same stub CLI.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { SDK_VERSION, agentSdkFolder } from "./agent-sdk.ts";
import { TEXTS, writeDeltaStream } from "./delta-stream.ts";
import type { DeltaStream, Text } from "./delta-stream.ts";
import { bestOf, grouped, medianOf, rounded } from "./figure.ts";
import type { Figure, Report } from "./figure.ts";
import { runReader } from "./reader.ts";

export type Contender = "drain" | "bare" | "ours" | "sdk";

export interface Reading {
  readonly milliseconds: number;
  readonly deltas: number;
  readonly textLength: number;
}

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
/** In each process. */
const READINGS = 3;
type Times = Readonly<Record<Contender, number[]>>;

export const benchDecode = async ({ deltas, rounds, withSdk, say }: DecodeOptions): Promise<Report> => {
  const sdkFolder = withSdk ? await agentSdkFolder(say) : "";
  const contenders: Contender[] = withSdk ? ["drain", "bare", "ours", "sdk"] : ["drain", "bare", "ours"];
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-bench-"));
  try {
    const figures: Figure[] = [];
    const table = [["text", "contender", "best ms", "median ms", "messages/s", "MB/s"]];
    const details: Record<string, unknown> = { rounds, readingsPerRound: READINGS, statistic: "best" };
    for (const text of TEXTS) {
      const file = join(folder, text);
      const stream = writeDeltaStream(file, deltas, text);
      const times: Times = { drain: [], bare: [], ours: [], sdk: [] };
      for (let round = 0; round < rounds; round += 1) {
        say(`decode, ${text} text: round ${String(round + 1)} of ${String(rounds)}`);
        // The one who begins changes, so that nobody always follows the same neighbour.
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
          times[contender].push(reading.milliseconds);
        }
      }
      for (const contender of contenders) table.push(rowOf(text, contender, times[contender], stream));
      figures.push(...figuresOf(text, times));
      details[text] = {
        ...stream,
        milliseconds: Object.fromEntries(contenders.map((name) => [name, times[name].map((time) => rounded(time, 1))])),
        messagesPerSecond: Object.fromEntries(
          contenders.map((name) => [name, Math.round(perSecond(deltas, bestOf(times[name])))]),
        ),
      };
    }
    const statistic = `best of ${String(READINGS)} readings in each of ${String(rounds)} interleaved rounds`;
    const title = `decode: ${grouped(deltas)} text deltas of a child process, ${statistic}`;
    return { title, table, details, figures };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const mustBeWhole = (reading: Reading, contender: Contender, stream: DeltaStream): void => {
  if (contender === "drain") return;
  if (reading.deltas === stream.deltas && reading.textLength === stream.textLength) return;
  throw new Error(`${contender} lost something: ${JSON.stringify(reading)} of ${JSON.stringify(stream)}`);
};

const perSecond = (count: number, milliseconds: number): number => (count * 1000) / milliseconds;

const rowOf = (text: Text, contender: Contender, times: readonly number[], stream: DeltaStream): string[] => {
  const best = bestOf(times);
  return [
    text,
    TITLES[contender],
    best.toFixed(0),
    medianOf(times).toFixed(0),
    grouped(perSecond(stream.deltas, best)),
    (perSecond(stream.bytes, best) / 1e6).toFixed(0),
  ];
};

const figuresOf = (text: Text, times: Times): Figure[] => {
  const suffix = text === "plain" ? "" : "Accented";
  const ours = bestOf(times.ours);
  const figures: Figure[] = [
    {
      name: `ratioToParseLimit${suffix}`,
      value: bestOf(times.bare) / ours,
      target: { atLeast: 0.85 },
      says: `our rate / that of bare split + JSON.parse, ${text} text`,
    },
  ];
  if (times.sdk.length > 0) {
    figures.push({
      name: `ratioToSdk${suffix}`,
      value: bestOf(times.sdk) / ours,
      target: { atLeast: 1.3 },
      says: `our rate / that of the SDK's query(), ${text} text`,
    });
  }
  figures.push({
    name: `stubHeadroom${suffix}`,
    value: bestOf(times.bare) / bestOf(times.drain),
    says: "rate of the stub and the pipe alone / bare: above 1 the reader is what takes the time",
  });
  return figures;
};
