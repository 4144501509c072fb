import { defineConfig } from "vitest/config";

// `unit` is the quick loop; `cli` spawns real CLIs and the simulator and needs the network once, for the CLI itself.
export default defineConfig({
  ssr: { resolve: { conditions: ["source"] } },
  resolve: { conditions: ["source"] },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["packages/*/src/**/*.test.ts", "scripts/**/*.test.ts"],
          exclude: ["**/*.cli.test.ts"],
          // Nothing takes this long; a busy machine may.
          testTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: {
          name: "cli",
          include: ["e2e/**/*.test.ts", "packages/*/src/**/*.cli.test.ts", "bench/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
