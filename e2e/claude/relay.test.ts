// Callers of `quarterdeck claude` beside other devices: who answers, what stays when a caller goes, and what a caller may not do.
// The simulator is Claude Code here, because it starts fast.

import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { COMPILED } from "@quarterdeck/test-kit/clean-env";
import { programWords } from "@quarterdeck/test-kit/programs";
import { bindingOf, RawClient } from "../bridge/raw-client.ts";
import { makePlace, startServer } from "../bridge/server-process.ts";
import type { Place, ServerProcess } from "../bridge/server-process.ts";
import { runWith, until } from "./callers.ts";
import { RawCaller, STREAM_JSON, user } from "./raw-caller.ts";

type Json = any; // oxlint-disable-line typescript/no-explicit-any -- a stranger has no types

const touch = { tool: "Bash", input: { command: "touch made.txt", description: "Touch" } };
const ENVIRONMENT = 'printf %s "$MY_TOKEN,$QUARTERDECK_DATA_DIR,$CLAUDE_CODE_ENTRYPOINT" > environment.txt';
const SCENARIO = {
  name: "claude",
  scripts: [
    { when: "hello", steps: [{ say: [{ text: "Hello there." }] }] },
    { when: "touch", steps: [{ say: [touch] }, { say: [{ text: "Made." }] }] },
    {
      when: "environment",
      steps: [
        { say: [{ tool: "Bash", input: { command: ENVIRONMENT, description: "Print" } }] },
        { say: [{ text: "Ok." }] },
      ],
    },
    {
      when: "add",
      steps: [{ say: [{ tool: "mcp__own__add", input: { a: 1 } }] }, { say: [{ text: "Added." }] }],
    },
  ],
};

let place: Place;
let server: ServerProcess;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  place = makePlace(SCENARIO);
  server = await startServer(place);
  env = {
    PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
    HOME: place.home,
    LANG: "C.UTF-8",
    QUARTERDECK_DATA_DIR: place.dataDir,
    MY_TOKEN: "of the caller",
    CLAUDE_CODE_ENTRYPOINT: "sdk-test",
    ...COMPILED,
  };
});
afterAll(async () => {
  await server.stop();
  place.remove();
});

const caller = (args: readonly string[] = ["--permission-prompt-tool", "stdio"], cwd = place.cwd): RawCaller =>
  new RawCaller({ cwd, env, args });

/** A phone that follows the session: its open requests and rows. */
const phone = async (session: string) => {
  const client = await RawClient.open(server);
  const state = async (): Promise<Json> => client.call("session/subscribe", { session, rows: 50 });
  const open = async (): Promise<Json> => {
    let found: Json;
    await until(async () => {
      found = (await state()).head.requests.find(({ kind }: Json) => kind === "permission");
      return found !== undefined;
    });
    return found;
  };
  return { client, state, open };
};
const sessionOf = async (one: RawCaller): Promise<string> =>
  (await one.line(({ type }) => type === "system")).session_id;
const isResult = ({ type }: Json): boolean => type === "result";
const resultOf = (state: Json): Json => state.rows.findLast(({ kind }: Json) => kind === "turn");

const ALLOW = { kind: "allow" };
const allowed = (request: Json) => ({ behavior: "allow", updatedInput: request.request.input });
const answerFrom = (client: RawClient, session: string, request: Json, answer: Json) =>
  client.command("session/respond", { session, ...bindingOf(request), answer });

test("[E221] the first answer wins: the caller learns that a phone was faster, and the phone that the caller was", async () => {
  const one = caller();
  one.ask("i", { subtype: "initialize" });
  expect((await one.line(({ type }) => type === "control_response")).response).toMatchObject({
    subtype: "success",
    request_id: "i",
  });
  one.write(user("touch"));
  const asked = await one.request("can_use_tool");
  const session = await sessionOf(one);
  const { client, open } = await phone(session);
  await answerFrom(client, session, await open(), ALLOW);
  await one.line(isResult);
  const cancel = { type: "control_cancel_request", request_id: asked.request_id };
  expect(one.lines).toContainEqual(cancel);
  // A late answer changes nothing.
  one.answer(asked.request_id, { behavior: "deny", message: "Too late." });

  const before = one.lines.length;
  one.write(user("touch"));
  const again = await one.line((line) => one.lines.indexOf(line) >= before && line.type === "control_request");
  const shown = await open();
  one.answer(again.request_id, allowed(again));
  await one.line((line) => one.lines.indexOf(line) > before && isResult(line));
  await expect(answerFrom(client, session, shown, ALLOW)).rejects.toMatchObject({ code: "already-answered" });
  // The caller asked for no deltas and no echoes, and sees none.
  expect(one.lines.filter(({ type, isReplay }) => type === "stream_event" || isReplay === true)).toEqual([]);
  one.child.stdin.end();
  expect(await one.exit).toBe(0);
  expect(one.stderr).toBe("");
  await client.drop();
});

const HOOKS = {
  subtype: "initialize",
  hooks: { PreToolUse: [{ matcher: "Bash", hookCallbackIds: ["check"] }] },
  sdkMcpServers: ["own"],
};

test("[E222] a caller that is gone leaves its session: a phone answers, hooks fail closed and tools return an error", async () => {
  const one = caller(["--permission-prompt-tool", "stdio", "--allowedTools", "mcp__own__add"]);
  one.ask("i", HOOKS);
  // The simulator lists the tools of the caller before its first turn.
  const served = serveTools(one);
  await one.line(({ type }) => type === "control_response");
  one.write(user("touch"));
  const hook = await one.request("hook_callback");
  expect(hook.request).toMatchObject({ callback_id: "check", input: { hook_event_name: "PreToolUse" } });
  one.answer(hook.request_id, {});
  await one.request("can_use_tool");
  const session = await sessionOf(one);
  one.child.kill("SIGKILL");
  expect(await one.exit).toBe("SIGKILL");
  await served.stop();

  const { client, state, open } = await phone(session);
  await answerFrom(client, session, await open(), ALLOW);
  await until(async () => resultOf(await state()) !== undefined);
  expect(resultOf(await state()).ok).toBe(true);

  const nextCall = async (content: string): Promise<Json> => {
    const before = (await state()).rows.length;
    await client.command("session/prompt", { session, content });
    await until(async () => (await state()).rows.slice(before).some(({ kind }: Json) => kind === "turn"));
    return (await state()).rows.findLast(({ kind }: Json) => kind === "tool");
  };
  const tool = await nextCall("add");
  expect([tool.name, tool.state]).toEqual(["mcp__own__add", "failed"]);
  expect(JSON.stringify(tool)).toContain("The program that started this session is gone. It ran the MCP server own.");
  // Nobody can run the hook, in this process and in the next one.
  for (const isNew of [false, true]) {
    if (isNew) await client.command("sessions/close", { session });
    const call = await nextCall("touch");
    expect(JSON.stringify(call)).toContain("so its PreToolUse hook cannot check this");
    expect(call.state).not.toBe("done");
  }
  await client.command("sessions/close", { session });
  await client.drop();
});

test("[E281] a busy session is not taken from its caller, and --continue has the last one of the folder", async () => {
  const folder = join(place.cwd, "continued");
  mkdirSync(folder);
  const flags = ["--permission-prompt-tool", "stdio"];
  // There is nothing to continue yet, so it begins a conversation, as the CLI does.
  const one = caller([...flags, "--continue"], folder);
  one.write(user("touch"));
  const asked = await one.request("can_use_tool");
  const session = await sessionOf(one);
  const busy = caller([...flags, "--resume", session], folder);
  busy.write(user("hello"));
  expect(await busy.exit).toBe(1);
  expect(busy.stderr).toContain(`Session ${session} is at work in Quarterdeck.`);
  expect(busy.lines).toEqual([]);
  one.answer(asked.request_id, allowed(asked));
  await one.line(isResult);
  one.child.stdin.end();
  expect(await one.exit).toBe(0);

  const next = caller([...flags, "--continue"], folder);
  next.write(user("hello"));
  await next.line(isResult);
  expect(await sessionOf(next)).toBe(session);
  next.child.stdin.end();
  expect(await next.exit).toBe(0);
  const { client, state } = await phone(session);
  expect((await state()).rows.filter(({ kind }: Json) => kind === "turn")).toHaveLength(2);
  await client.drop();
});

test("[E249] an idle process without a caller gives way to --continue, also one that a phone started", async () => {
  const folder = join(place.cwd, "left");
  mkdirSync(folder);
  const flags = ["--permission-prompt-tool", "stdio"];
  const one = caller(flags, folder);
  one.write(user("hello"));
  await one.line(isResult);
  const session = await sessionOf(one);
  const { client, state } = await phone(session);
  const rests = async (...phases: readonly string[]): Promise<boolean> => {
    const { process, phase } = (await state()).head;
    return process.running === true && phases.includes(phase);
  };
  const continued = async (): Promise<void> => {
    const { pid } = (await state()).head.process;
    const next = caller([...flags, "--continue"], folder);
    next.write(user("hello"));
    await next.line(isResult);
    expect(await sessionOf(next)).toBe(session);
    expect((await state()).head.process.pid).not.toBe(pid);
    next.child.stdin.end();
    expect(await next.exit).toBe(0);
  };
  one.child.kill("SIGKILL");
  await one.exit;
  await until(() => rests("idle"));
  await continued();

  await client.command("sessions/resume", { session });
  // A process that has had no turn is not `idle`.
  await until(() => rests("ready"));
  await continued();
  expect((await state()).rows.filter(({ kind }: Json) => kind === "turn")).toHaveLength(3);
  await client.drop();
});

test("[E222] an editor that ends leaves the session, also if it ends its children first", async () => {
  const one = new RawCaller({ cwd: place.cwd, env, args: ["--permission-prompt-tool", "stdio"], isBelowEditor: true });
  one.write(user("touch"));
  await one.request("can_use_tool");
  const session = await sessionOf(one);
  one.child.kill("SIGTERM");
  expect(await one.exit).toBe(0);
  const { client, state, open } = await phone(session);
  await answerFrom(client, session, await open(), ALLOW);
  await until(async () => resultOf(await state()) !== undefined);
  expect(resultOf(await state()).ok).toBe(true);
  expect((await state()).head.process.running).toBe(true);
  await client.command("sessions/close", { session });
  await client.drop();
});

/** Answers the handshake of the server `own`, as an SDK does. */
const serveTools = (one: RawCaller) => {
  const over = new AbortController();
  const done = new Set<string>();
  const serve = (): void => {
    for (const { type, request_id: id, request } of one.lines) {
      if (type !== "control_request" || request.subtype !== "mcp_message" || done.has(id)) continue;
      done.add(id);
      const { method, id: rpc = 0 } = request.message;
      const result =
        method === "tools/list"
          ? { tools: [{ name: "add", description: "Adds", inputSchema: { type: "object" } }] }
          : { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "own", version: "1" } };
      one.answer(id, { mcp_response: { jsonrpc: "2.0", id: rpc, result } });
    }
  };
  const running = (async () => {
    while (!over.signal.aborted) {
      serve();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  return {
    stop: async () => {
      over.abort();
      await running;
    },
  };
};

test("[E223] other calls are the real program: its output, exit code and environment", async () => {
  const script = join(place.root, "real");
  writeFileSync(script, '#!/bin/sh\necho "args:$*"; echo "token:$MY_TOKEN" >&2; cat; exit 7\n', { mode: 0o755 });
  const words = [...programWords("quarterdeck"), "claude"];
  const real = { QUARTERDECK_CLAUDE: script };
  for (const args of [["--version"], ["mcp", "list"], ["-p", "hello", "--output-format", "json"], ["--help"]])
    expect(await runWith({ cwd: place.cwd, env }, process.execPath, [...words, ...args], "typed", real)).toEqual({
      code: 7,
      stdout: `args:${args.join(" ")}\ntyped`,
      stderr: "token:of the caller\n",
    });
  // A relayed session has the environment of its caller, without our own variables.
  const one = caller(["--allowedTools", "Bash"]);
  one.write(user("environment"));
  await one.line(isResult);
  one.child.stdin.end();
  expect(await one.exit).toBe(0);
  expect(readFileSync(join(place.cwd, "environment.txt"), "utf8")).toBe("of the caller,,sdk-test");
});

test("[E225] a folder outside of the roots is refused, and an untrusted one is told, in words on stderr", async () => {
  const outside = caller([], place.home);
  expect(await outside.exit).toBe(1);
  expect(outside.stderr).toMatch(/^quarterdeck: .*--root/u);
  expect(outside.lines).toEqual([]);

  const folder = join(place.cwd, "untrusted");
  mkdirSync(join(folder, ".claude"), { recursive: true });
  const hooks = { Stop: [{ hooks: [{ type: "command", command: "touch ran.txt" }] }] };
  writeFileSync(join(folder, ".claude", "settings.json"), JSON.stringify({ hooks }));
  const one = caller([], folder);
  one.write(user("hello"));
  await one.line(isResult);
  one.child.stdin.end();
  expect(await one.exit).toBe(0);
  expect(one.stderr).toContain("This folder is not trusted. The session ignores these files:");
  expect(one.stderr).toContain("settings.json");
});

test("a caller cannot open a relay with another token, or use the relay of another socket (S80)", async () => {
  const own = await RawClient.open(server);
  const { token } = await own.command("devices/addToken", { name: "Remote", role: "admin" });
  const remote = await RawClient.open({ url: server.url, token });
  const params = { cwd: place.cwd, argv: STREAM_JSON, env: {} };
  await expect(remote.call("relay/open", params)).rejects.toMatchObject({ code: "forbidden" });
  const { relay } = await own.call("relay/open", params);
  for (const method of ["relay/endInput", "relay/ack", "relay/input", "relay/signal"]) {
    const given = { relay, text: "{}\n", characters: 1, signal: "SIGTERM" };
    await expect(remote.call(method, given)).rejects.toMatchObject({ code: "not-found" });
  }
  const more = { ...params, argv: ["-p", "hello"] };
  await expect(own.call("relay/open", more)).rejects.toMatchObject({ code: "bad-request" });
  const named = { ...params, env: { "A=B": "c" } };
  await expect(own.call("relay/open", named)).rejects.toMatchObject({ code: "bad-request" });
  const exited = own.told("relay/exited");
  await own.call("relay/endInput", { relay });
  await exited;
  for (const client of [own, remote]) await client.drop();
});

test("lines of a caller that would end Claude Code end the caller only, and requests get an answer (S81)", async () => {
  const one = caller();
  one.ask("i", { subtype: "initialize" });
  await one.line(({ type }) => type === "control_response");
  one.write(user("hello"));
  await one.line(isResult);
  const session = await sessionOf(one);
  const answerTo = (id: string) =>
    one.line(({ type, response }) => type === "control_response" && response.request_id === id);
  one.ask("x", { subtype: "no_such_request" });
  expect((await answerTo("x")).response).toMatchObject({ subtype: "error" });
  one.ask("p", { subtype: "initialize", hooks: { PreToolUse: [{ hookCallbackIds: ["policy"] }] } });
  expect((await answerTo("p")).response).toMatchObject({ subtype: "error" });
  // An answer to nothing, and a cancel of a request of others, are ignored.
  one.answer(randomUUID(), { behavior: "allow", updatedInput: {} });
  one.write({ type: "control_cancel_request", request_id: randomUUID() });
  one.ask("m", { subtype: "set_model", model: "other" });
  expect((await answerTo("m")).response).toMatchObject({ subtype: "success" });
  one.write("this is not JSON\n");
  expect(await one.exit).toBe(1);
  expect(one.stderr).toContain('quarterdeck: A line of the input is not JSON: "this is not JSON"');

  const { client, state } = await phone(session);
  const rows = (await state()).rows.length;
  await client.command("session/prompt", { session, content: "hello" });
  await until(async () => (await state()).rows.slice(rows).some(({ kind }: Json) => kind === "turn"));
  expect((await state()).head.phase).toBe("idle");
  await client.command("sessions/close", { session });
  await client.drop();
});
