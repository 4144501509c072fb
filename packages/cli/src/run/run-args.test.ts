import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { asClaudeWrites } from "./claude-output.ts";
import { promptWithStdin } from "./read-stdin.ts";
import { parseRun } from "./run-args.ts";

describe("the command line of run", () => {
  it("takes what people pass to claude -p", () => {
    const args = ["-p", "--append-system-prompt", "Be brief", "--allowedTools", "Bash(git log:*),Read", "Edit"];
    const more = [
      "--max-budget-usd",
      "2",
      "--max-turns",
      "3",
      "--add-dir",
      "../lib",
      "--mcp-config",
      '{"mcpServers":{}}',
    ];
    const last = [
      "--settings",
      "s.json",
      "--session-id",
      "7f9c24e8-3b12-4fef-91e0-3b5b2b1f9b5a",
      "--debug=api",
      "fix",
      "it",
    ];
    expect(parseRun([...args, ...more, ...last])).toEqual({
      own: {},
      cli: {
        appendSystemPrompt: "Be brief",
        allowedTools: ["Bash(git log:*)", "Read", "Edit"],
        maxBudgetUsd: 2,
        maxTurns: 3,
        addDir: ["../lib"],
        mcpConfig: [{ mcpServers: {} }],
        settings: "s.json",
        debug: "api",
      },
      prompt: "fix it",
      resume: undefined,
      continues: false,
      sessionId: "7f9c24e8-3b12-4fef-91e0-3b5b2b1f9b5a",
      output: "transcript",
    });
  });

  it("takes its own flags anywhere, and keeps words after -- as the prompt", () => {
    const { own, cli, prompt, output } = parseRun([
      "--cwd=/x",
      "--model",
      "opus",
      "--json",
      "--mode",
      "plan",
      "--",
      "--json",
    ]);
    expect([own, cli, prompt, output]).toEqual([
      { "--cwd": "/x", "--json": true, "--mode": "plan" },
      { model: "opus", permissionMode: "plan" },
      "--json",
      "events",
    ]);
    expect(parseRun(["-c", "--output-format", "stream-json", "go"])).toMatchObject({
      continues: true,
      output: "stream-json",
    });
  });

  it.each([
    [["--nope", "x"], "Unknown option '--nope'."],
    [["--max-turns", "many", "x"], "--max-turns does not accept 'many'."],
    [["--cwd"], "--cwd needs a value."],
    [["--json=1", "x"], "--json takes no value."],
    [["--input-format", "stream-json", "x"], "--input-format must be text"],
    [["--json", "--output-format", "json", "x"], "either --json"],
    [["--resume", "a", "--continue", "x"], "either --resume or --continue"],
    [["--resume", "a", "--cwd", "/", "x"], "--cwd cannot be used with --resume."],
    [["--continue", "--session-id", "7f9c24e8-3b12-4fef-91e0-3b5b2b1f9b5a", "x"], "cannot be used with --continue."],
    [["--mode", "plan", "--permission-mode", "plan", "x"], "either --mode"],
    [["--fork-session", "x"], "run does not accept --fork-session."],
    [["--include-partial-messages", "x"], "run does not accept --include-partial-messages."],
  ])("refuses %j", (args, why) => {
    expect(() => parseRun(args)).toThrow(why);
  });
});

describe("stdin", () => {
  const said: string[] = [];
  const read = (prompt: string, stdin: Parameters<typeof promptWithStdin>[1]) =>
    promptWithStdin(prompt, stdin, (text) => said.push(text));

  it("follows the prompt, or is the prompt", async () => {
    expect(await read("explain", Readable.from(["a\n", "b\n"]))).toBe("explain\na\nb\n");
    expect(await read("", Readable.from(["a\n"]))).toBe("a\n");
    expect(await read("explain", Readable.from([]))).toBe("explain");
    expect(await read("explain", Object.assign(Readable.from(["x"]), { isTTY: true }))).toBe("explain");
    expect(said).toEqual([]);
  });

  it("is not waited for without end if nobody writes, and has a limit", async () => {
    const silent = new Readable({ read: () => undefined });
    expect(await read("explain", silent)).toBe("explain");
    expect(said.join("")).toContain("Nothing came from stdin in 3 seconds");
    silent.destroy();
    await expect(read("", Readable.from([Buffer.alloc(11 * 1024 * 1024)]))).rejects.toThrow("longer than 10 MB");
  });
});

describe("the output of claude", () => {
  const lines = [
    { seq: 1, at: 0, type: "prompt-accepted", uuid: "u" },
    { seq: 2, at: 0, type: "received", message: { type: "system", subtype: "init" } },
    { seq: 3, at: 0, type: "received", message: { type: "control_response" } },
    { seq: 3, at: 0, type: "received", message: { type: "auth_status" } },
    { seq: 3, at: 0, type: "received", message: { type: "system", subtype: "status", status: "requesting" } },
    { seq: 4, at: 0, type: "received", message: { type: "user", isReplay: true } },
    { type: "streamed", message: { type: "stream_event" } },
    { seq: 5, at: 0, type: "received", message: { type: "assistant" } },
    { seq: 6, at: 0, type: "received", message: { type: "result", result: "done" } },
  ].map((event) => JSON.stringify(event));
  const textOf = (format: "text" | "json" | "stream-json", given = lines): string => {
    let text = "";
    const output = asClaudeWrites(format, (more) => (text += more));
    for (const line of given) output.write(`${line}\n`);
    output.end();
    return text;
  };
  const printed = (format: "json" | "stream-json"): unknown[] =>
    textOf(format)
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown);

  it("prints the text of the result, or the reason why it is missing", () => {
    expect(textOf("text")).toBe("done\n");
    const limited = { type: "result", subtype: "error_max_turns", errors: ["Reached maximum number of turns (1)"] };
    const event = JSON.stringify({ seq: 1, at: 0, type: "received", message: limited });
    expect(textOf("text", [event])).toBe("Error: Reached maximum number of turns (1)\n");
  });

  it("is its messages, or the result alone", () => {
    expect(printed("stream-json")).toEqual([
      { type: "system", subtype: "init" },
      { type: "assistant" },
      { type: "result", result: "done" },
    ]);
    expect(printed("json")).toEqual([{ type: "result", result: "done" }]);
  });
});
