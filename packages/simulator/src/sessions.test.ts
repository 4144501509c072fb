import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ASKING, bash, Host, newFolder, text } from "./host.fixture.ts";
import type { Folder } from "./host.fixture.ts";
import { recordAt } from "./json.ts";
import { folderNameOf } from "./store.ts";

const usage = { input_tokens: 10, output_tokens: 20 };
const scripts = {
  hello: [{ ...text("hi"), usage }],
  more: [{ ...text("more"), usage }],
  run: [
    { ...bash("echo x"), usage },
    { ...text("ran"), usage },
  ],
};
const fileOf = ({ home, cwd }: Folder, id: string): string =>
  join(home, ".claude", "projects", folderNameOf(cwd), `${id}.jsonl`);
const start = (folder: Folder, ...args: readonly string[]): Host =>
  new Host({ folder, scripts, args: [...ASKING, ...args] });
const initOf = (host: Host): unknown => host.messages.find(({ subtype }) => subtype === "init")?.session_id;

/** A session on disk, two turns long. */
const stored = async (): Promise<{ readonly folder: Folder; readonly id: string }> => {
  const folder = newFolder();
  const id = randomUUID();
  const host = start(folder, "--session-id", id);
  await host.turn("hello");
  await host.turn("run");
  await host.end();
  return { folder, id };
};

describe.concurrent("a session on disk", () => {
  it("is a chain of linked lines", async () => {
    const { folder, id } = await stored();
    const lines = readFileSync(fileOf(folder, id), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const chain = lines.filter(({ type }) => type === "user" || type === "assistant");
    expect(chain.map(({ type, message }) => [type, recordAt({ message }, "message").role])).toEqual([
      ["user", "user"],
      ["assistant", "assistant"],
      ["user", "user"],
      ["assistant", "assistant"],
      ["user", "user"],
      ["assistant", "assistant"],
    ]);
    expect(chain.slice(1).map(({ parentUuid }) => parentUuid)).toEqual(chain.slice(0, -1).map(({ uuid }) => uuid));
    expect(chain[4]).toMatchObject({
      toolUseResult: { stdout: "x" },
      sessionId: id,
      cwd: folder.cwd,
      version: "2.1.325",
    });
  });

  it("is resumed: same id, higher cost, new message ids", async () => {
    const { folder, id } = await stored();
    const host = start(folder, "--resume", id);
    expect(await host.turn("more")).toMatchObject({
      session_id: id,
      total_cost_usd: 0.00176,
      result: "more",
      result_index: 0,
    });
    expect(initOf(host)).toBe(id);
    expect(host.messages.find(({ type }) => type === "assistant")).toMatchObject({ message: { id: "msg_sim_0004" } });
  });

  it("is found by --continue and by its title", async () => {
    const { folder, id } = await stored();
    const renaming = start(folder, "--continue");
    await renaming.request({ subtype: "rename_session", title: "Tides" });
    await renaming.turn("more");
    expect(initOf(renaming)).toBe(id);
    await renaming.end();
    const titled = start(folder, "--resume", "Tides");
    await titled.turn("more");
    expect(initOf(titled)).toBe(id);
  });

  it("is forked under a new or given id, and does not change", async () => {
    const { folder, id } = await stored();
    const before = readFileSync(fileOf(folder, id), "utf8");
    const named = randomUUID();
    const fork = start(folder, "--resume", id, "--fork-session", "--session-id", named);
    expect(await fork.turn("more")).toMatchObject({ session_id: named, total_cost_usd: 0.00176 });
    await fork.end();
    expect(readFileSync(fileOf(folder, id), "utf8")).toBe(before);
    expect(existsSync(fileOf(folder, named))).toBe(true);
    const anonymous = start(folder, "--resume", id, "--fork-session");
    await anonymous.turn("more");
    expect(initOf(anonymous)).not.toBe(id);
  });

  it("forgets the permissions of the session", async () => {
    const folder = newFolder();
    const scripted = { touch: [bash("touch a"), text("ok")] };
    const grant = {
      type: "addRules",
      rules: [{ toolName: "Bash", ruleContent: "touch *" }],
      behavior: "allow",
      destination: "session",
    };
    const host = new Host({
      folder,
      scripts: scripted,
      permit: ({ input }) => ({ behavior: "allow", updatedInput: input, updatedPermissions: [grant] }),
    });
    const { session_id } = await host.turn("touch");
    await host.turn("touch");
    expect(host.words().filter((word) => word === "ask can_use_tool")).toHaveLength(1);
    await host.end();
    const resumed = new Host({ folder, scripts: scripted, args: [...ASKING, "--resume", String(session_id)] });
    await resumed.turn("touch");
    expect(resumed.words()).toContain("ask can_use_tool");
  });

  it("is not stored if the flag says so", async () => {
    const folder = newFolder();
    const id = randomUUID();
    const host = start(folder, "--no-session-persistence", "--session-id", id);
    await host.turn("hello");
    await host.end();
    expect(existsSync(fileOf(folder, id))).toBe(false);
  });

  it("that is missing gives an error result, text on stderr and exit code 1", async () => {
    const id = randomUUID();
    for (const [resume, words] of [
      [id, `No conversation found with session ID: ${id}`],
      ["not-a-uuid", "does not match any session title"],
    ] as const) {
      const host = start(newFolder(), "--resume", resume);
      expect(await host.exited).toEqual({ code: 1, signal: null });
      expect(host.messages).toMatchObject([{ type: "result", subtype: "error_during_execution", num_turns: 0 }]);
      expect(host.stderr).toContain(words);
    }
  });

  it("that is in use is refused", async () => {
    const { folder, id } = await stored();
    const host = start(folder, "--session-id", id);
    expect(await host.exited).toEqual({ code: 1, signal: null });
    expect(host.stderr).toBe(`Error: Session ID ${id} is already in use.\n`);
  });
});

describe.concurrent("slash commands", () => {
  it("print their answer in a synthetic message, without the model", async () => {
    const host = start(newFolder(), "--replay-user-messages");
    await host.turn("hello");
    const result = await host.turn("/cost", { uuid: randomUUID() });
    expect(result).toMatchObject({
      num_turns: 0,
      local_command: "cost",
      total_cost_usd: 0.00044,
      result: expect.stringContaining("Total cost:            $0.0004") as string,
    });
    expect(host.messages.findLast(({ type }) => type === "assistant")).toMatchObject({
      message: { model: "<synthetic>" },
      local_command_run: { command: "usage", args: "" },
      local_command_source: expect.stringMatching(/^<local-command-stdout>Total cost/) as string,
    });
    await host.next(({ state, command_uuid }) => state === "completed" && command_uuid === result.user_message_uuid);
    expect(host.words().slice(-6)).toEqual([
      "command started",
      "init",
      "assistant text",
      "replay",
      "result success",
      "command completed",
    ]);
  });

  it.each([
    ["/context", /^## Context Usage/],
    ["/model", /^Current model: `Opus 5.5 \(default\)`/],
    ["/model sonnet", /^Set model to `Sonnet 5.5` for this session only/],
    ["/rename Tides", /^Session renamed to: Tides/],
    ["/help", /^\/help isn't available in this environment\./],
    ["/mcp", /^No MCP servers are configured/],
    ["/effort", /^Usage: \/effort/],
  ])("%s", async (command, words) => {
    const host = start(newFolder());
    expect(await host.turn(command)).toMatchObject({ result: expect.stringMatching(words) as string, num_turns: 0 });
  });

  it("go to the model if they are unknown or composed by the client", async () => {
    const host = start(newFolder());
    expect(await host.turn("/nosuch hello")).toMatchObject({ result: "hi", num_turns: 1 });
    expect(await host.turn("/cost hello", { client_composed: true })).toMatchObject({ result: "hi" });
    const without = start(newFolder(), "--disable-slash-commands");
    expect(await without.turn("/cost")).toMatchObject({ result: "/cost isn't available in this environment." });
  });

  it("of the project become prompts", async () => {
    const folder = newFolder();
    mkdirSync(join(folder.cwd, ".claude", "commands"), { recursive: true });
    writeFileSync(
      join(folder.cwd, ".claude", "commands", "greet.md"),
      "---\ndescription: Greets\n---\nPlease say hello to $ARGUMENTS\n",
    );
    const host = start(folder);
    const { commands } = await host.request({ subtype: "initialize" });
    expect(commands).toContainEqual({ name: "greet", description: "Greets", argumentHint: "" });
    expect(await host.turn("/greet the crew")).toMatchObject({ result: "hi", num_turns: 1 });
    expect(host.messages[1]).toMatchObject({ slash_commands: expect.arrayContaining(["greet", "compact"]) as unknown });
  });

  it("/clear starts over under a new id", async () => {
    const host = start(newFolder());
    const { session_id } = await host.turn("hello");
    expect(await host.turn("/clear")).toMatchObject({ total_cost_usd: 0, local_command: "clear" });
    const next = await host.turn("hello");
    expect(next.session_id).not.toBe(session_id);
    expect(host.words()).toEqual([
      "init",
      "assistant text",
      "result success",
      "conversation_reset",
      "background_tasks_changed",
      "init",
      "result success",
      "init",
      "assistant text",
      "result success",
    ]);
  });

  it("/compact writes a boundary and keeps the last answer", async () => {
    const host = start(newFolder());
    expect(await host.turn("/compact")).toMatchObject({ result: "", local_command: "compact" });
    expect(host.messages[1]).toMatchObject({ local_command_outcome: { kind: "failed" } });
    await host.turn("hello");
    await host.turn("more");
    await host.turn("/compact keep the greeting");
    expect(host.words().slice(9)).toEqual([
      "status compacting",
      "status null",
      "init",
      "compact_boundary",
      "synthetic",
      "replay",
      "result success",
    ]);
    expect(host.messages.find(({ subtype }) => subtype === "compact_boundary")).toMatchObject({
      compact_metadata: { trigger: "manual", preserved_messages: { uuids: [expect.any(String) as string] } },
    });
    expect(await host.turn("hello again")).toMatchObject({ result: "hi" });
  });
});
