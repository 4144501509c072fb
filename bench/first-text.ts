// Time from the prompt to the first text, warm: the host, which stores the prompt before it sends it, next to a bare
// pipe. The CLI is real. The API is scripted and answers at once, so that only the CLI and its driver are measured.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startApi } from "@quarterdeck/simulator";

import { NEWEST, claudeProgram } from "@quarterdeck/test-kit/claude-cache";
import { bestOf, medianOf, medianRatio, rounded } from "./figure.ts";
import type { Report } from "./figure.ts";
import type { FirstTexts } from "./first-text-reader.ts";
import { runReader } from "./reader.ts";

export interface FirstTextOptions {
  /** Turns of each contender. */
  readonly rounds: number;
  readonly say: (line: string) => void;
}

const TEXT = "Hello there, and welcome on board.";

export const benchFirstText = async ({ rounds, say }: FirstTextOptions): Promise<Report> => {
  await claudeProgram(NEWEST, say);
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-bench-first-text-"));
  const scripts = [{ when: "hello", steps: [{ say: [{ text: TEXT }] }] }];
  const api = await startApi({ scenario: { name: "first-text", scripts } });
  let times: FirstTexts;
  try {
    say(`first-text: ${String(rounds)} turns of each, in turn`);
    times = await runReader<FirstTexts>("first-text-reader.ts", [folder, api.url, String(rounds)]);
  } finally {
    await api.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  const { bare, host } = times;
  const row = (title: string, list: readonly number[]): string[] => [
    title,
    medianOf(list).toFixed(1),
    quantileOf(list, 0.95).toFixed(1),
    bestOf(list).toFixed(1),
  ];
  return {
    title: `first-text: prompt to first text, warm session of Claude Code ${NEWEST}, scripted API, ${String(rounds)} turns of each in turn`,
    table: [
      ["contender", "p50 ms", "p95 ms", "best ms"],
      row("bare pipe: split + JSON.parse", bare),
      row("host: durable prompt, fold, SQLite FULL", host),
    ],
    details: {
      rounds,
      statistic: "p50 of the host / p50 of the bare pipe",
      medianOfPairedRatios: rounded(medianRatio(host, bare)),
      milliseconds: { bare: bare.map((time) => rounded(time, 2)), host: host.map((time) => rounded(time, 2)) },
    },
    figures: [
      {
        name: "firstTextRatio",
        value: medianOf(host) / medianOf(bare),
        target: { atMost: 1.2 },
        says: "p50 of the host / p50 of the bare pipe",
      },
      {
        name: "firstTextAddedMs",
        value: medianOf(host) - medianOf(bare),
        says: "p50 of the host - p50 of the bare pipe, in milliseconds",
      },
    ],
  };
};

const quantileOf = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
};
