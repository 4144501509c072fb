// One session as fast as possible, through the server to a client's socket, next to the official Agent SDK. The SDK
// reads the same stub in its own process and neither folds nor stores nor sends.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { SDK_VERSION, agentSdkFolder } from "./agent-sdk.ts";
import type { RateReading } from "./bridge-rate-reader.ts";
import { writeDeltaStream } from "./delta-stream.ts";
import { bestOf, grouped, medianOf, medianRatio } from "./figure.ts";
import type { Report } from "./figure.ts";
import { READINGS, runReader } from "./reader.ts";
import type { Reading } from "./reader.ts";

export interface BridgeRateOptions {
  readonly deltas: number;
  readonly rounds: number;
  readonly withSdk: boolean;
  readonly say: (line: string) => void;
}

type Contender = "server" | "sdk";

export const benchBridgeRate = async ({ deltas, rounds, withSdk, say }: BridgeRateOptions): Promise<Report> => {
  const sdkFolder = withSdk ? await agentSdkFolder(say) : "";
  const contenders: Contender[] = withSdk ? ["server", "sdk"] : ["server"];
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-bench-bridge-rate-"));
  const readings: { server: RateReading[]; sdk: Reading[] } = { server: [], sdk: [] };
  try {
    const file = join(folder, "stream");
    const stream = writeDeltaStream(file, deltas, "plain");
    const mustBeWhole = ({ textLength }: { readonly textLength: number }, contender: Contender): void => {
      if (textLength !== stream.textLength)
        throw new Error(`${contender} saw ${String(textLength)} characters, and not ${String(stream.textLength)}`);
    };
    for (let round = 0; round < rounds; round += 1) {
      say(`bridge-rate: round ${String(round + 1)} of ${String(rounds)}`);
      for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) {
        if (contender === "server") {
          const place = join(folder, `server-${String(round)}`);
          mkdirSync(place);
          const reading = await runReader<RateReading>("bridge-rate-reader.ts", [file, place, String(READINGS)]);
          mustBeWhole(reading, contender);
          readings.server.push(reading);
        } else {
          const args = ["sdk", file, String(stream.bytes), sdkFolder, String(READINGS)];
          const reading = await runReader<Reading>("decode-reader.ts", args);
          mustBeWhole(reading, contender);
          readings.sdk.push(reading);
        }
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  return reportOf({ deltas, rounds, withSdk, say }, readings);
};

const reportOf = (
  { deltas, rounds, withSdk }: BridgeRateOptions,
  readings: { readonly server: readonly RateReading[]; readonly sdk: readonly Reading[] },
): Report => {
  const timesOf = (list: readonly { readonly milliseconds: number }[]): number[] =>
    list.map(({ milliseconds }) => milliseconds);
  const cpuOf = (list: readonly { readonly cpuMilliseconds: number }[]): number[] =>
    list.map(({ cpuMilliseconds }) => cpuMilliseconds);
  const row = (title: string, list: readonly (RateReading | Reading)[]): string[] => {
    const middle = medianOf(timesOf(list));
    return [
      title,
      middle.toFixed(0),
      bestOf(timesOf(list)).toFixed(0),
      medianOf(cpuOf(list)).toFixed(0),
      grouped((deltas / middle) * 1000),
    ];
  };
  const server = timesOf(readings.server);
  const sdk = timesOf(readings.sdk);
  return {
    title: `bridge-rate: ${grouped(deltas)} deltas of one session to a WebSocket client, median of ${String(rounds)} interleaved rounds`,
    table: [
      ["contender", "ms", "best ms", "CPU ms", "deltas/s"],
      row("server: stub to a client of another process", readings.server),
      ...(withSdk ? [row(`Agent SDK ${SDK_VERSION}: query(), in its own process`, readings.sdk)] : []),
    ],
    details: { rounds, deltas, statistic: "median of the rounds' ratios", readings },
    figures: [
      ...(withSdk
        ? [
            {
              name: "bridgeRatioToSdk",
              value: medianRatio(sdk, server),
              target: { atLeast: 0.7 },
              says: "rate of one session's deltas at a WebSocket client / the Agent SDK's in-process rate",
            },
            {
              name: "bridgeRatioToSdkCpu",
              value: medianRatio(cpuOf(readings.sdk), cpuOf(readings.server)),
              says: "the same by the CPU time of the process (all threads) that reads the stub",
            },
          ]
        : []),
      {
        name: "bridgeDeltasPerFrame",
        value: medianOf(readings.server.map(({ frames }) => deltas / frames)),
        says: "deltas that a frame carries at that rate",
      },
    ],
  };
};
