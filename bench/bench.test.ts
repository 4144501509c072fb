// Tests of the arguments, the measured data, and the figures. `npm run bench -- --smoke` runs the benches themselves.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { LineSplitter, decodeLine } from "@quarterdeck/protocol";
import { afterAll, describe, expect, it } from "vitest";

import { callOf, NAMES } from "./call.ts";
import { TEXTS, writeDeltaStream } from "./delta-stream.ts";
import { isMet, jsonOfReports, medianOf, medianRatio, textOfReports } from "./figure.ts";
import type { Report } from "./figure.ts";
import { LINE_TEXTS, writeLongLine } from "./long-line.ts";
import { differences, NUMBER } from "./smoke.ts";
import type { Expected } from "./smoke.ts";

const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "quarterdeck-bench-test-"));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe("npm run bench", () => {
  it.each([
    [],
    ["speed"],
    ["decode", "lines"],
    ["decode", "--rounds", "0"],
    ["lines", "--mib", "16"],
    ["store", "--events", "x"],
    ["bridge-load", "--load", "20"],
    ["--smoke", "speed"],
  ])("rejects wrong arguments: %j", (...args) => {
    expect(() => callOf(args)).toThrow(/^(?:name one bench|--\w+ must be a positive whole number)$/u);
  });

  it("prints its usage and ends with 2 when the arguments are wrong", () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ["--conditions=source", MAIN, "speed"], {
      encoding: "utf8",
    });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain("name one bench\n\nusage: npm run bench");
  });

  it("accepts one bench, a group, or with --smoke all of them", () => {
    expect(callOf(["decode", "--json"])).toMatchObject({ benches: ["decode"], json: true, smoke: false });
    expect(callOf(["bridge"]).benches).toContain("bridge-first-text");
    expect(callOf(["--smoke"])).toMatchObject({ benches: NAMES, smoke: true });
    expect(callOf(["--smoke", "kill"])).toMatchObject({ benches: ["kill"], smoke: true });
  });
});

describe("a smoke run", () => {
  it("names every field that differs from the expected value", () => {
    const expected: Expected = { ratio: NUMBER, lost: 0, rounds: [NUMBER], inner: { is: true } };
    expect(differences({ ratio: 1.5, lost: 0, rounds: [7], inner: { is: true }, more: 1 }, expected)).toEqual([]);
    expect(differences({ ratio: null, lost: 2, rounds: [1, 2], inner: {} }, expected)).toEqual([
      "ratio: null, not a number",
      "lost: 2, not 0",
      "rounds: 2 entries, not 1",
      "inner.is: nothing, not true",
    ]);
  });
});

describe("the measured data", () => {
  it.each(TEXTS)("a delta stream of %s text has only messages, with lines as long as the recorded ones", (text) => {
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

  it("is in the JSON by its name, with its target, and in the text with its verdict", () => {
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

  it("is the median of its rounds", () => {
    expect([medianOf([3, 1, 2]), medianOf([4, 1, 3, 2])]).toEqual([2, 2.5]);
  });

  it("as a ratio is the median of the rounds' ratios, whatever one disturbance did", () => {
    expect(medianRatio([10, 20, 900], [5, 10, 4])).toBe(2);
  });
});
