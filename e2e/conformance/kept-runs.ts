// Stored runs of real CLIs, found by everything that determines them: the version, the case, and the sources that play
// it. So an interrupted full run can continue. The runs are judged again each time. Runs of the simulator are never
// stored, because its sources change.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Case } from "./case.ts";
import type { CaseRun, Player } from "./run-case.ts";

export interface KeptRuns {
  readonly find: (wanted: Case, player: Player) => CaseRun | undefined;
  readonly keep: (wanted: Case, player: Player, run: CaseRun) => void;
}

const PLAYING = [
  "drive.ts",
  "match.ts",
  "run-case.ts",
  "../../packages/test-kit/src/clean-env.ts",
  ...["api", "api-side-calls", "api-stream", "scenario"].map((name) => `../../packages/simulator/src/${name}.ts`),
];

export const keptRunsIn = (folder: string): KeptRuns => {
  const sources = PLAYING.map((file) => readFileSync(new URL(file, import.meta.url), "utf8"));
  const fileOf = ({ name, scenario, phases, files, env, unprivileged }: Case, { version }: Player): string => {
    const played = JSON.stringify([version, scenario, phases, files, env, unprivileged, sources]);
    const mark = createHash("sha256").update(played).digest("hex").slice(0, 16);
    return join(folder, `${name}@${version}-${mark}.json`);
  };
  mkdirSync(folder, { recursive: true });
  return {
    find: (wanted, player) => {
      const file = fileOf(wanted, player);
      return player.kind === "cli" && existsSync(file)
        ? (JSON.parse(readFileSync(file, "utf8")) as CaseRun)
        : undefined;
    },
    keep: (wanted, player, run) => {
      if (player.kind === "cli") writeFileSync(fileOf(wanted, player), JSON.stringify(run));
    },
  };
};
