// The server next to a minimal relay: many sessions that stream, each followed by several clients. Shows what the
// server adds to the delay of a delta, and what it costs to fold and store a session.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { LoadReading } from "./bridge-load-reader.ts";
import { grouped, medianOf, medianRatio, rounded } from "./figure.ts";
import type { Figure, Report } from "./figure.ts";
import { runReader } from "./reader.ts";

export interface Load {
  readonly sessions: number;
  readonly clients: number;
}
export interface BridgeLoadOptions {
  readonly load: Load;
  /** Seconds of each round, after a warm-up. */
  readonly seconds: number;
  readonly rounds: number;
  readonly say: (line: string) => void;
}

export const DEFAULT_LOAD: Load = { sessions: 20, clients: 40 };
const DELTAS_A_SECOND = 100;
const CONTENDERS = ["server", "relay"] as const;
type ByContender<T> = Readonly<Record<(typeof CONTENDERS)[number], T>>;

export const benchBridgeLoad = async ({ load, seconds, rounds, say }: BridgeLoadOptions): Promise<Report> => {
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-bench-bridge-load-"));
  const readings: ByContender<LoadReading[]> = { server: [], relay: [] };
  const { sessions, clients } = load;
  try {
    for (let round = 0; round < rounds; round += 1) {
      say(`bridge-load ${String(sessions)}x${String(clients)}: round ${String(round + 1)} of ${String(rounds)}`);
      for (const contender of round % 2 === 0 ? CONTENDERS : CONTENDERS.toReversed()) {
        const place = join(folder, `${contender}-${String(round)}`);
        mkdirSync(place);
        const args = [contender, place, ...[sessions, clients, DELTAS_A_SECOND, seconds].map(String)];
        readings[contender].push(await runReader<LoadReading>("bridge-load-reader.ts", args));
        rmSync(place, { recursive: true, force: true, maxRetries: 5 });
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  return reportOf({ load, seconds, rounds, say }, readings);
};

const reportOf = ({ load, seconds, rounds }: BridgeLoadOptions, readings: ByContender<LoadReading[]>): Report => {
  const { sessions, clients } = load;
  const isDefault = sessions === DEFAULT_LOAD.sessions && clients === DEFAULT_LOAD.clients;
  const suffix = isDefault ? "" : `At${String(sessions)}x${String(clients)}`;
  const all = (contender: keyof typeof readings, field: keyof LoadReading): number[] =>
    readings[contender].map((reading) => reading[field]);
  const row = (title: string, contender: keyof typeof readings): string[] => {
    const middle = (field: keyof LoadReading): number => medianOf(all(contender, field));
    return [
      title,
      middle("p50").toFixed(2),
      middle("p99").toFixed(2),
      middle("worst").toFixed(1),
      (middle("cpuShare") * 100).toFixed(1),
      middle("cpuMicrosecondsPerDelivery").toFixed(1),
      grouped(middle("deliveriesPerSecond")),
      (middle("residentBytes") / 1e6).toFixed(0),
    ];
  };
  const ratio = (name: string, field: keyof LoadReading, says: string): Figure => ({
    name: `${name}${suffix}`,
    value: medianRatio(all("server", field), all("relay", field)),
    target: { atMost: 1.3 },
    says,
  });
  return {
    title:
      `bridge-load: ${String(sessions)} sessions x ${String(DELTAS_A_SECOND)} deltas/s, ${String(clients)} clients, log FULL, ` +
      `${String(seconds)} s, median of ${String(rounds)} interleaved rounds`,
    table: [
      ["contender", "p50 ms", "p99 ms", "worst ms", "CPU %", "us/delivery", "deliveries/s", "resident MB"],
      row("server: split, decode, fold, SQLite FULL, feed", "server"),
      row("bare relay: split, JSON.parse, ws.send", "relay"),
    ],
    details: {
      rounds,
      seconds,
      ...load,
      deltasPerSecond: DELTAS_A_SECOND,
      statistic: "median of the rounds' ratios",
      readings,
    },
    figures: [
      ratio("bridgeP50Ratio", "p50", "CLI stdout to client, p50 / that of the bare relay"),
      ratio("bridgeP99Ratio", "p99", "CLI stdout to client, p99 / that of the bare relay"),
      ratio("bridgeCpuRatio", "cpuMicrosecondsPerDelivery", "CPU of the process per delta and client / the relay's"),
      {
        name: `bridgeP99Ms${suffix}`,
        value: rounded(medianOf(all("server", "p99"))),
        says: "CLI stdout to client, p99, in milliseconds",
      },
      {
        name: `bridgeLost${suffix}`,
        value: all("server", "lost").reduce((sum, lost) => sum + lost, 0),
        target: { atMost: 0 },
        says: "deltas of all rounds that a client did not get: whole texts, compared with what the CLI wrote",
      },
    ],
  };
};
