// A session in the host (split, decode, fold, drafts, durable log) next to the official Agent SDK, which neither folds
// nor stores. It measures the rate, the memory with a slow consumer, the time of each stage, and the cost of folding
// one event in a long session.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createFold } from "@quarterdeck/session";
import type { Fold } from "@quarterdeck/session";

// oxlint-disable-next-line no-restricted-imports -- test support, which no index offers
import { mixedTurns } from "@quarterdeck/test-kit/mixed-turns";
import { SDK_VERSION, agentSdkFolder } from "./agent-sdk.ts";
import { writeDeltaStream } from "./delta-stream.ts";
import type { DeltaStream } from "./delta-stream.ts";
import { bestOf, grouped, medianOf, medianRatio, rounded, worstOf } from "./figure.ts";
import type { Figure, Report } from "./figure.ts";
import { READINGS, runReader } from "./reader.ts";
import type { Reading } from "./reader.ts";
import type { Stages } from "./session-stages.ts";
import type { SlowReading } from "./slow-reader.ts";

export interface SessionOptions {
  readonly deltas: number;
  readonly rounds: number;
  readonly withSdk: boolean;
  readonly say: (line: string) => void;
}

type Contender = "host" | "sdk";
type ByContender<T> = Readonly<Record<Contender, T>>;
/** One stream has this many times the messages of the other. Memory that grows with them is a queue. */
const SLOW_FACTOR = 4;
/** Memory varies little. */
const SLOW_ROUNDS = 2;

export const benchSession = async (options: SessionOptions): Promise<Report> => {
  const { deltas, rounds, withSdk, say } = options;
  const sdkFolder = withSdk ? await agentSdkFolder(say) : "";
  const contenders: Contender[] = withSdk ? ["host", "sdk"] : ["host"];
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-bench-"));
  const readings: ByContender<Reading[]> = { host: [], sdk: [] };
  const slow: ByContender<{ short: SlowReading[]; long: SlowReading[] }> = {
    host: { short: [], long: [] },
    sdk: { short: [], long: [] },
  };
  let stages: Stages;
  try {
    const [long, short] = [join(folder, "stream"), join(folder, "short")];
    const stream = writeDeltaStream(long, deltas, "plain");
    writeDeltaStream(short, Math.ceil(deltas / SLOW_FACTOR), "plain");
    for (let round = 0; round < rounds; round += 1) {
      say(`session: round ${String(round + 1)} of ${String(rounds)}`);
      for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) {
        const reading =
          contender === "host"
            ? await runReader<Reading>("session-reader.ts", [long, String(READINGS)])
            : await runReader<Reading>("decode-reader.ts", [
                "sdk",
                long,
                String(stream.bytes),
                sdkFolder,
                String(READINGS),
              ]);
        mustBeWhole(reading, contender, stream);
        readings[contender].push(reading);
      }
    }
    say("session: what waits for a slow consumer");
    for (let round = 0; round < Math.min(SLOW_ROUNDS, rounds); round += 1) {
      for (const contender of contenders) {
        for (const [name, file] of [
          ["short", short],
          ["long", long],
        ] as const) {
          const reading = await runReader<SlowReading>("slow-reader.ts", [contender, file, sdkFolder], ["--expose-gc"]);
          slow[contender][name].push(reading);
        }
      }
    }
    say("session: microseconds per stage");
    stages = await runReader<Stages>("session-stages.ts", [long, String(Math.min(20_000, deltas))]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  say("session: cost of one event at 100 and at 100,000 rows");
  const fold = foldCosts(rounds, Math.min(MANY_ROWS, deltas));

  const rows = contenders.map((contender) => {
    const times = readings[contender].map(({ milliseconds }) => milliseconds);
    const retained = (which: "short" | "long"): string => megabytes(slow[contender][which], "retainedBytes");
    return [
      TITLES[contender],
      bestOf(times).toFixed(0),
      medianOf(times).toFixed(0),
      grouped((deltas * 1000) / medianOf(times)),
      retained("short"),
      retained("long"),
      megabytes(slow[contender].long, "peakResidentBytes"),
    ];
  });
  const stage = (title: string, microseconds: number): string[] => [title, microseconds.toFixed(2)];
  const quarter = grouped(deltas / SLOW_FACTOR);
  return {
    title: `session: ${grouped(deltas)} text deltas to a listener, ${String(rounds)} interleaved rounds\n  ${STATISTIC}`,
    table: [
      [
        "contender",
        "best ms",
        "median ms",
        "messages/s",
        `MB waiting, ${quarter}`,
        `MB waiting, ${grouped(deltas)}`,
        "MB resident",
      ],
      ...rows,
      ["stage, µs a message:"],
      stage("  split", stages.split),
      stage("  decode", stages.decode),
      stage("  fold", stages.fold),
      stage("  hand over to a listener", stages.handOver),
      stage("  hand over to `for await`", stages.iterate),
      stage("  log, µs a fact until committed", stages.log),
      stage("  log, of that on the host's thread", stages.logHere),
      stage("  fold, µs an event at 100 rows", fold.short),
      stage("  fold, µs an event at 100,000 rows", fold.long),
    ],
    details: {
      rounds,
      statistic: STATISTIC,
      milliseconds: {
        host: readings.host.map(({ milliseconds }) => rounded(milliseconds, 1)),
        sdk: readings.sdk.map(({ milliseconds }) => rounded(milliseconds, 1)),
      },
      microsecondsPerStage: stages,
      slowConsumer: slow,
      microsecondsPerEvent: { at100: fold.short, at100000: fold.long },
    },
    figures: figuresOf(readings, slow, deltas, fold.ratio),
  };
};

const TITLES: ByContender<string> = {
  host: "host: fold, drafts, SQLite FULL",
  sdk: `Agent SDK ${SDK_VERSION} query()`,
};
const STATISTIC =
  `A process reads ${String(READINGS)} times; its time is the best after the first, which finds cold code. A ratio is ` +
  "the median of the ratios of the rounds.\n  Waiting: what cannot be collected when all was written and the consumer " +
  "takes one message a millisecond.";

const megabytes = (readings: readonly SlowReading[], field: "retainedBytes" | "peakResidentBytes"): string =>
  (worstOf(readings.map((reading) => reading[field])) / 1e6).toFixed(1);

const mustBeWhole = (reading: Reading, contender: Contender, stream: DeltaStream): void => {
  if (reading.deltas === stream.deltas && reading.textLength === stream.textLength) return;
  throw new Error(`${contender} lost something: ${JSON.stringify(reading)} of ${JSON.stringify(stream)}`);
};

const figuresOf = (
  readings: ByContender<readonly Reading[]>,
  slow: ByContender<{ readonly short: readonly SlowReading[]; readonly long: readonly SlowReading[] }>,
  deltas: number,
  fold: number,
): Figure[] => {
  const times = (contender: Contender): number[] => readings[contender].map(({ milliseconds }) => milliseconds);
  const busy = (contender: Contender): number[] => readings[contender].map(({ cpuMilliseconds }) => cpuMilliseconds);
  const growth = (contender: Contender): number => {
    const { short, long } = slow[contender];
    const worst = (list: readonly SlowReading[]): number => worstOf(list.map(({ retainedBytes }) => retainedBytes));
    return (worst(long) - worst(short)) / (deltas * (1 - 1 / SLOW_FACTOR));
  };
  const isWithSdk = readings.sdk.length > 0;
  return [
    ...(isWithSdk
      ? [
          {
            name: "sessionRatioToSdk",
            value: medianRatio(times("sdk"), times("host")),
            target: { atLeast: 1 },
            says: "rate of the host, which folds and stores / that of the SDK's query(), which does neither",
          },
          {
            name: "sessionCpuRatioToSdk",
            value: medianRatio(busy("sdk"), busy("host")),
            says: "the same by CPU time, including the thread of the log",
          },
        ]
      : []),
    {
      name: "slowBytesPerMessage",
      value: growth("host"),
      target: { atMost: FLAT_BYTES },
      says: "memory of each additional message that waits for a slow consumer: its text, once",
    },
    ...(isWithSdk
      ? [{ name: "slowBytesPerMessageSdk", value: growth("sdk"), says: "the same for the SDK, which queues it" }]
      : []),
    {
      name: "foldCostRatio",
      value: fold,
      target: { atMost: 1.5 },
      says: "cost of folding one event at 100,000 rows / at 100 rows",
    },
  ];
};

/**
 * The text of a delta is 12 bytes, and the session keeps it. Much more than that would mean that the message itself is
 * kept.
 */
const FLAT_BYTES = 48;

/** Number of short folds that are compared with one long fold. Each gets the mix once, so that it stays short. */
const SHORT_FOLDS = 10;
const WARM_UPS = 3;
/** Rows of the long fold, at most the number of deltas, so that a small run is small in every part. */
const MANY_ROWS = 100_000;

/**
 * Microseconds per event, for folds of 100 and of 100,000 rows, which take turns in going first. Returns the median of
 * their ratios. The events come from recorded turns: text, tools, subagents, tasks, questions, permissions, a queue.
 */
const foldCosts = (
  rounds: number,
  rows: number,
): { readonly short: number; readonly long: number; readonly ratio: number } => {
  const start = filled(createFold(), 100).save();
  const long = filled(createFold(), rows);
  const times: { short: number[]; long: number[] } = { short: [], long: [] };
  for (let round = -WARM_UPS; round < rounds * 4; round += 1) {
    const shorts = Array.from({ length: SHORT_FOLDS }, () => createFold(start));
    const measure = {
      short: () => play(shorts),
      long: () => play(shorts.map(() => long)),
    };
    for (const which of round % 2 === 0 ? (["short", "long"] as const) : (["long", "short"] as const)) {
      const microseconds = measure[which]();
      if (round >= 0) times[which].push(microseconds);
    }
  }
  return { short: medianOf(times.short), long: medianOf(times.long), ratio: medianRatio(times.long, times.short) };
};

let mixes = 0;
const nextMix = (fold: Fold) => mixedTurns(mixes++, fold.seq + 1);

const filled = (fold: Fold, rows: number): Fold => {
  while (fold.rowCount < rows) for (const event of nextMix(fold)) fold.apply(event);
  return fold;
};

/** Plays the mix once for each fold. Only the folding is timed. */
const play = (folds: readonly Fold[]): number => {
  let [milliseconds, count] = [0, 0];
  for (const fold of folds) {
    const events = nextMix(fold);
    count += events.length;
    const startedAt = performance.now();
    for (const event of events) fold.apply(event);
    milliseconds += performance.now() - startedAt;
  }
  return (milliseconds * 1000) / count;
};
