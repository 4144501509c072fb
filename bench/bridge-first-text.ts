// Time from sending a prompt to the first text at a client. The peer is CloudCLI, the most used program of this kind,
// with the same CLI, environment and scripted API. If CloudCLI cannot be installed or driven, only our server is
// measured, and the output says so.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startApi } from "@quarterdeck/simulator";

import { NEWEST, claudeProgram } from "@quarterdeck/test-kit/claude-cache";
import { CLOUDCLI_VERSION, cloudCliFolder } from "./bridge-cloudcli.ts";
import { medianOf, medianRatio, rounded } from "./figure.ts";
import type { Report } from "./figure.ts";
import { runReader } from "./reader.ts";

export interface BridgeFirstTextOptions {
  readonly rounds: number;
  readonly withCloudCli: boolean;
  readonly say: (line: string) => void;
}

const TURNS = 3;
/** Measured once, on another machine. Reported if CloudCLI cannot be measured here. */
const TOLD_OF_CLOUDCLI = [1657, 2457, 1140];
type Contender = "server" | "cloudcli";
/** Milliseconds of each turn, by round. */
type Times = Readonly<Record<Contender, (readonly number[])[]>>;

export const benchBridgeFirstText = async (options: BridgeFirstTextOptions): Promise<Report> => {
  const { rounds, withCloudCli, say } = options;
  await claudeProgram(NEWEST, say);
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-bench-bridge-first-text-"));
  const scripts = [{ when: "hello", steps: [{ say: [{ text: "Hello there, and welcome on board." }] }] }];
  const api = await startApi({ scenario: { name: "first-text", scripts } });
  const times: Times = { server: [], cloudcli: [] };
  let missing = withCloudCli ? undefined : "it was left out with --without-cloudcli";
  try {
    const cloudCli =
      missing === undefined
        ? await cloudCliFolder(say).catch((error: unknown) => {
            missing = `it could not be installed: ${firstLineOf(error)}`;
          })
        : undefined;
    for (let round = 0; round < rounds; round += 1) {
      say(`bridge-first-text: round ${String(round + 1)} of ${String(rounds)}`);
      for (const contender of round % 2 === 0 ? (["server", "cloudcli"] as const) : (["cloudcli", "server"] as const)) {
        if (contender === "cloudcli" && missing !== undefined) continue;
        const place = join(folder, `${contender}-${String(round)}`);
        mkdirSync(place);
        const args = [contender, place, api.url, String(TURNS), ...(cloudCli === undefined ? [] : [cloudCli])];
        try {
          times[contender].push(await runReader<number[]>("bridge-first-text-reader.ts", args));
        } catch (error) {
          if (contender === "server") throw error;
          missing = `it could not be driven: ${firstLineOf(error)}`;
        }
      }
    }
  } finally {
    await api.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  return reportOf(rounds, times, missing);
};

const firstLineOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error))
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(0, 3)
    .join(" ");

const reportOf = (rounds: number, { server, cloudcli }: Times, missing: string | undefined): Report => {
  const turns = Array.from({ length: TURNS }, (_, turn) => turn);
  const row = (title: string, list: readonly (readonly number[])[]): string[] => [
    title,
    ...turns.map((turn) => medianOf(list.map((times) => times[turn]!)).toFixed(0)),
  ];
  const told = `not measured in this run, because ${missing ?? ""}; measured once elsewhere`;
  const isMeasured = missing === undefined;
  return {
    title: `bridge-first-text: prompt sent to first text on the wire, warm, Claude Code ${NEWEST}, scripted API, median of ${String(rounds)} interleaved rounds`,
    table: [
      ["contender", ...turns.map((turn) => `turn ${String(turn + 1)} ms`)],
      row("server", server),
      isMeasured
        ? row(`CloudCLI ${CLOUDCLI_VERSION}`, cloudcli)
        : [`CloudCLI 1.37.3 (${told})`, ...TOLD_OF_CLOUDCLI.map(String)],
    ],
    details: {
      rounds,
      turns: TURNS,
      milliseconds: { server, cloudcli },
      ...(!isMeasured && { cloudCliMissing: told }),
    },
    figures: [
      {
        name: "sendToFirstTextMs",
        value: rounded(medianOf(server.flat())),
        says: "prompt sent to first text on the wire, median of all turns, in milliseconds",
      },
      ...(isMeasured
        ? [
            {
              name: "sendToFirstTextRatioToCloudCli",
              value: medianRatio(
                server.map((times) => medianOf(times)),
                cloudcli.map((times) => medianOf(times)),
              ),
              target: { atMost: 1 },
              says: "the same / that of CloudCLI",
            },
          ]
        : []),
    ],
  };
};
