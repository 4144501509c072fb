// A server in front of a real CLI, which talks to a scripted Messages API. Everything ends with the test.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApi } from "@quarterdeck/simulator";
import type { Api, Scenario } from "@quarterdeck/simulator";
import { onTestFinished } from "vitest";
import { cacheFolder, claudeProgram, NEWEST } from "@quarterdeck/test-kit/claude-cache";
import { cleanEnv } from "@quarterdeck/test-kit/clean-env";
import { Bench } from "./bench.ts";
import { makePlace } from "./server-process.ts";

export interface RealBench {
  readonly bench: Bench;
  readonly api: Api;
  /** The home folder of the CLI. */
  readonly home: string;
}

/** Answers the prompt "hello". */
export const HELLO: Scenario = {
  name: "real",
  scripts: [{ when: "hello", steps: [{ say: [{ text: "Hello there." }] }] }],
};

export const startRealBench = async (scenario: Scenario = HELLO, version: string = NEWEST): Promise<RealBench> => {
  const program = await claudeProgram(version);
  const api = await startApi({ scenario });
  onTestFinished(() => api.close());
  const home = mkdtempSync(join(tmpdir(), "quarterdeck-real-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 10 }));
  const env = cleanEnv({ home, tmp: home, apiUrl: api.url, compileCache: join(cacheFolder(), "compiled") });
  const { PATH: _path, ...rest } = env;
  const place = makePlace(scenario, { command: program.command, args: program.args, env: rest });
  return { bench: await Bench.start(place), api, home };
};
