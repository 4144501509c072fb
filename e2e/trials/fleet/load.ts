// Many sessions that stream through the fleet to many clients, next to the bare relay of `npm run bench -- bridge-load`, in turn.

import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { LoadReading } from "../../../bench/bridge-load-reader.ts";
import { medianOf, medianRatio } from "../../../bench/figure.ts";
import { atMost, none, told } from "../outcome.ts";
import type { Line, Size } from "../outcome.ts";
import { remove, scratch, shortOfMs } from "./world.ts";

const READER = fileURLToPath(new URL("../../../bench/bridge-load-reader.ts", import.meta.url));

export const load = async (size: Size): Promise<Line[]> => {
  const [sessions, clients, seconds, rounds] = size.isSmall ? [2, 4, 1, 1] : [20, 40, 8, 3];
  const folder = scratch();
  const readings = { fleet: [] as LoadReading[], relay: [] as LoadReading[] };
  try {
    for (let round = 0; round < rounds; round += 1)
      for (const contender of round % 2 === 0 ? (["fleet", "relay"] as const) : (["relay", "fleet"] as const)) {
        const place = join(folder, `${contender}-${String(round)}`);
        mkdirSync(place);
        const args = [contender, place, ...[sessions, clients, 100, seconds].map(String)];
        const { stdout } = await promisify(execFile)(process.execPath, ["--conditions=source", READER, ...args]);
        readings[contender].push(JSON.parse(stdout) as LoadReading);
        size.say(`load: ${contender}, round ${String(round + 1)} of ${String(rounds)}`);
      }
  } finally {
    remove(folder);
  }
  const all = (contender: keyof typeof readings, field: keyof LoadReading) =>
    readings[contender].map((one) => one[field]);
  const ratio = (field: keyof LoadReading): number => medianRatio(all("fleet", field), all("relay", field));
  const both = (field: keyof LoadReading): string =>
    (["fleet", "relay"] as const).map((name) => shortOfMs(medianOf(all(name, field)))).join(" and ");
  return [
    told("sessions that stream, and clients", `${String(sessions)} and ${String(clients)}`),
    told("p50 of the fleet and of the bare relay", both("p50")),
    told("p99 of the fleet and of the bare relay", both("p99")),
    atMost("p50, fleet / bare relay", ratio("p50"), 2, ""),
    atMost("p99, fleet / bare relay", ratio("p99"), 2, ""),
    atMost("CPU of machine, NATS and gateway / relay", ratio("cpuMicrosecondsPerDelivery"), 4, ""),
    none(
      "deltas lost",
      all("fleet", "lost").reduce((sum, lost) => sum + lost, 0),
    ),
  ];
};
