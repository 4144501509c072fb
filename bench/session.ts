// A session as the host runs it (split, decode, fold, drafts, durable log) beside the official Agent SDK, which neither
// folds nor stores; and what folding one event costs in a long session.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createFold } from "@quarterdeck/session";
import type { Event, Fold } from "@quarterdeck/session";

import { SDK_VERSION, agentSdkFolder } from "./agent-sdk.ts";
import type { Reading } from "./decode.ts";
import { writeDeltaStream } from "./delta-stream.ts";
import { bestOf, grouped, medianOf } from "./figure.ts";
import type { Figure, Report } from "./figure.ts";
import { runReader } from "./reader.ts";

export interface SessionOptions {
  readonly deltas: number;
  readonly rounds: number;
  readonly withSdk: boolean;
  readonly say: (line: string) => void;
}

export const benchSession = async ({ deltas, rounds, withSdk, say }: SessionOptions): Promise<Report> => {
  const sdkFolder = withSdk ? await agentSdkFolder(say) : "";
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-bench-"));
  const times: { host: number[]; sdk: number[] } = { host: [], sdk: [] };
  try {
    const file = join(folder, "stream");
    const stream = writeDeltaStream(file, deltas, "plain");
    for (let round = 0; round < rounds; round += 1) {
      say(`session: round ${String(round + 1)} of ${String(rounds)}`);
      const host = await runReader<Reading>("session-reader.ts", [file]);
      if (host.deltas !== stream.deltas || host.textLength !== stream.textLength) {
        throw new Error(`the host lost something: ${JSON.stringify(host)} of ${JSON.stringify(stream)}`);
      }
      times.host.push(host.milliseconds);
      if (!withSdk) continue;
      const sdk = await runReader<Reading>("decode-reader.ts", ["sdk", file, String(stream.bytes), sdkFolder]);
      times.sdk.push(sdk.milliseconds);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  say("session: cost of one event at 100 and at 100,000 rows");
  const [short, long] = [costPerEvent(100, rounds), costPerEvent(100_000, rounds)];
  const row = (title: string, list: readonly number[]): string[][] =>
    list.length === 0
      ? []
      : [[title, bestOf(list).toFixed(0), medianOf(list).toFixed(0), grouped((deltas * 1000) / bestOf(list))]];
  return {
    title: `session: ${grouped(deltas)} text deltas to a listener, best of ${String(rounds)} interleaved rounds`,
    table: [
      ["contender", "best ms", "median ms", "messages/s"],
      ...row("host: fold, drafts, SQLite FULL", times.host),
      ...row(`Agent SDK ${SDK_VERSION} query()`, times.sdk),
      ["fold, µs an event at 100 rows", (short * 1000).toFixed(2), "", ""],
      ["fold, µs an event at 100,000 rows", (long * 1000).toFixed(2), "", ""],
    ],
    details: { milliseconds: times, microsecondsPerEvent: { at100: short * 1000, at100000: long * 1000 } },
    figures: figuresOf(times, long / short),
  };
};

const figuresOf = (
  times: { readonly host: readonly number[]; readonly sdk: readonly number[] },
  fold: number,
): Figure[] => [
  ...(times.sdk.length === 0
    ? []
    : [
        {
          name: "sessionRatioToSdk",
          value: bestOf(times.sdk) / bestOf(times.host),
          target: { atLeast: 1 },
          says: "rate of the host, which folds and stores / that of the SDK's query(), which does neither",
        },
      ]),
  {
    name: "foldCostRatio",
    value: fold,
    target: { atMost: 1.5 },
    says: "cost of folding one event at 100,000 rows / at 100 rows",
  },
];

/** One turn of a session: a prompt, a text, a tool with its result, a result. */
const turnOf = (n: number, seq: number): Event[] => {
  const assistant = (uuid: string, block: object) => ({
    type: "assistant",
    uuid,
    session_id: "s",
    message: {
      id: `m${n}`,
      role: "assistant",
      model: "m",
      content: [block],
      usage: { input_tokens: 10, output_tokens: 5 },
    },
  });
  const messages: object[] = [
    assistant(`a${n}`, { type: "text", text: "Some words of an answer." }),
    assistant(`b${n}`, { type: "tool_use", id: `t${n}`, name: "Bash", input: { command: "ls" } }),
    {
      type: "user",
      uuid: `c${n}`,
      session_id: "s",
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: `t${n}`, content: "a file" }] },
      tool_use_result: { stdout: "a file", stderr: "", interrupted: false },
    },
    {
      type: "result",
      subtype: "success",
      is_error: false,
      uuid: `d${n}`,
      session_id: "s",
      result: "",
      total_cost_usd: n / 1000,
      usage: {},
      modelUsage: {},
    },
  ];
  return messages.map((message, index) => ({
    seq: seq + index,
    at: seq + index,
    type: "received",
    message: message as never,
  }));
};

/** Milliseconds an event, at a fold that has so many rows: the best of some hundred turns. */
const costPerEvent = (rows: number, rounds: number): number => {
  const fold: Fold = createFold();
  let n = 0;
  const play = (turns: number): void => {
    for (const end = n + turns; n < end; n += 1) for (const event of turnOf(n, n * 4 + 1)) fold.apply(event);
  };
  play(Math.ceil(rows / 3));
  const times: number[] = [];
  for (let round = 0; round < rounds * 5; round += 1) {
    const events = Array.from({ length: 25 }, (_, index) => turnOf(n + index, (n + index) * 4 + 1)).flat();
    n += 25;
    const startedAt = performance.now();
    for (const event of events) fold.apply(event);
    times.push((performance.now() - startedAt) / events.length);
  }
  return medianOf(times);
};
