import { readFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { ASKING, bash, blockOf, endlessly, Host, slowly, text, UNTIL_OPEN } from "./host.fixture.ts";
import { recordAt } from "./json.ts";
import { programWords } from "@quarterdeck/test-kit/programs";

const STREAM = ["--output-format", "stream-json", "--input-format", "stream-json"];

it.concurrent.each([
  [STREAM, "Error: When using --print, --output-format=stream-json requires --verbose"],
  [
    ["-p", "--input-format", "stream-json", "--output-format", "text"],
    "Error: --input-format=stream-json requires output-format=stream-json.",
  ],
  [
    [...STREAM, "--verbose", "--permission-mode", "delegate"],
    "error: option '--permission-mode <mode>' argument 'delegate' is invalid.",
  ],
  [[...STREAM, "--verbose", "--session-id", "nope"], "Error: Invalid session ID. Must be a valid UUID."],
  [
    [...STREAM, "--verbose", "--resume", randomUUID(), "--session-id", randomUUID()],
    "Error: --session-id can only be used with --continue or --resume if --fork-session is also specified.",
  ],
  [[...STREAM, "--verbose", "--no-such-flag"], "error: unknown option '--no-such-flag'"],
  [
    [...STREAM, "--verbose", "--output-format", "bogus"],
    "error: option '--output-format <format>' argument 'bogus' is invalid.",
  ],
])("refuses %j before it reads a line", async (bareArgs, message) => {
  const host = new Host({ bareArgs });
  expect(await host.exited).toEqual({ code: 1, signal: null });
  expect(host.stderr).toContain(message);
  expect(host.messages).toEqual([]);
});

it.concurrent("bypasses permissions unless it runs as root", async () => {
  const host = new Host({
    scripts: { go: [bash("touch a"), text("ok")] },
    args: [...ASKING, "--dangerously-skip-permissions"],
  });
  if (process.getuid?.() === 0) {
    expect(await host.exited).toEqual({ code: 1, signal: null });
    expect(host.stderr).toContain("cannot be used with root/sudo privileges");
  } else {
    await host.turn("go");
    expect(host.messages[0]).toMatchObject({ permissionMode: "bypassPermissions" });
    expect(host.words()).not.toContain("ask can_use_tool");
  }
});

it.concurrent("requires initialize first if the flag is set", async () => {
  const host = new Host({ args: ["--await-initialize"] });
  host.prompt("hello");
  expect(await host.exited).toEqual({ code: 1, signal: null });
  expect(host.stderr).toContain("--await-initialize requires the initialize control request as the first stdin line");
});

it.concurrent("prints its version and its help", () => {
  const run = (flag: string): string =>
    execFileSync(process.execPath, [...programWords("quarterdeck-sim"), flag], { encoding: "utf8" });
  expect(run("--version")).toMatch(/^2\.1\.325 .*simulated/);
  expect(run("--help")).toContain("--scenario FILE|demo");
  expect(run("demo")).toContain("tour 1");
});

it.concurrent("exits on one bad line, and on a wrong role", async () => {
  const bad = new Host({ scripts: {} });
  bad.write("{this is not json\n");
  expect(await bad.exited).toEqual({ code: 1, signal: null });
  expect(bad.stderr).toBe("Error parsing streaming input line (type=unknown, 17 chars): SyntaxError\n");
  const role = new Host({ scripts: {} });
  role.send({ type: "user", message: { role: "assistant", content: "x" } });
  expect(await role.exited).toEqual({ code: 1, signal: null });
  expect(role.stderr).toBe("Error: Expected message role 'user', got 'assistant'\n");
});

it.concurrent("ignores blank lines and unknown types", async () => {
  const host = new Host({ scripts: { hello: [text("hi")] } });
  host.write('\n{"type":"frobnicate"}\n{"no":"type"}\n{"type":"keep_alive"}\n');
  expect(await host.turn("hello")).toMatchObject({ result: "hi" });
  expect(host.words()).toEqual(["init", "assistant text", "result success"]);
});

it.concurrent("ends at once without a prompt, and after the turn with one", async () => {
  const idle = new Host({ scripts: {} });
  expect(await idle.end()).toEqual({ code: 0, signal: null });
  const busy = new Host({ scripts: { slow: [slowly("a slow answer")] } });
  busy.prompt("slow");
  busy.endInput();
  expect(await busy.exited).toEqual({ code: 0, signal: null });
  expect(busy.words().at(-1)).toBe("result success");
});

it.concurrent("waits for background tasks, and for the turn that they start", async () => {
  const host = new Host({
    scripts: { go: [bash(UNTIL_OPEN, { run_in_background: true }), text("started"), text("noted")] },
  });
  await host.turn("go");
  host.endInput();
  host.open();
  expect(await host.exited).toEqual({ code: 0, signal: null });
  expect(host.words().filter((word) => word === "result success")).toHaveLength(2);
});

it.concurrent("accepts a prompt from its arguments or from plain stdin", async () => {
  const argument = new Host({
    scripts: { hello: [text("hi")] },
    bareArgs: ["-p", "hello", "--output-format", "stream-json", "--verbose"],
  });
  expect(await argument.exited).toEqual({ code: 0, signal: null });
  expect(argument.words()).toEqual(["init", "assistant text", "result success"]);
  const plain = new Host({ scripts: { hello: [text("hi")] }, bareArgs: ["-p"] });
  plain.write("hello");
  expect(await plain.end()).toEqual({ code: 0, signal: null });
  expect(plain.noise).toEqual(["hi"]);
});

it.concurrent("ends a turn on SIGINT with a result and 0, and on SIGTERM with 143 and no result", async () => {
  const scripts = { slow: [endlessly()] };
  const started = (host: Host): Promise<unknown> =>
    host.next((message) => recordAt(message, "event").type === "content_block_delta");
  const interrupted = new Host({ scripts, args: ["--include-partial-messages"] });
  interrupted.prompt("slow");
  await started(interrupted);
  interrupted.kill("SIGINT");
  expect(await interrupted.exited).toEqual({ code: 0, signal: null });
  expect(interrupted.words().at(-1)).toBe("result error_during_execution");
  const ended = new Host({ scripts, args: ["--include-partial-messages"] });
  ended.prompt("slow");
  await started(ended);
  ended.kill("SIGTERM");
  expect(await ended.exited).toEqual({ code: 143, signal: null });
  expect(ended.words()).not.toContain("result error_during_execution");
});

it.concurrent("reports a missing login if an API is configured without a key", async () => {
  const host = new Host({
    scripts: { hello: [text("hi")] },
    env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9", ANTHROPIC_API_KEY: "" },
  });
  expect(await host.turn("hello")).toMatchObject({ is_error: true, result: "Not logged in · Please run /login" });
});

it.concurrent("leaves no shell behind when it ends", async () => {
  const host = new Host({
    scripts: { go: [bash("echo $$ > pid; exec sleep 600", { run_in_background: true }), text("ok")] },
    args: ASKING,
  });
  await host.turn("go");
  const pid = await new Promise<number>((resolve) => {
    const look = (): void => {
      const found = Number(tryRead(`${host.cwd}/pid`));
      if (found > 0) resolve(found);
      else setImmediate(look);
    };
    look();
  });
  expect(blockOf(host.toolResult("toolu_sim_0001_1"))).toMatchObject({ is_error: false });
  host.kill("SIGTERM");
  await host.exited;
  await new Promise<void>((resolve) => {
    const look = (): void => {
      if (isAlive(pid)) setImmediate(look);
      else resolve();
    };
    look();
  });
  expect(isAlive(pid)).toBe(false);
});

const tryRead = (path: string): string => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !tryRead(`/proc/${String(pid)}/stat`).includes(") Z ");
};
