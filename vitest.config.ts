import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer } from "vitest/node";
import type { TestSpecification } from "vitest/node";

// `unit` is the quick loop; `process` spawns the simulator and other children; `cli` runs real CLIs and needs the network
// once, for the CLI itself. Nothing in them takes as long as their limits; a busy machine may.
const PROCESS = ["packages/simulator/src/**/*.test.ts", "packages/host/src/**/*.test.ts"];

/** A minute or more on a busy machine, the longest first. Started last, one of them would keep a single worker busy at the end. */
const SLOW = [
  "e2e/attack/git-folders.test.ts",
  "packages/host/src/host-resume.cli.test.ts",
  "e2e/timeline/timeline.test.ts",
  "packages/cli/src/remote/remote-commands.cli.test.ts",
  "packages/cli/src/serve/serve.cli.test.ts",
  "e2e/page/changes.test.ts",
  "packages/host/src/trust/folder-trust.cli.test.ts",
  "e2e/attack/live-trust.test.ts",
  "packages/host/src/host.cli.test.ts",
  "e2e/bridge/restart.test.ts",
  "e2e/page/real-cli.test.ts",
  "e2e/packed.test.ts",
  "packages/host/src/process/cli-process.cli.test.ts",
  "e2e/bridge/sessions.test.ts",
  "e2e/page/requests.test.ts",
  "packages/host/src/host-kill.cli.test.ts",
  "e2e/page/sessions.test.ts",
  "e2e/page/connection.test.ts",
  "e2e/client/real-server.test.ts",
  "e2e/page/screens.test.ts",
  "packages/host/src/permissions.cli.test.ts",
  "e2e/ccpocket/ccpocket.test.ts",
  "packages/cli/src/rules/rules.cli.test.ts",
  "e2e/attack/shown-text.test.ts",
  "e2e/page/composer.test.ts",
  "e2e/attack/terminal.test.ts",
  "packages/host/src/store/sqlite/damage.cli.test.ts",
  "packages/host/src/store/sqlite/kill.cli.test.ts",
  "packages/cli/src/run/run.cli.test.ts",
];
const rankOf = ({ moduleId }: TestSpecification): number => {
  const rank = SLOW.findIndex((file) => moduleId.endsWith(file));
  return rank === -1 ? SLOW.length : rank;
};
class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

export default defineConfig(({ mode }) => ({
  ssr: { resolve: { conditions: ["source"] } },
  resolve: { conditions: ["source"] },
  test: {
    // Hundreds of processes are started, and most of what they do at first is compiling the same sources.
    env: {
      NODE_COMPILE_CACHE: fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url)),
      // `npm run test:all` repeats more (packages/test-kit/src/how-much.ts).
      QUARTERDECK_TESTS: mode === "all" ? "all" : "once",
    },
    globalSetup: fileURLToPath(new URL("scripts/test-folder.ts", import.meta.url)),
    // What a test polls for is there at once; a busy machine may need longer than vitest's own second.
    expect: { poll: { timeout: 30_000 } },
    sequence: { sequencer: SlowestFirst },
    // `npm test` leaves these to `npm run test:all`, and the files `*.long.test.ts` (docs/decisions/0021-what-npm-test-leaves-out.md).
    tags: [{ name: "long", description: "A long journey beside a shorter test of the same part." }],
    // A worker runs several files, each with fresh modules of ours. A new worker for each file costs far more CPU.
    isolate: false,
    setupFiles: fileURLToPath(new URL("scripts/fresh-modules.ts", import.meta.url)),
    // A throttled machine needs ten times as long as a quiet one. These limits only end what hangs.
    hookTimeout: 600_000,
    // Most of the time is spent waiting for processes and browsers: four workers use only 1.4 of two cores.
    maxWorkers: Math.max(6, availableParallelism() - 1),
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["packages/*/src/**/*.test.ts", "scripts/**/*.test.ts", "bench/**/*.test.ts"],
          exclude: ["**/*.cli.test.ts", ...PROCESS],
          testTimeout: 180_000,
        },
      },
      {
        extends: true,
        test: { name: "process", include: PROCESS, exclude: ["**/*.cli.test.ts"], testTimeout: 240_000 },
      },
      {
        extends: true,
        test: {
          name: "cli",
          include: ["e2e/**/*.test.ts", "packages/*/src/**/*.cli.test.ts"],
          exclude: mode === "all" ? [] : ["**/*.long.test.ts"],
          testTimeout: 300_000,
        },
      },
    ],
  },
}));
