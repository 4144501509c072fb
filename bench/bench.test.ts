// Each bench runs once, small: are the counts right and the figures named. What a machine reaches is not asserted.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { LineSplitter, decodeLine } from "@quarterdeck/protocol";
import { afterAll, describe, expect, it } from "vitest";

import { TEXTS, writeDeltaStream } from "./delta-stream.ts";
import { isMet, jsonOfReports, medianOf, medianRatio, textOfReports } from "./figure.ts";
import type { Report } from "./figure.ts";
import { LINE_TEXTS, writeLongLine } from "./long-line.ts";

const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}
const bench = (...args: string[]): Promise<Outcome> =>
  new Promise((resolve) => {
    execFile(process.execPath, ["--conditions=source", MAIN, ...args], (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
    });
  });

/** The one object that `--json` prints; the exit code must agree with what it says was missed. */
const jsonOf = ({ code, stdout, stderr }: Outcome): Record<string, unknown> => {
  expect(stdout, stderr).toMatch(/^\{.*\}\n$/);
  const json = JSON.parse(stdout) as Record<string, unknown>;
  expect(code).toBe((json["missed"] as unknown[]).length === 0 ? 0 : 1);
  return json;
};

const folder = mkdtempSync(join(tmpdir(), "quarterdeck-bench-test-"));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe("npm run bench", () => {
  it("decode reads every delta with every contender and names the ratios", async () => {
    const json = jsonOf(await bench("decode", "--json", "--deltas", "500", "--rounds", "1"));
    const times = [expect.any(Number)];
    const reading = {
      deltas: 500,
      bytes: expect.any(Number) as number,
      textLength: expect.any(Number) as number,
      milliseconds: { drain: times, bare: times, ours: times, sdk: times },
      messagesPerSecond: expect.objectContaining({ ours: expect.any(Number) as number }) as object,
    };
    expect(json).toMatchObject({
      ratioToParseLimit: expect.any(Number) as number,
      ratioToSdk: expect.any(Number) as number,
      ratioToParseLimitAccented: expect.any(Number) as number,
      ratioToSdkAccented: expect.any(Number) as number,
      targets: { ratioToParseLimit: { atLeast: 0.85 }, ratioToSdk: { atLeast: 1.3 } },
      details: { decode: { rounds: 1, plain: reading, accented: reading } },
    });
  });

  it("session reads every delta through the host and the SDK, and names ratios, stages and what waits", async () => {
    const json = jsonOf(await bench("session", "--json", "--deltas", "400", "--rounds", "1"));
    const number = expect.any(Number) as number;
    const slow = { retainedBytes: number, peakResidentBytes: number, taken: number, isAllRead: true };
    expect(json).toMatchObject({
      sessionRatioToSdk: number,
      slowBytesPerMessage: number,
      slowBytesPerMessageSdk: number,
      foldCostRatio: number,
      targets: { sessionRatioToSdk: { atLeast: 1 }, foldCostRatio: { atMost: 1.5 } },
      details: {
        session: {
          milliseconds: { host: [number], sdk: [number] },
          microsecondsPerStage: {
            split: number,
            decode: number,
            fold: number,
            handOver: number,
            iterate: number,
            log: number,
            logHere: number,
          },
          slowConsumer: {
            host: { short: [slow], long: [slow] },
            sdk: { short: [slow], long: [slow] },
          },
        },
      },
    });
  });

  it("first-text takes turns with both and names the ratio", async () => {
    const json = jsonOf(await bench("first-text", "--json", "--rounds", "2"));
    const two = [expect.any(Number), expect.any(Number)];
    expect(json).toMatchObject({
      firstTextRatio: expect.any(Number) as number,
      targets: { firstTextRatio: { atMost: 1.2 } },
      details: { "first-text": { rounds: 2, milliseconds: { bare: two, host: two } } },
    });
  });

  it("store fills a store, opens it and names the ratios", async () => {
    const sizes = ["--sessions", "5", "--events", "4000", "--rounds", "1"];
    const json = jsonOf(await bench("store", "--json", ...sizes));
    expect(json).toMatchObject({
      readyRatio: expect.any(Number) as number,
      idleSessionKB: expect.any(Number) as number,
      firstScreenRatio: expect.any(Number) as number,
      catchUpRatio: expect.any(Number) as number,
      targets: {
        readyRatio: { atMost: 2 },
        idleSessionKB: { atMost: 150 },
        firstScreenRatio: { atMost: 1.5 },
        catchUpRatio: { atMost: 1.5 },
      },
      details: { store: { ready: { empty: [{ sessions: 0 }], many: [{ sessions: 5 }] } } },
    });
  });

  it("bridge-load brings every delta to every client, through the server and the relay, and names the ratios", async () => {
    const sizes = ["--load", "2x4", "--seconds", "1", "--rounds", "1"];
    const json = jsonOf(await bench("bridge-load", "--json", ...sizes));
    const number = expect.any(Number) as number;
    const reading = { p50: number, p99: number, cpuShare: number, deliveriesPerSecond: number, lost: 0 };
    expect(json).toMatchObject({
      bridgeP50RatioAt2x4: number,
      bridgeP99RatioAt2x4: number,
      bridgeCpuRatioAt2x4: number,
      bridgeLostAt2x4: 0,
      targets: {
        bridgeP50RatioAt2x4: { atMost: 1.3 },
        bridgeP99RatioAt2x4: { atMost: 1.3 },
        bridgeCpuRatioAt2x4: { atMost: 1.3 },
        bridgeLostAt2x4: { atMost: 0 },
      },
      details: { "bridge-load": { sessions: 2, clients: 4, readings: { server: [reading], relay: [reading] } } },
    });
  });

  it("bridge-rate brings a stream to a socket whole, beside the SDK", async () => {
    const json = jsonOf(await bench("bridge-rate", "--json", "--deltas", "2000", "--rounds", "1"));
    expect(json).toMatchObject({
      bridgeRatioToSdk: expect.any(Number) as number,
      targets: { bridgeRatioToSdk: { atLeast: 0.7 } },
    });
  });

  it("bridge-store asks a server over a full store, and names the ratios", async () => {
    const sizes = ["--sessions", "5", "--events", "4000", "--rounds", "1"];
    const json = jsonOf(await bench("bridge-store", "--json", ...sizes));
    const number = expect.any(Number) as number;
    expect(json).toMatchObject({
      serverFirstScreenRatio: number,
      serverCatchUpGrowth: number,
      targets: {
        serverReadyRatio: { atMost: 2 },
        serverIdleSessionKB: { atMost: 150 },
        serverFirstScreenRatio: { atMost: 1.5 },
        serverCatchUpRatio: { atMost: 1.5 },
      },
      details: { "bridge-store": { ready: { empty: [{ sessions: 0 }], many: [{ sessions: 5 }] } } },
    });
  });

  it("bridge-first-text says so where CloudCLI is not measured", async () => {
    const { stdout } = await bench("bridge-first-text", "--without-cloudcli", "--rounds", "1");
    expect(stdout).toMatch(/CloudCLI .*not measured in this run[^]*sendToFirstTextMs/u);
  });

  it("kill loses nothing and leaves nothing", async () => {
    const json = jsonOf(await bench("kill", "--json", "--rounds", "2"));
    expect(json).toMatchObject({
      killsLost: 0,
      killsProcessesLeft: 0,
      details: { kill: { hosts: { rounds: 2, wrong: [] }, stores: { rounds: 2, wrong: [] } } },
    });
  });

  it("lines reads every line whole and names the ratios", async () => {
    const json = jsonOf(await bench("lines", "--json", "--mib", "1,2", "--rounds", "1"));
    expect(json).toMatchObject({
      splitTimeRatio: expect.any(Number) as number,
      decodeTimeRatio: expect.any(Number) as number,
      splitMemoryRatio: expect.any(Number) as number,
      decodeMemoryRatio: expect.any(Number) as number,
      targets: {
        splitTimeRatio: { atMost: 5 },
        decodeTimeRatio: { atMost: 5 },
        splitMemoryRatio: { atMost: 2 },
        decodeMemoryRatio: { atMost: 5 },
      },
    });
    const { cases } = (json["details"] as { lines: { cases: { work: string; text: string; mib: number }[] } }).lines;
    expect(new Set(cases.map(({ work, text, mib }) => `${work} ${text} ${String(mib)}`)).size).toBe(
      2 * LINE_TEXTS.length * 2,
    );
  });

  it("simulator gets an answer of both programs", async () => {
    const json = jsonOf(await bench("simulator", "--json", "--rounds", "1"));
    expect(json).toMatchObject({
      ratioToCli: expect.any(Number) as number,
      targets: { ratioToCli: { atMost: 1 / 3 } },
      details: { simulator: { milliseconds: { cli: [expect.any(Number)], simulator: [expect.any(Number)] } } },
    });
  });

  it("explains itself when it is called wrongly", async () => {
    const wrong = [
      [],
      ["speed"],
      ["decode", "lines"],
      ["decode", "--rounds", "0"],
      ["lines", "--mib", "16"],
      ["store", "--events", "x"],
      ["bridge-load", "--load", "20"],
    ];
    for (const { code, stdout, stderr } of await Promise.all(wrong.map((args) => bench(...args)))) {
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain("usage: npm run bench");
    }
  });
});

describe("what is measured", () => {
  it.each(TEXTS)("a delta stream of %s text is all messages, and as long per line as the recorded one", (text) => {
    const file = join(folder, text);
    const stream = writeDeltaStream(file, 1000, text);
    const bytes = readFileSync(file);
    const decoded = new LineSplitter().push(bytes).map((line) => decodeLine(line));
    const deltas = decoded.flatMap((one) => {
      if (one.kind !== "message") throw new Error(JSON.stringify(one));
      const { message } = one;
      if (message.type !== "stream_event" || message.event.type !== "content_block_delta") return [];
      return message.event.delta.type === "text_delta" ? [message.event.delta["text"]] : [];
    });
    expect(deltas).toHaveLength(1000);
    expect(stream).toEqual({ deltas: 1000, bytes: bytes.length, textLength: deltas.join("").length });
    expect(new Set(bytes.toString().split("\n")).size).toBe(decoded.length + 1);
    expect(bytes.length / 1000).toBeGreaterThan(270);
    expect(bytes.length / 1000).toBeLessThan(300);
  });

  it.each(LINE_TEXTS)("a long line of %s text has exactly the wanted size and is a message", (text) => {
    const file = join(folder, `line-${text}`);
    writeLongLine(file, 1_500_000, text);
    const bytes = readFileSync(file);
    expect(bytes.indexOf(10)).toBe(1_500_000);
    expect(bytes).toHaveLength(1_500_001);
    expect(decodeLine(bytes.subarray(0, 1_500_000)).kind).toBe("message");
  });
});

describe("a figure", () => {
  const report: Report = {
    title: "speed",
    table: [["who", "ms"]],
    details: { rounds: 1 },
    figures: [
      { name: "fast", value: 2, target: { atLeast: 1.5 }, says: "higher is better" },
      { name: "small", value: 2.01, target: { atMost: 2 }, says: "lower is better" },
      { name: "told", value: 7, says: "no target" },
    ],
  };

  it("is met on the right side of its target", () => {
    expect(report.figures.map(isMet)).toEqual([true, false, true]);
  });

  it("stands in the JSON by its name, with its target, and in the text with its verdict", () => {
    expect(jsonOfReports({ speed: report })).toEqual({
      fast: 2,
      small: 2.01,
      told: 7,
      targets: { fast: { atLeast: 1.5 }, small: { atMost: 2 } },
      missed: ["small"],
      details: { speed: { rounds: 1 } },
    });
    expect(textOfReports([report])).toMatch(
      /fast +2\.000 +>= 1\.5 +met[^]*small +2\.010 +<= 2 +MISSED[^]*told +7\.000 +reported/,
    );
  });

  it("takes the middle of its rounds as the median", () => {
    expect([medianOf([3, 1, 2]), medianOf([4, 1, 3, 2])]).toEqual([2, 2.5]);
  });

  it("as a ratio is the middle of the rounds' own, whatever one disturbance did", () => {
    expect(medianRatio([10, 20, 900], [5, 10, 4])).toBe(2);
  });
});
