// One very long line: whether the time is linear in its length, and how much memory it needs besides the line itself.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { bestOf, medianOf, medianRatio, rounded, worstOf } from "./figure.ts";
import type { Figure, Report } from "./figure.ts";
import { LINE_TEXTS, writeLongLine } from "./long-line.ts";
import type { LineText } from "./long-line.ts";
import { runReader } from "./reader.ts";

export interface LineReading {
  readonly kind: string;
  readonly lineBytes: number;
  readonly milliseconds: number;
  readonly accountedBytes: number;
  readonly residentBytes: number;
}

export interface LinesOptions {
  /** The short line and the long one. */
  readonly mib: readonly [number, number];
  readonly rounds: number;
  readonly say: (line: string) => void;
}

const WORKS = ["split", "decode"] as const;
type Work = (typeof WORKS)[number];
const MIB = 1024 * 1024;

/** Memory varies little. Time needs more rounds, and one text is enough to see whether it is linear. */
const MEMORY_ROUNDS = 3;
const TIMED_TEXT: LineText = "plain";

interface Case {
  readonly work: Work;
  readonly text: LineText;
  readonly mib: number;
  readonly file: string;
  readonly times: number[];
  /**
   * Peak memory per byte of the line: what V8 accounts for, the resident set, and the resident set with the stream's
   * garbage.
   */
  readonly accounted: number[];
  readonly resident: number[];
  readonly uncollected: number[];
}

export const benchLines = async ({ mib, rounds, say }: LinesOptions): Promise<Report> => {
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-bench-"));
  try {
    const cases: Case[] = [];
    for (const text of LINE_TEXTS) {
      for (const size of mib) {
        const file = join(folder, `${text}-${String(size)}`);
        writeLongLine(file, size * MIB, text);
        for (const work of WORKS) {
          cases.push({ work, text, mib: size, file, times: [], accounted: [], resident: [], uncollected: [] });
        }
      }
    }
    for (let round = 0; round < rounds; round += 1) {
      say(`lines: round ${String(round + 1)} of ${String(rounds)}`);
      for (const one of cases) {
        const isMemoryRound = round < MEMORY_ROUNDS;
        if (one.text === TIMED_TEXT || isMemoryRound) {
          const { milliseconds, residentBytes, lineBytes } = await read(one, "time");
          one.times.push(milliseconds);
          one.uncollected.push(residentBytes / lineBytes);
        }
        if (isMemoryRound) {
          const { accountedBytes, residentBytes, lineBytes } = await read(one, "memory");
          one.accounted.push(accountedBytes / lineBytes);
          one.resident.push(residentBytes / lineBytes);
        }
      }
    }
    const statistic = `ratio of times median of ${String(rounds)} rounds' ratios, memory worst of ${String(Math.min(rounds, MEMORY_ROUNDS))}`;
    return {
      title: `lines: one line of ${String(mib[0])} and one of ${String(mib[1])} MiB; ${statistic}`,
      table: tableOf(cases),
      details: {
        rounds,
        statistic,
        cases: cases.map(({ work, text, mib: size, times, accounted, resident, uncollected }) => ({
          work,
          text,
          mib: size,
          milliseconds: times.map((time) => rounded(time, 1)),
          accounted: accounted.map((ratio) => rounded(ratio)),
          resident: resident.map((ratio) => rounded(ratio)),
          uncollected: uncollected.map((ratio) => rounded(ratio)),
        })),
      },
      figures: figuresOf(cases, mib),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Time and memory are measured in two processes, because sampling memory takes time. */
const read = async ({ work, text, mib, file }: Case, measure: "time" | "memory"): Promise<LineReading> => {
  const reading = await runReader<LineReading>("line-reader.ts", [work, measure, file], ["--expose-gc"]);
  if (reading.lineBytes === mib * MIB && reading.kind === (work === "decode" ? "message" : "line")) return reading;
  throw new Error(`${work} of ${String(mib)} MiB of ${text} text gave ${JSON.stringify(reading)}`);
};

const tableOf = (cases: readonly Case[]): string[][] => [
  ["work", "text", "MiB", "best ms", "median ms", "accounted x line", "resident x line", "uncollected"],
  ...cases.map(({ work, text, mib, times, accounted, resident, uncollected }) => [
    work,
    text,
    String(mib),
    bestOf(times).toFixed(0),
    medianOf(times).toFixed(0),
    worstOf(accounted).toFixed(2),
    worstOf(resident).toFixed(2),
    worstOf(uncollected).toFixed(2),
  ]),
];

const figuresOf = (cases: readonly Case[], [short, long]: readonly [number, number]): Figure[] => {
  const timesOf = (work: Work, mib: number): readonly number[] =>
    cases.find((one) => one.work === work && one.mib === mib && one.text === TIMED_TEXT)!.times;
  const timeRatio = (work: Work): number => medianRatio(timesOf(work, long), timesOf(work, short));
  const peak = (work: Work, ...counted: ("accounted" | "resident" | "uncollected")[]): number =>
    worstOf(cases.filter((one) => one.work === work).flatMap((one) => counted.flatMap((way) => one[way])));
  const sizes = `${String(long)} MiB / ${String(short)} MiB`;
  return [
    { name: "splitTimeRatio", value: timeRatio("split"), target: { atMost: 5 }, says: `time to split, ${sizes}` },
    {
      name: "decodeTimeRatio",
      value: timeRatio("decode"),
      target: { atMost: 5 },
      says: `time to split and decode, ${sizes}`,
    },
    {
      name: "splitMemoryRatio",
      value: peak("split", "accounted", "resident"),
      target: { atMost: 2 },
      says: "peak memory of the splitter / the line, worst size, text and way of counting",
    },
    {
      name: "decodeMemoryRatio",
      value: peak("decode", "accounted", "resident"),
      target: { atMost: 5 },
      says: "the same for split and decode",
    },
    {
      name: "splitUncollectedRatio",
      value: peak("split", "uncollected"),
      says: "peak resident set of the splitter / the line, without forced collections",
    },
    {
      name: "decodeUncollectedRatio",
      value: peak("decode", "uncollected"),
      says: "the same for split and decode",
    },
  ];
};
