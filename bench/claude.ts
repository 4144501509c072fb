// `quarterdeck claude` next to the real program, with the same caller. It measures the time from a prompt to its first
// text in warm sessions of the real CLI, and the max rate of one session with the official SDK.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startApi } from "@quarterdeck/simulator";

import { agentSdkFolder } from "./agent-sdk.ts";
import type { ClaudeTimes } from "./claude-reader.ts";
import { writeDeltaStream } from "./delta-stream.ts";
import { bestOf, grouped, medianOf, medianRatio, rounded } from "./figure.ts";
import type { Report } from "./figure.ts";
import { runReader } from "./reader.ts";

export interface ClaudeBenchOptions {
  readonly deltas: number;
  /** Turns of the first text. The rate has a tenth of them. */
  readonly rounds: number;
  readonly say: (line: string) => void;
}

export const benchClaude = async ({ deltas, rounds, say }: ClaudeBenchOptions): Promise<Report> => {
  const sdk = await agentSdkFolder(say);
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-bench-claude-"));
  const scripts = [{ when: "hello", steps: [{ say: [{ text: "Hello there, and welcome on board." }] }] }];
  const api = await startApi({ scenario: { name: "first-text", scripts } });
  const readings = Math.max(1, Math.round(rounds / 10));
  let first: ClaudeTimes;
  let rate: ClaudeTimes;
  try {
    const places = ["first-text", "rate"].map((name) => join(folder, name)) as [string, string];
    for (const place of places) mkdirSync(place);
    say(`claude: ${String(rounds)} turns of each, in turn`);
    first = await runReader<ClaudeTimes>("claude-reader.ts", ["first-text", places[0], api.url, String(rounds)]);
    say(`claude: ${grouped(deltas)} deltas, ${String(readings)} readings of each, in turn`);
    const file = join(folder, "stream");
    const stream = writeDeltaStream(file, deltas, "plain");
    rate = await runReader<ClaudeTimes>("claude-reader.ts", ["rate", places[1], file, sdk, String(readings)]);
    for (const [name, length] of Object.entries(rate.textLengths))
      if (length !== stream.textLength)
        throw new Error(`${name} saw ${String(length)} characters, and not ${String(stream.textLength)}`);
  } finally {
    await api.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  const row = (title: string, list: readonly number[]): string[] => [
    title,
    medianOf(list).toFixed(1),
    bestOf(list).toFixed(1),
  ];
  return {
    title: `claude: a caller of the real program and of \`quarterdeck claude\`, ${String(rounds)} turns and ${String(readings)} readings of ${grouped(deltas)} deltas`,
    table: [
      ["contender", "p50 ms", "best ms"],
      row("first text, direct", first.direct),
      row("first text, relayed", first.relayed),
      row("all deltas at the SDK, direct", rate.direct),
      row("all deltas at the SDK, relayed", rate.relayed),
    ],
    details: {
      rounds,
      deltas,
      milliseconds: {
        firstText: { direct: first.direct.map(twoDigits), relayed: first.relayed.map(twoDigits) },
        rate: { direct: rate.direct.map(twoDigits), relayed: rate.relayed.map(twoDigits) },
      },
    },
    figures: [
      {
        name: "claudeFirstTextRatio",
        value: medianOf(first.relayed) / medianOf(first.direct),
        target: { atMost: 1.2 },
        says: "prompt to first text: p50 relayed / p50 direct",
      },
      {
        name: "claudeRateRatio",
        value: medianRatio(rate.direct, rate.relayed),
        target: { atLeast: 0.6 },
        says: "deltas per second at the SDK: relayed / direct, median of the rounds",
      },
    ],
  };
};

const twoDigits = (time: number): number => rounded(time, 2);
