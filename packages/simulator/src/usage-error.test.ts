import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "./host.fixture.ts";
import { readScenario } from "./scenario-file.ts";
import { programWords } from "@quarterdeck/test-kit/programs";

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const run = (args: readonly string[], nodeFlags: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
  new Promise<Ended>((resolve) => {
    const child = spawn(process.execPath, [...nodeFlags, ...programWords("quarterdeck-sim"), ...args], {
      env: { PATH: process.env.PATH, HOME: newFolder().home, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk));
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
    child.once("close", (code) => {
      resolve({ code, stdout, stderr });
    });
  });

const fileWith = (text: string): string => {
  const path = join(newFolder().home, "given.json");
  writeFileSync(path, text);
  return path;
};
const scenarioWith = (rest: object): string => fileWith(JSON.stringify({ name: "test", ...rest }));
const stepsWith = (...steps: readonly unknown[]): string =>
  scenarioWith({
    scripts: [
      { when: "fine", steps: [] },
      { when: "go", steps },
    ],
  });

const good = (): string => stepsWith({ say: [{ text: "hi" }] });

describe.concurrent("one line and exit code 2 for", () => {
  it.each<[string, readonly string[], string]>([
    ["an unknown fault", ["-p", "x", "--fault", "nonsense"], "Not a fault: nonsense."],
    ["a missing scenario", ["-p", "x", "--scenario", "/nonexist"], "'/nonexist': the file does not exist"],
    ["a folder as scenario", ["-p", "x", "--scenario", "/"], "it is a folder"],
    ["a flag without its value", ["-p", "x", "--scenario"], "--scenario needs a value"],
    ["a scenario that is not JSON", ["-p", "x", "--scenario", fileWith('{\n  "name": oops\n}')], "is not JSON"],
    ["a scenario of another shape", ["-p", "x", "--scenario", fileWith('{"name":"a","scripts":5}')], "scripts must be"],
    ["a missing recording", ["--replay", "/nonexist"], "recording '/nonexist': the file does not exist"],
    ["a file that is not a recording", ["--replay", fileWith("just text\n")], "Not a recording"],
    ["an odd speed", ["--replay", fileWith(""), "--speed", "fast"], "--speed must be a number above 0, not 'fast'"],
    ["an unknown fault of a replay", ["--replay", fileWith(""), "--fault", "nonsense"], "Not a fault: nonsense."],
    ["an unknown option of api", ["api", "--bogus"], "Unknown option '--bogus'; usage: quarterdeck-sim api"],
    ["a loose word of api", ["api", "loose"], "Unexpected argument 'loose'"],
    ["api without a scenario", ["api"], "--scenario is missing; usage: quarterdeck-sim api"],
    ["api with a missing scenario", ["api", "--scenario", "/nonexist"], "the file does not exist"],
    [
      "api with a wrong scenario",
      ["api", "--scenario", fileWith('{"name":"a","scripts":5}')],
      "scripts must be a list",
    ],
    [
      "an unknown key of a scenario",
      ["-p", "x", "--scenario", fileWith('{"name":"a","scripts":[],"script":[]}')],
      'it has an unknown key "script"; known are name, description, scripts, otherwise',
    ],
    [
      "an unknown key of a script",
      ["-p", "x", "--scenario", fileWith('{"name":"a","scripts":[{"when":"go","steps":[],"then":1}]}')],
      'script 1 (when "go") has an unknown key "then"; known are when, steps',
    ],
    [
      "an unknown key of a step",
      ["-p", "x", "--scenario", stepsWith({ say: [{ text: "a" }] }, { says: [] })],
      'step 2 has an unknown key "says"; known are say, stop, usage, pace, headers, fail, cut',
    ],
    [
      "an unknown key of a block",
      ["-p", "x", "--scenario", stepsWith({ say: [{ tool: "Bash", input: {}, name: "b" }] })],
      'step 1: entry 1 of say has an unknown key "name"; known are tool, input, id',
    ],
    [
      "an unknown key of a pace",
      ["-p", "x", "--scenario", stepsWith({ pace: { delayMs: 1 } })],
      'step 1: pace has an unknown key "delayMs"; known are firstMs, deltaMs, deltaChars',
    ],
    [
      "an unknown key of a failure",
      ["-p", "x", "--scenario", stepsWith({ fail: [{ status: 500, times: 2 }] })],
      'step 1: entry 1 of fail has an unknown key "times"; known are status, type, message, headers, always',
    ],
    [
      "an unknown key of a cut",
      ["-p", "x", "--scenario", stepsWith({ cut: { after: 2 } })],
      "step 1: cut must have a number afterEvents",
    ],
    [
      "a stop that does not exist",
      ["-p", "x", "--scenario", stepsWith({ stop: "bogus" })],
      "step 1: stop must be one of end_turn, tool_use, max_tokens",
    ],
    ["a cut that is not an object", ["-p", "x", "--scenario", stepsWith({ cut: 7 })], "step 1: cut must be an object"],
    [
      "a pace that is not a number",
      ["-p", "x", "--scenario", stepsWith({ pace: { deltaMs: "20" } })],
      "step 1: pace: deltaMs must be a number from 0",
    ],
    ["a fault that counts words", ["-p", "x", "--fault", "delay:soon"], "must be a whole number"],
    ["api with an odd port", ["api", "--scenario", good(), "--port", "http"], "--port must be a number"],
  ])("%s", async (_, args, words) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^quarterdeck-sim: [^\n]+\n$/);
    expect(stderr).toContain(words);
  });

  it("a fault plan and a scenario in the environment", async () => {
    const fault = await run(["-p", "x"], [], { QUARTERDECK_SIM_FAULT: "nonsense" });
    expect([fault.code, fault.stderr]).toEqual([2, expect.stringMatching(/^quarterdeck-sim: Not a fault: [^\n]+\n$/)]);
    const scenario = await run(["-p", "x"], [], { QUARTERDECK_SCENARIO: "/nonexist" });
    expect([scenario.code, scenario.stderr]).toEqual([
      2,
      "quarterdeck-sim: Cannot read the scenario '/nonexist': the file does not exist.\n",
    ]);
  });

  it("api on a port that is in use", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? String(address.port) : "";
    const { code, stderr } = await run(["api", "--scenario", good(), "--port", port]);
    server.close();
    expect(code).toBe(2);
    expect(stderr).toMatch(/^quarterdeck-sim: Cannot listen on port \d+: [^\n]*EADDRINUSE[^\n]*\n$/);
  });
});

it.concurrent("prints the usage of api", async () => {
  const { code, stdout, stderr } = await run(["api", "--help"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^usage: quarterdeck-sim api --scenario FILE [^\n]+\n$/);
});

it.concurrent("tells an old Node which version it needs", async () => {
  const oldNode = `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.20.2"}})`;
  const { code, stdout, stderr } = await run(["demo"], ["--import", oldNode]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(
    /^quarterdeck-sim needs Node 22\.18 or newer and this is Node 20\.20\.2; [^\n]+npx quarterdeck-sim[^\n]+\n$/,
  );
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  expect(manifest).toContain('"node": ">=22.18"');
});

describe("a scenario file", () => {
  it.each<[string, string]>([
    [fileWith("[]"), "it must be an object with name and scripts"],
    [fileWith('{"scripts":[]}'), "its name must be a string"],
    [scenarioWith({ scripts: {} }), "its scripts must be a list"],
    [scenarioWith({ scripts: ["go"] }), "script 1 must be an object with when and steps"],
    [scenarioWith({ scripts: [{ steps: [] }] }), "script 1: when must be a string"],
    [scenarioWith({ scripts: [{ when: "go" }] }), 'script 1 (when "go"): steps must be a list'],
    [scenarioWith({ scripts: [], otherwise: {} }), "otherwise must be a list of steps"],
    [scenarioWith({ scripts: [], otherwise: [1] }), "otherwise, step 1 must be an object"],
    [stepsWith({}, "hi"), 'script 2 (when "go"), step 2 must be an object'],
    [stepsWith({ say: "hi" }), 'script 2 (when "go"), step 1: say must be a list'],
    [
      stepsWith({ say: [{ text: "a" }, { txt: "b" }] }),
      'script 2 (when "go"), step 1: entry 2 of say must have a text',
    ],
    [stepsWith({ say: [{ tool: "Bash" }] }), 'script 2 (when "go"), step 1: entry 1 of say must have'],
    [stepsWith({ fail: { status: 529 } }), 'script 2 (when "go"), step 1: fail must be a list'],
  ])("%#: gets an error that says what is wrong", (path, words) => {
    expect(() => readScenario(path)).toThrow(words);
  });

  it("is accepted if it is valid", () => {
    const steps = [
      { say: [{ thinking: "hm" }, { redactedThinking: "x" }, { tool: "Bash", input: {} }] },
      { fail: [{ status: 529 }] },
    ];
    expect(readScenario(stepsWith(...steps)).scripts[1]).toEqual({ when: "go", steps });
  });
});
