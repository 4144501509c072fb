// `quarterdeck run` in a script, with the simulator as the program.

import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { programWords, writeScriptedClaude } from "@quarterdeck/test-kit/programs";

const SCRIPTS = [
  { when: "hello", steps: [{ say: [{ text: "Hello there." }] }] },
  {
    when: "touch",
    steps: [{ say: [{ tool: "Bash", input: { command: "touch made.txt" } }] }, { say: [{ text: "As you wish." }] }],
  },
  {
    when: "fail",
    steps: [{ fail: [{ status: 400, type: "invalid_request_error", message: "no", always: true }] }],
  },
];
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "quarterdeck-run-"));
  for (const name of ["home", "work"]) mkdirSync(join(folder, name));
  writeScriptedClaude(join(folder, "claude"), SCRIPTS);
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

const run = (...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    const env = { PATH: process.env["PATH"] ?? "", HOME: join(folder, "home"), NO_COLOR: "1" };
    const cwd = args.includes("--resume") ? [] : ["--cwd", join(folder, "work")];
    const own = ["--data-dir", join(folder, "data"), "--claude", join(folder, "claude"), ...cwd];
    const child = execFile(
      process.execPath,
      [...programWords("quarterdeck"), "run", ...own, ...args],
      { env },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
    );
    child.stdin?.end();
  });

test("streams the answer, stores the session, and continues it", async () => {
  const first = await run("hello");
  expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining("Hello there.") as unknown });
  const id = /--resume (\w+)/.exec(first.stderr)?.[1];
  expect(id).toBeDefined();
  const second = await run("--json", "--resume", id!, "hello again");
  const events = second.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; seq?: number });
  expect(second.code).toBe(0);
  expect(events.some((event) => event.type === "streamed")).toBe(true);
  const seqs = events.flatMap((event) => event.seq ?? []);
  expect(seqs).toEqual(seqs.map((_, index) => seqs[0]! + index));
  expect(seqs[0]).toBeGreaterThan(5);
});

test("reports by its exit code that a turn failed, or that a request was denied because nobody could answer", async () => {
  expect(await run("fail")).toMatchObject({ code: 1 });
  const refused = await run("touch");
  expect(refused).toMatchObject({ code: 3, stdout: expect.stringContaining("As you wish.") as unknown });
  expect(await run("--mode", "acceptEdits", "touch")).toMatchObject({ code: 0 });
});

test("reports what is wrong with the arguments", async () => {
  expect(await run()).toMatchObject({ code: 2, stderr: expect.stringContaining("needs a prompt") as unknown });
  expect(await run("--resume", "nobody", "hello")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("Session nobody does not exist") as unknown,
  });
  expect(await run("--claude", "/nowhere/claude", "hello")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("No program found at") as unknown,
  });
});

test("prints, continues and reads stdin as claude -p does", { tags: "long" }, async () => {
  const id = "7f9c24e8-3b12-4fef-91e0-3b5b2b1f9b5a";
  const first = await run("--session-id", id, "--output-format", "json", "--max-turns", "3", "hello");
  expect(first.code).toBe(0);
  expect(JSON.parse(first.stdout)).toMatchObject({ type: "result", session_id: id, result: "Hello there." });
  const again = await run("--continue", "--output-format", "stream-json", "hello again");
  const lines = again.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; session_id?: string });
  expect(again.code).toBe(0);
  expect(lines[0]).toMatchObject({ type: "system", subtype: "init", session_id: id });
  expect(lines.at(-1)).toMatchObject({ type: "result", session_id: id });
  expect(lines.some(({ type }) => type.startsWith("control_") || type === "stream_event")).toBe(false);
  expect(await run("--session-id", id, "hello")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("already exists") as unknown,
  });
});
