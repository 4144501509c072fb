// A measurement runs in its own process, a reader, so that no contender inherits the compiled code, the heap or the
// garbage of another. A reader starts the stub CLI, reads it, and prints one line of JSON.
import { execFile, spawn } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { controlRequest, encodeLine, userMessage } from "@quarterdeck/protocol";

export interface Reading {
  /** The best reading after the first. With a single reading, that one. */
  readonly milliseconds: number;
  /** The same for CPU time of all threads of the process. Other busy processes do not add to it. */
  readonly cpuMilliseconds: number;
  /** The first reading in its process. */
  readonly cold: number;
  /** From the last reading. */
  readonly deltas: number;
  readonly textLength: number;
}
/** Readings per process. */
export const READINGS = 3;

/** The clocks of one reading. */
export interface Clock {
  readonly wall: number;
  readonly cpu: number;
}
export const clock = (): Clock => {
  const { user, system } = process.cpuUsage();
  return { wall: performance.now(), cpu: (user + system) / 1000 };
};
export const since = (start: Clock): Clock => {
  const now = clock();
  return { wall: now.wall - start.wall, cpu: now.cpu - start.cpu };
};

export const readingOf = (times: readonly Clock[], deltas: number, textLength: number): Reading => {
  const warm = times.length === 1 ? times : times.slice(1);
  return {
    milliseconds: Math.min(...warm.map(({ wall }) => wall)),
    cpuMilliseconds: Math.min(...warm.map(({ cpu }) => cpu)),
    cold: times[0]?.wall ?? 0,
    deltas,
    textLength,
  };
};

export const STUB = fileURLToPath(new URL("stub-cli.ts", import.meta.url));
export const PROMPT = userMessage("Go on.");

/** Runs `script` in a fresh Node and returns its output. */
export const runReader = async <T>(
  script: string,
  args: readonly string[],
  flags: readonly string[] = [],
): Promise<T> => {
  const file = fileURLToPath(new URL(script, import.meta.url));
  try {
    const { stdout } = await promisify(execFile)(process.execPath, ["--conditions=source", ...flags, file, ...args]);
    return JSON.parse(stdout) as T;
  } catch (error) {
    // The SDK is one line of 1 MB, and Node prints the line that threw.
    const said = String((error as { stderr?: unknown }).stderr ?? error)
      .split("\n")
      .filter((line) => line.trim() !== "" && line.length < 500);
    throw new Error(`${script} ${args.join(" ")} failed:\n${said.join("\n")}`, { cause: error });
  }
};

export const stubEnvironment = (stream: string): Record<string, string> => ({
  PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
  BENCH_STREAM: stream,
});

export interface StubReading {
  /** Called when the stub is running and has its stream in memory, right before the prompt is sent. */
  readonly onReady: () => void;
  /** Returns whether everything was read. */
  readonly onChunk: (chunk: Buffer) => boolean;
}

/**
 * Starts the stub as a child process, like a host starts the CLI, and reads its stdout until `onChunk` returns true.
 */
export const readStub = (stream: string, { onReady, onChunk }: StubReading): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [STUB], { env: stubEnvironment(stream), stdio: ["pipe", "pipe", "inherit"] });
    child.on("error", reject);
    child.on("close", (code) => {
      reject(new Error(`the stub ended with ${String(code)} before all was read`));
    });
    let isReady = false;
    child.stdout.on("data", (chunk: Buffer) => {
      if (!isReady) {
        // The answer to `initialize`. Nothing else is written before the prompt.
        isReady = true;
        onReady();
        child.stdin.write(encodeLine(PROMPT));
      } else if (onChunk(chunk)) {
        resolve();
        child.stdin.end();
      }
    });
    child.stdin.write(encodeLine(controlRequest("initialize", { subtype: "initialize" })));
  });
