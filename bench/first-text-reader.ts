// Time from the prompt to the first text, in warm sessions of the real CLI. One session runs through the host, the
// other through a bare pipe with the same flags, environment and prompts. They take turns, one prompt at a time.
// Usage: first-text-reader.ts <folder> <url of the API> <turns>
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { Host, openSqliteStore } from "@quarterdeck/host";
import { HOST_OPTIONS, argvOf, controlRequest, encodeLine, userMessage } from "@quarterdeck/protocol";

import { NEWEST, cacheFolder, claudeProgram } from "@quarterdeck/test-kit/claude-cache";
import { cleanEnv } from "@quarterdeck/test-kit/clean-env";

/** Milliseconds, in the order of the turns. */
export interface FirstTexts {
  readonly bare: number[];
  readonly host: number[];
}

interface Contender {
  /** Sends a prompt and waits for its turn to end. Returns the milliseconds to the first text. */
  turn(): Promise<number>;
  close(): Promise<void>;
}

const [, , folder = "", apiUrl = "", turns = "1"] = process.argv;
const WARM_UP = 3;
const { command, args } = await claudeProgram(NEWEST);

const placeOf = (name: string): { readonly cwd: string; readonly env: Record<string, string> } => {
  const [home, tmp, cwd] = ["home", "tmp", "work"].map((part) => join(folder, name, part)) as [string, string, string];
  for (const path of [home, tmp, cwd]) mkdirSync(path, { recursive: true });
  return { cwd, env: cleanEnv({ home, tmp, apiUrl, compileCache: join(cacheFolder(), "compiled") }) };
};

const textOf = (message: unknown): string | undefined => {
  const { type, event } = message as { type?: string; event?: { delta?: { type?: string; text?: string } } };
  return type === "stream_event" && event?.delta?.type === "text_delta" ? event.delta.text : undefined;
};
const isResult = (message: unknown): boolean => (message as { type?: string }).type === "result";

/** The clock of one turn. */
const stopwatch = () => {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const startedAt = performance.now();
  let first: number | undefined;
  const take = (message: unknown): void => {
    if (first === undefined && textOf(message) !== undefined) first = performance.now() - startedAt;
    if (isResult(message)) end();
  };
  return {
    take,
    time: async (): Promise<number> => {
      await ended;
      if (first === undefined) throw new Error("the turn had no text");
      return first;
    },
  };
};

const bareContender = async (): Promise<Contender> => {
  const { cwd, env } = placeOf("bare");
  const { argv } = argvOf({ ...HOST_OPTIONS, permissionMode: "default" }, { version: NEWEST });
  const child = spawn(command, [...args, ...argv], { cwd, env, stdio: ["pipe", "pipe", "inherit"] });
  const decoder = new TextDecoder();
  let begun = "";
  let take: (message: unknown) => void = () => {};
  child.stdout.on("data", (chunk: Buffer) => {
    begun += decoder.decode(chunk, { stream: true });
    const lines = begun.split("\n");
    begun = lines.pop() ?? "";
    for (const line of lines) take(JSON.parse(line));
  });
  const ready = new Promise<void>((resolve, reject) => {
    take = (message) => {
      if ((message as { type?: string }).type === "control_response") resolve();
    };
    child.once("exit", (code) => reject(new Error(`the CLI ended with ${String(code)}`)));
  });
  child.stdin.write(encodeLine(controlRequest("initialize", { subtype: "initialize" })));
  await ready;
  return {
    turn: () => {
      const watch = stopwatch();
      ({ take } = watch);
      child.stdin.write(encodeLine(userMessage("hello")));
      return watch.time();
    },
    close: async () => {
      const exited = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await exited;
    },
  };
};

const hostContender = async (): Promise<Contender> => {
  const { cwd, env } = placeOf("host");
  const host = await Host.open({
    store: await openSqliteStore(join(folder, "data")),
    claude: { command, prefixArgs: args, version: NEWEST },
    environment: () => env,
    dataDirId: `bench-first-text-${String(process.pid)}`,
  });
  const session = await host.start({ cwd });
  let take: (message: unknown) => void = () => {};
  session.subscribe((event) => {
    if (event.type === "streamed" || event.type === "received") take(event.message);
  });
  return {
    turn: async () => {
      const watch = stopwatch();
      ({ take } = watch);
      await session.prompt("hello");
      return watch.time();
    },
    close: () => host.close(),
  };
};

const contenders = { bare: await bareContender(), host: await hostContender() };
const times: FirstTexts = { bare: [], host: [] };
for (let turn = -WARM_UP; turn < Number(turns); turn += 1) {
  for (const name of turn % 2 === 0 ? (["bare", "host"] as const) : (["host", "bare"] as const)) {
    const took = await contenders[name].turn();
    if (turn >= 0) times[name].push(took);
  }
}
for (const contender of Object.values(contenders)) await contender.close();
console.log(JSON.stringify(times));
