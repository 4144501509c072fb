// The commands for host builders, with the real CLI: probed, and recorded while it talks to a scripted API.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { decodeLine, encodeLine, MESSAGE_KEYS, userMessage } from "@quarterdeck/protocol";
import { simulatorPath, startApi } from "@quarterdeck/simulator";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { claudeProgram, NEWEST } from "@quarterdeck/test-kit/claude-cache";
import { cleanEnv } from "@quarterdeck/test-kit/clean-env";
import { scratchFolder } from "../fake-claude.fixture.ts";
import { probe } from "../probe/probe.ts";
import { probeTable } from "../probe/probe-table.ts";
import { programWords } from "@quarterdeck/test-kit/programs";

const QUARTERDECK = fileURLToPath(new URL("../quarterdeck.ts", import.meta.url));
const STREAM_JSON = ["-p", "--output-format", "stream-json", "--input-format", "stream-json", "--verbose"];

let claude: string;
beforeAll(async () => {
  claude = (await claudeProgram(NEWEST)).command;
});

interface Started {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly input: string;
}

const run = async ({ command, args, cwd, env, input }: Started) => {
  const child = spawn(command, args, { cwd, env, stdio: "pipe" });
  child.stdin.end(input);
  const bytesOf = async (stream: Readable) => Buffer.concat((await stream.toArray()) as Buffer[]);
  const [stdout, stderr, [code]] = await Promise.all([
    bytesOf(child.stdout),
    bytesOf(child.stderr),
    once(child, "close") as Promise<[number | null]>,
  ]);
  return { stdout, stderr: stderr.toString(), code };
};

const recorded = (file: string) =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => ({ line, ...(JSON.parse(line) as { dir: string; msg?: { type: string } }) }));

describe(`probe of ${NEWEST}`, () => {
  test("finds what we know, and a live one answers", async () => {
    const report = await probe({ claude });
    expect(report.version).toBe(`${NEWEST} (Claude Code)`);
    expect(report.program.kind).toBe("binary");
    for (const name of ["assistant", "system/init", "system/api_retry", "result/success", "result/error_max_turns"]) {
      expect(report.messages.known).toContain(name);
    }
    // Every control request that the protocol types is in the binary.
    const typed = MESSAGE_KEYS.filter((key) => key.startsWith("control_request/"));
    expect(typed.filter((key) => !report.controlRequests.known.includes(key))).toEqual([]);
    expect(report.messages.absent).toContain("streamlined_text");
    expect(report.flags.known).toContain("--permission-mode");
    expect(report.flags.hidden).toContain("--max-turns");
    // The protocol describes this version, so anything new here is missing in the protocol.
    expect({
      messages: report.messages.new,
      controlRequests: report.controlRequests.new,
      flags: report.flags.new,
    }).toEqual({ messages: [], controlRequests: [], flags: [] });
    expect(probeTable(report, { paint: (_, text) => text, width: 80 })).toContain("\nNothing new.\n");
    expect(report.ignoredTypes).toContain("text_delta");
    expect(report.live).toMatchObject({ ok: true, undecoded: [], answerFits: true, newCapabilities: [] });
    if (report.live.ok) {
      expect(report.live.capabilities).toContain("ui_surface_v1");
      expect(report.live.commands).toContain("compact");
      expect(report.live.agents).toContain("general-purpose");
      expect(report.live.models).toContain("default");
    }
  });
});

describe("record", () => {
  test("of the simulator, replaying: the bytes equal those of a run without the recorder", async () => {
    const folder = scratchFolder();
    const recording = fileURLToPath(
      new URL("../../../protocol/fixtures/recordings/2.1.325/04a_files.ndjson", import.meta.url),
    );
    const args = ["--replay", recording];
    const input = recorded(recording)
      .filter(({ dir, msg }) => dir === "in" && msg !== undefined && !msg.type.startsWith("__"))
      .map(({ msg }) => `${JSON.stringify(msg)}\n`)
      .join("");
    const env = { ...process.env, NODE_OPTIONS: "--conditions=source" };
    const alone = await run({ command: process.execPath, args: [simulatorPath, ...args], env, input });
    const out = join(folder, "run.ndjson");
    const own = [QUARTERDECK, "record", "--out", out, "--claude", simulatorPath, "--", ...args];
    const through = await run({ command: process.execPath, args: own, env, input });
    expect(alone.stdout.length).toBeGreaterThan(10_000);
    expect(through.stdout.equals(alone.stdout)).toBe(true);
    expect(through.code).toBe(alone.code);
    const outLines = recorded(out).filter(({ dir }) => dir === "out");
    expect(outLines.map(({ msg }) => msg)).toEqual(
      alone.stdout
        .toString()
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown),
    );
  });

  test(`of ${NEWEST}: every line is on disk as it came, and nothing personal with --redact`, async () => {
    const folder = scratchFolder();
    const [home, cwd] = [join(folder, "home"), join(folder, "work")];
    for (const path of [home, cwd]) mkdirSync(path);
    const api = await startApi({
      scenario: { name: "hello", scripts: [{ when: "hello", steps: [{ say: [{ text: "Mail ann@example.org." }] }] }] },
    });
    onTestFinished(() => api.close());
    const env = cleanEnv({ home, tmp: folder, apiUrl: api.url, compileCache: join(folder, "compiled") });
    const input = encodeLine(userMessage("hello from ben@example.org, sk-ant-api03-abcdefgh"));
    const record = async (name: string, ...options: string[]) => {
      const out = join(folder, `${name}.ndjson`);
      const own = [...programWords("quarterdeck"), "record", "--out", out, "--claude", claude, ...options];
      const args = [...own, "--", ...STREAM_JSON, "--include-partial-messages"];
      return { out, ...(await run({ command: process.execPath, args, cwd, env, input })) };
    };

    const whole = await record("whole");
    expect(whole.code).toBe(0);
    const lines = whole.stdout.toString().trimEnd().split("\n");
    expect(lines.map((line) => decodeLine(line).kind)).toEqual(lines.map(() => "message"));
    const ofStdout = recorded(whole.out).filter(({ dir }) => dir === "out");
    expect(ofStdout.map(({ line }) => line.replace(/^\{"t":\d+,"dir":"out","msg":/, "").slice(0, -1))).toEqual(lines);
    expect(JSON.parse(readFileSync(join(folder, "whole.meta.json"), "utf8"))).toMatchObject({
      args: [...STREAM_JSON, "--include-partial-messages"],
      exit: { code: 0, sig: null },
    });

    const clean = await record("clean", "--redact");
    expect(clean.stdout.toString()).toContain("ann@example.org");
    const text = readFileSync(clean.out, "utf8");
    const spoken = recorded(clean.out).map(({ msg }) => msg as { event?: { delta?: { text?: string } } } | undefined);
    expect(spoken.map((msg) => msg?.event?.delta?.text ?? "").join("")).toMatch(/^Mail <email-\d>\.$/);
    for (const secret of ["ann@", "ben@", "sk-ant-api03", home]) expect(text).not.toContain(secret);
    expect(
      recorded(clean.out)
        .filter(({ dir }) => dir === "in")
        .map(({ msg }) => msg?.type),
    ).toEqual(["user", "__eof"]);
  });
});
