// A caller of Claude Code, alternately direct and through `quarterdeck claude`. The official SDK reads the delta
// stream. A bare pipe waits for the first text of warm sessions of the real CLI.
// Usage: claude-reader.ts rate <folder> <stream file> <folder of the Agent SDK> <readings>
//        claude-reader.ts first-text <folder> <url of the API> <turns>
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { controlRequest, encodeLine, userMessage } from "@quarterdeck/protocol";
import { NEWEST, cacheFolder, claudeProgram } from "@quarterdeck/test-kit/claude-cache";
import { cleanEnv } from "@quarterdeck/test-kit/clean-env";

import { loadQuery } from "./agent-sdk.ts";
import { startBridgeServer, writeProgram } from "./bridge-server.ts";
import { PROMPT, STUB } from "./reader.ts";

/** Milliseconds, in the order of the turns. */
export interface ClaudeTimes {
  readonly direct: number[];
  readonly relayed: number[];
  /** Characters of the last reading of each. */
  readonly textLengths: Readonly<Record<"direct" | "relayed", number>>;
}
type Contender = "direct" | "relayed";

const [, , work = "", folder = "", source = "", ...rest] = process.argv;
const QUARTERDECK = fileURLToPath(new URL("../packages/cli/bin/quarterdeck.js", import.meta.url));

/** `quarterdeck claude` as one program, beside the server of this folder. */
const relayProgram = (): string => {
  const file = join(folder, "quarterdeck-claude");
  const words = [process.execPath, "--conditions=source", QUARTERDECK, "claude"].map((word) => `'${word}'`);
  writeFileSync(
    file,
    `#!/bin/sh\nexport QUARTERDECK_DATA_DIR='${join(folder, "data")}'\nexec ${words.join(" ")} "$@"\n`,
  );
  chmodSync(file, 0o755);
  return file;
};

const textOf = (message: unknown): string | undefined => {
  const { type, event } = message as { type?: string; event?: { delta?: { type?: string; text?: string } } };
  return type === "stream_event" && event?.delta?.type === "text_delta" ? event.delta.text : undefined;
};
const isResult = (message: unknown): boolean => (message as { type?: string }).type === "result";

const times: { readonly [K in Contender]: number[] } = { direct: [], relayed: [] };
const textLengths = { direct: 0, relayed: 0 };
const inTurn = async (count: number, warmUp: number, measure: (one: Contender) => Promise<number>): Promise<void> => {
  for (let turn = -warmUp; turn < count; turn += 1) {
    for (const one of turn % 2 === 0 ? (["direct", "relayed"] as const) : (["relayed", "direct"] as const)) {
      const took = await measure(one);
      if (turn >= 0) times[one].push(took);
    }
  }
};

const rate = async (): Promise<void> => {
  const [sdkFolder = "", readings = "1"] = rest;
  const stub = writeProgram(join(folder, "claude"), [process.execPath, STUB], { BENCH_STREAM: source });
  const server = await startBridgeServer({ folder, claude: stub });
  const query = await loadQuery(sdkFolder);
  const programs = { direct: stub, relayed: relayProgram() };
  const env = { PATH: process.env["PATH"] ?? "", HOME: join(folder, "home") };
  await inTurn(Number(readings), 1, async (one) => {
    const { promise: initialized, resolve: initialize } = Promise.withResolvers<unknown>();
    const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
    let startedAt = 0;
    let took = 0;
    const prompts = async function* () {
      await initialized;
      startedAt = performance.now();
      yield PROMPT;
      await finished;
    };
    const options = {
      pathToClaudeCodeExecutable: programs[one],
      includePartialMessages: true,
      settingSources: [],
      cwd: server.cwd,
      env,
    };
    const messages = query({ prompt: prompts(), options });
    initialize(messages.initializationResult());
    textLengths[one] = 0;
    for await (const message of messages) {
      textLengths[one] += textOf(message)?.length ?? 0;
      if (!isResult(message)) continue;
      took = performance.now() - startedAt;
      finish();
    }
    return took;
  });
  await server.stop();
};

const firstText = async (): Promise<void> => {
  const [turns = "1"] = rest;
  const { command, args } = await claudeProgram(NEWEST);
  const [home, tmp] = ["caller-home", "caller-tmp"].map((name) => join(folder, name)) as [string, string];
  for (const path of [home, tmp]) mkdirSync(path, { recursive: true });
  const env = cleanEnv({ home, tmp, apiUrl: source, compileCache: join(cacheFolder(), "compiled") });
  const server = await startBridgeServer({ folder, claude: command });
  const flags = ["-p", "--verbose", "--input-format", "stream-json", "--output-format", "stream-json"];
  const open = async (program: string, before: readonly string[]) => {
    const child = spawn(program, [...before, ...flags, "--include-partial-messages"], {
      cwd: server.cwd,
      env,
      stdio: ["pipe", "pipe", "inherit"],
    });
    let begun = "";
    let take: (message: unknown) => void = () => {};
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      const lines = (begun + chunk).split("\n");
      begun = lines.pop() ?? "";
      for (const line of lines) take(JSON.parse(line));
    });
    const ended = new Promise((resolve) => child.once("close", resolve));
    const until = (isIt: (message: unknown) => boolean): Promise<void> =>
      new Promise((resolve, reject) => {
        void ended.then((code) => reject(new Error(`the caller ended with ${String(code)}`)));
        take = (message) => {
          if (isIt(message)) resolve();
        };
      });
    const ready = until((message) => (message as { type?: string }).type === "control_response");
    child.stdin.write(encodeLine(controlRequest("initialize", { subtype: "initialize" })));
    await ready;
    return {
      turn: async (): Promise<number> => {
        const startedAt = performance.now();
        let first = 0;
        const done = until((message) => {
          if (first === 0 && textOf(message) !== undefined) first = performance.now() - startedAt;
          return isResult(message);
        });
        child.stdin.write(encodeLine(userMessage("hello")));
        await done;
        return first;
      },
      close: async (): Promise<void> => {
        take = () => {};
        child.stdin.end();
        await ended;
      },
    };
  };
  const callers = { direct: await open(command, args), relayed: await open(relayProgram(), []) };
  await inTurn(Number(turns), 3, (one) => callers[one].turn());
  for (const one of Object.values(callers)) await one.close();
  await server.stop();
};

await (work === "rate" ? rate() : firstText());
const result: ClaudeTimes = { ...times, textLengths };
console.log(JSON.stringify(result));
process.exit(0);
