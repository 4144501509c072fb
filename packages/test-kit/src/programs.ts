// The programs that tests start as separate processes. A test run starts bundles of them (scripts/test-programs.ts), because a start
// from the sources costs two to four times as much. Without a test run, as for the screenshots, they start from their sources.

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** By name, where their sources are in the repository. */
export const PROGRAMS = {
  quarterdeck: "packages/cli/bin/quarterdeck.js",
  "quarterdeck-sim": "packages/simulator/bin/quarterdeck-sim.js",
  "recording-claude": "e2e/bridge/recording-claude.ts",
  "record-stdin": "e2e/bridge/record-stdin.ts",
  "host-child": "packages/host/src/host-child.fixture.ts",
  "streaming-host": "packages/host/src/streaming-host.fixture.ts",
  "store-child": "packages/host/src/store/sqlite/store-child.fixture.ts",
} as const;
export type ProgramName = keyof typeof PROGRAMS;

/** What follows `node` to start the program. */
export const programWords = (name: ProgramName): readonly string[] => {
  const bundles = process.env["QUARTERDECK_TEST_PROGRAMS"];
  const bundle = bundles === undefined ? undefined : join(bundles, `${name}.js`);
  if (bundle !== undefined && existsSync(bundle)) return [bundle];
  return ["--conditions=source", join(import.meta.dirname, "..", "..", "..", PROGRAMS[name])];
};

/** An executable file that starts the program. */
export const writeProgram = (path: string, name: ProgramName, env: Readonly<Record<string, string>> = {}): void => {
  const words = [process.execPath, ...programWords(name)].map((word) => `'${word}'`).join(" ");
  const variables = Object.entries(env).map(([key, value]) => `${key}='${value}' `);
  writeFileSync(path, `#!/bin/sh\n${variables.join("")}exec ${words} "$@"\n`, { mode: 0o755 });
};

/** A `claude` that follows these scripts: the simulator. */
export const writeScriptedClaude = (path: string, scripts: readonly object[]): void => {
  const scenario = `${path}.scenario.json`;
  writeFileSync(scenario, JSON.stringify({ name: "scripted", scripts }));
  writeProgram(path, "quarterdeck-sim", { QUARTERDECK_SCENARIO: scenario });
};
