// `kill -9` at random points. It kills a program that writes to the store as fast as it can, and a host whose sessions
// stream, ask and run tools in other processes. Acknowledged data must be there, and no process may survive.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { hostKillRounds } from "../packages/host/src/host-kill.fixture.ts";
import { killRounds } from "../packages/host/src/store/sqlite/store-kill.fixture.ts";
import { grouped } from "./figure.ts";
import type { Report } from "./figure.ts";

export interface KillOptions {
  /** Kills of each program. */
  readonly rounds: number;
  readonly say: (line: string) => void;
}

const EVERY = 50;

export const benchKill = async ({ rounds, say }: KillOptions): Promise<Report> => {
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-bench-kill-"));
  const seed = Math.floor(Date.now() / 1000);
  say(`kill: seed ${String(seed)}`);
  try {
    const hosts = await hostKillRounds(join(folder, "host"), rounds, seed, (totals) => {
      if (totals.rounds % EVERY === 0) {
        say(`kill: ${String(totals.rounds)} of ${String(rounds)} hosts, ${String(totals.wrong.length)} wrong`);
      }
    });
    say(`kill: ${String(rounds)} writers`);
    const stores = await killRounds(join(folder, "store"), rounds, seed);
    const wrong = [...hosts.wrong, ...stores.wrong];
    for (const what of [...wrong, ...hosts.refused]) say(`kill: ${what}`);
    return {
      title: `kill: SIGKILL at random points, ${grouped(rounds)} hosts and ${grouped(rounds)} writers, seed ${String(seed)}`,
      table: [
        ["who was killed", "times", "acknowledged", "prompts", "answers", "orphans ended", "processes left", "wrong"],
        [
          "a host with two sessions",
          ...[
            hosts.rounds,
            hosts.acknowledged,
            hosts.prompts,
            hosts.answers,
            hosts.orphans,
            hosts.left,
            hosts.wrong.length,
          ].map(grouped),
        ],
        [
          "a writer to four logs",
          ...[stores.rounds, stores.acknowledged].map(grouped),
          "",
          "",
          "",
          "",
          grouped(stores.wrong.length),
        ],
      ],
      details: { seed, hosts, stores },
      figures: [
        {
          name: "killsLost",
          value: wrong.length,
          target: { atMost: 0 },
          says: "facts, prompts or answers lost, numbers not dense, damage found by the database's own check",
        },
        {
          name: "killsProcessesLeft",
          value: hosts.left,
          target: { atMost: 0 },
          says: "processes with the marker of the killed host, after the next one has started",
        },
        {
          name: "killsAcknowledged",
          value: hosts.acknowledged + stores.acknowledged,
          says: "acknowledged facts, prompts and answers",
        },
        { name: "killsOrphans", value: hosts.orphans, says: "processes that survived their host and were then ended" },
        {
          name: "killsNotResumed",
          value: hosts.refused.length,
          says: "sessions that the CLI did not resume; their log is complete",
        },
      ],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
};
