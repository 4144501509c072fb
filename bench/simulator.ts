// Time from spawn to the answer to `initialize`: the simulator next to the CLI that it stands in for. Both get the same
// flags, the same clean environment and the same HOME, which a run that does not count has set up.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { LineSplitter, controlRequest, decodeLine, encodeLine } from "@quarterdeck/protocol";

import { NEWEST, claudeProgram } from "@quarterdeck/test-kit/claude-cache";
import { cleanEnv } from "@quarterdeck/test-kit/clean-env";
import { bestOf, medianOf, medianRatio, rounded } from "./figure.ts";
import type { Report } from "./figure.ts";

export interface SimulatorOptions {
  readonly rounds: number;
  readonly say: (line: string) => void;
}

interface Program {
  readonly title: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly times: number[];
}

const SIMULATOR = new URL("../packages/simulator/package.json", import.meta.url);
const FLAGS = [
  "--output-format",
  "stream-json",
  "--input-format",
  "stream-json",
  "--verbose",
  "--include-partial-messages",
  "--permission-prompt-tool",
  "stdio",
];

export const benchSimulator = async ({ rounds, say }: SimulatorOptions): Promise<Report> => {
  const { command, args } = await claudeProgram(NEWEST, say);
  const cli: Program = { title: `Claude Code ${NEWEST}`, command, args, times: [] };
  const simulator: Program = {
    title: "quarterdeck-sim",
    command: process.execPath,
    args: ["--conditions=source", simulatorScript()],
    times: [],
  };
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-bench-"));
  // `initialize` needs no model. A call to the API is refused at once, on this machine.
  const api = createServer((_, response) => response.writeHead(404).end()).listen(0, "127.0.0.1");
  try {
    await once(api, "listening");
    const apiUrl = `http://127.0.0.1:${String((api.address() as AddressInfo).port)}`;
    for (const program of [cli, simulator]) await timeToInitialize(program, folder, apiUrl);
    for (let round = 0; round < rounds; round += 1) {
      say(`simulator: round ${String(round + 1)} of ${String(rounds)}`);
      for (const program of round % 2 === 0 ? [cli, simulator] : [simulator, cli]) {
        program.times.push(await timeToInitialize(program, folder, apiUrl));
      }
    }
  } finally {
    api.close();
    api.closeAllConnections();
    rmSync(folder, { recursive: true, force: true });
  }
  return {
    title: `simulator: from spawn to the answer of initialize, median of ${String(rounds)} interleaved rounds`,
    table: [
      ["program", "median ms", "best ms"],
      ...[cli, simulator].map(({ title, times }) => [title, medianOf(times).toFixed(0), bestOf(times).toFixed(0)]),
    ],
    details: {
      rounds,
      statistic: "median of the rounds' ratios",
      milliseconds: {
        cli: cli.times.map((time) => rounded(time, 1)),
        simulator: simulator.times.map((time) => rounded(time, 1)),
      },
    },
    figures: [
      {
        name: "ratioToCli",
        value: medianRatio(simulator.times, cli.times),
        target: { atMost: 1 / 3 },
        says: "time of the simulator / of the real CLI",
      },
    ],
  };
};

/** The command that the package installs. */
const simulatorScript = (): string => {
  const { bin } = JSON.parse(readFileSync(SIMULATOR, "utf8")) as { bin: Record<string, string> };
  const script = bin["quarterdeck-sim"];
  if (script === undefined) throw new Error("packages/simulator/package.json names no command quarterdeck-sim");
  return fileURLToPath(new URL(script, SIMULATOR));
};

const timeToInitialize = async ({ title, command, args }: Program, folder: string, apiUrl: string): Promise<number> => {
  const [home, tmp, cwd] = ["home", "tmp", "work"].map((name) => join(folder, title, name)) as [string, string, string];
  for (const path of [home, tmp, cwd]) mkdirSync(path, { recursive: true });
  const startedAt = performance.now();
  const child = spawn(command, [...args, ...FLAGS], {
    cwd,
    // No cache from outside: an installed simulator uses its own.
    env: cleanEnv({ home, tmp, apiUrl, compileCache: "" }),
    stdio: ["pipe", "pipe", "pipe"],
  });
  const closed = once(child, "close");
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (complaint += chunk));
  // A program that dies at once breaks the pipe. Its exit is reported instead.
  child.stdin.on("error", () => undefined);
  child.stdin.write(encodeLine(controlRequest("initialize", { subtype: "initialize" })));
  const splitter = new LineSplitter();
  const answered = new Promise<number>((resolve) => {
    child.stdout.on("data", (chunk: Buffer) => {
      for (const line of splitter.push(chunk)) {
        const decoded = decodeLine(line);
        if (decoded.kind !== "message" || decoded.message.type !== "control_response") continue;
        if (decoded.message.response.subtype === "success") resolve(performance.now() - startedAt);
      }
    });
  });
  const ended = closed.then(([code]): never => {
    throw new Error(`${title} ended with ${String(code)} before it answered initialize:\n${complaint.trim()}`);
  });
  const milliseconds = await Promise.race([answered, ended]);
  // Both end by themselves at EOF. The simulator then stores its compiled code for the next start.
  const lastResort = setTimeout(() => child.kill("SIGKILL"), 20_000);
  child.stdin.end();
  await ended.catch(() => undefined);
  clearTimeout(lastResort);
  return milliseconds;
};
