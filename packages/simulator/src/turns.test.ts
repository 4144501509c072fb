import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { ASKING, bash, blockOf, call, endlessly, Host, PARTIAL, text } from "./host.fixture.ts";
import { recordAt } from "./json.ts";
import type { Json } from "./json.ts";

const REPLAY = [...ASKING, ...PARTIAL, "--replay-user-messages"];
/** A turn cannot end before the host has answered. */
const HELD = { subtype: "initialize", hooks: { Stop: [{ hookCallbackIds: ["end"] }] } };
const isQueued =
  (uuid: string) =>
  (message: Json): boolean =>
    message.command_uuid === uuid && message.state === "queued";
const isDelta = (message: { readonly event?: unknown }): boolean =>
  recordAt(message, "event").type === "content_block_delta";

describe.concurrent("a plain turn", () => {
  it("writes init, one assistant message and a result, and ends with 0", async () => {
    const host = new Host({ scripts: { hello: [text("Hi there.")] } });
    const result = await host.turn("hello");
    expect(host.words()).toEqual(["init", "assistant text", "result success"]);
    expect(result).toMatchObject({
      is_error: false,
      num_turns: 1,
      result: "Hi there.",
      stop_reason: "end_turn",
      terminal_reason: "completed",
      result_index: 0,
      queued_turn_count: 0,
      permission_denials: [],
    });
    expect(host.messages[1]).toMatchObject({
      message: {
        id: "msg_sim_0001",
        model: "claude-opus-5-5",
        content: [{ type: "text", text: "Hi there." }],
        stop_reason: null,
      },
      parent_tool_use_id: null,
      request_id: "req_sim_0001",
    });
    expect(await host.end()).toEqual({ code: 0, signal: null });
  });

  it("streams partial messages, the complete block before its stop", async () => {
    const host = new Host({ scripts: { hello: [{ say: [{ text: "0123456789ab4" }] }] }, args: PARTIAL });
    await host.turn("hello");
    expect(host.words()).toEqual([
      "init",
      "status requesting",
      "~message_start",
      "~content_block_start",
      "~content_block_delta",
      "~content_block_delta",
      "assistant text",
      "~content_block_stop",
      "~message_delta",
      "~message_stop",
      "result success",
    ]);
  });

  it("writes one assistant message per block and estimates thinking", async () => {
    const host = new Host({
      scripts: { think: [{ say: [{ thinking: "0123456789abcdef" }, { text: "a" }, { redactedThinking: "x" }] }] },
    });
    await host.turn("think");
    expect(host.words()).toEqual([
      "init",
      "thinking_tokens",
      "thinking_tokens",
      "assistant thinking",
      "assistant text",
      "assistant redacted_thinking",
      "result success",
    ]);
    expect(host.messages.slice(1, 3)).toMatchObject([
      { estimated_tokens: 3, estimated_tokens_delta: 3 },
      { estimated_tokens: 4, estimated_tokens_delta: 1 },
    ]);
    expect(new Set(host.messages.slice(3, 6).map((message) => recordAt(message, "message").id)).size).toBe(1);
  });

  it("adds up cost and usage: per turn in usage, in total in modelUsage", async () => {
    const usage = { input_tokens: 10, output_tokens: 20 };
    const host = new Host({ scripts: { hello: [{ say: [{ text: "Hi" }], usage }] } });
    await host.turn("hello");
    const second = await host.turn("hello again");
    expect(second).toMatchObject({
      total_cost_usd: 0.00088,
      usage: { input_tokens: 10, output_tokens: 20 },
      modelUsage: { "claude-opus-5-5": { inputTokens: 20, outputTokens: 40, costUSD: 0.00088 } },
      model_usage_since_last_result: { "claude-opus-5-5": { inputTokens: 10, costUSD: 0.00044 } },
      result_index: 1,
    });
  });

  it("binds replies to the uuid of their prompt, and drops a known uuid", async () => {
    const uuid = randomUUID();
    const host = new Host({ scripts: { hello: [text("Hi")], more: [text("More")] }, args: REPLAY });
    const result = await host.turn("hello", { uuid });
    expect(result).toMatchObject({ user_message_uuid: uuid, user_message_uuids: [uuid] });
    host.prompt("hello", { uuid });
    await host.turn("more");
    expect(host.words(["status requesting"]).filter((word) => !word.startsWith("~"))).toEqual([
      "command queued",
      "command started",
      "init",
      "replay",
      "assistant text",
      "result success",
      "command completed",
      "replay",
      "init",
      "replay",
      "assistant text",
      "result success",
    ]);
    expect(host.messages.find(({ isReplay }) => isReplay === true)).toMatchObject({
      uuid,
      message: { content: "hello" },
    });
  });
});

describe.concurrent("the queue", () => {
  it("runs two prompts at the start as two turns", async () => {
    const host = new Host({ scripts: { one: [text("1")], two: [text("2")] } });
    host.write(
      ["one", "two"]
        .map((content) => `${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`)
        .join(""),
    );
    expect([await host.result(), await host.result()]).toMatchObject([{ result: "1" }, { result: "2" }]);
  });

  it("joins prompts that waited together", async () => {
    const [first, a, b] = [randomUUID(), randomUUID(), randomUUID()];
    const host = new Host({
      scripts: { slow: [text("taking my time with this")], "B!": [text("both")] },
      args: REPLAY,
      hook: () => (host.messages.some(isQueued(b)) ? {} : undefined),
    });
    await host.request(HELD);
    host.prompt("slow", { uuid: first });
    const held = await host.asked("hook_callback");
    host.prompt("A", { uuid: a });
    host.prompt("B!", { uuid: b });
    await host.next(isQueued(b));
    host.answer(held, {});
    await host.result();
    expect(await host.result()).toMatchObject({ result: "both", user_message_uuid: b, user_message_uuids: [a, b] });
    const replays = host.messages.filter(({ isReplay }) => isReplay === true);
    expect(replays.slice(1)).toMatchObject([
      { uuid: a, message: { content: "A" } },
      { uuid: b, message: { content: "A\nB!" } },
    ]);
  });

  it("adds a prompt at the next tool boundary, and leaves one with priority later", async () => {
    const [first, folded, later] = [randomUUID(), randomUUID(), randomUUID()];
    const host = new Host({
      scripts: { work: [bash("touch made"), text("done")], "for later": [text("later")] },
      args: REPLAY,
      permit: () => undefined,
    });
    host.prompt("work", { uuid: first });
    const held = await host.asked("can_use_tool");
    host.prompt("by the way", { uuid: folded });
    host.prompt("for later", { uuid: later, priority: "later" });
    await host.next(isQueued(later));
    host.answer(held, { behavior: "allow" });
    expect(await host.result()).toMatchObject({ result: "done", num_turns: 2, user_message_uuids: [first, folded] });
    expect(await host.result()).toMatchObject({ result: "later", user_message_uuids: [later] });
    const fate = host.messages.filter(({ command_uuid }) => command_uuid === folded).map(({ state }) => state);
    expect(fate).toEqual(["queued", "started", "completed"]);
  });

  it("lets a prompt with priority now interrupt the running turn", async () => {
    const host = new Host({
      scripts: { slow: [endlessly()], urgent: [text("at once")] },
      args: REPLAY,
    });
    host.prompt("slow", { uuid: randomUUID() });
    await host.next(isDelta);
    host.prompt("urgent", { uuid: randomUUID(), priority: "now" });
    expect(await host.result()).toMatchObject({
      subtype: "success",
      is_error: false,
      terminal_reason: "aborted_streaming",
    });
    expect(await host.result()).toMatchObject({ result: "at once" });
    expect(host.words()).toContain("assistant text aborted");
    expect(host.words()).not.toContain("user text");
  });

  it("cancels waiting prompts, one by one or with an interrupt", async () => {
    const [first, a, b] = [randomUUID(), randomUUID(), randomUUID()];
    const host = new Host({ scripts: { slow: [endlessly()] }, args: REPLAY });
    host.prompt("slow", { uuid: first });
    await host.next(isDelta);
    host.prompt("A", { uuid: a });
    host.prompt("B", { uuid: b });
    expect(await host.request({ subtype: "cancel_async_message", message_uuid: a })).toEqual({ cancelled: true });
    expect(await host.request({ subtype: "cancel_async_message", message_uuid: a })).toEqual({ cancelled: false });
    expect(await host.request({ subtype: "interrupt", cancel_queued: true })).toEqual({
      still_queued: [],
      cancelled: [b],
    });
    expect(await host.result()).toMatchObject({ subtype: "error_during_execution" });
    expect(await host.end()).toEqual({ code: 1, signal: null });
  });

  it("counts only prompts of people, and stores a prompt without running it on request", async () => {
    const next = randomUUID();
    const host = new Host({
      scripts: { slow: [text("taking my time")], next: [text("next")] },
      hook: () => (host.messages.some(isQueued(next)) ? {} : undefined),
    });
    await host.request(HELD);
    host.prompt("slow", { uuid: randomUUID(), origin: { kind: "human" } });
    const held = await host.asked("hook_callback");
    host.prompt("next", { uuid: next, origin: { kind: "human" } });
    await host.next(isQueued(next));
    host.answer(held, {});
    expect(await host.result()).toMatchObject({ queued_turn_count: 1, origin: { kind: "human" } });
    await host.result();
    const stored = await host.turn("only for the record", { shouldQuery: false });
    expect(stored).toMatchObject({ num_turns: 0, result: "", is_error: false });
    expect(stored).not.toHaveProperty("terminal_reason");
  });
});

describe.concurrent("an interrupt", () => {
  it("ends a stream with the text so far, a marker and an error result", async () => {
    const uuid = randomUUID();
    const host = new Host({
      scripts: { slow: [endlessly()], after: [text("still here")] },
      args: [...ASKING, ...PARTIAL],
    });
    host.prompt("slow", { uuid });
    await host.next(isDelta);
    expect(await host.request({ subtype: "interrupt" })).toEqual({ still_queued: [] });
    const result = await host.result();
    expect(result).toMatchObject({
      subtype: "error_during_execution",
      is_error: true,
      num_turns: 2,
      total_cost_usd: 0,
      terminal_reason: "aborted_streaming",
    });
    await host.next(({ state }) => state === "cancelled");
    const words = host.words(["~content_block_delta", "status requesting"]);
    expect(words.slice(words.indexOf("answer"))).toEqual([
      "answer",
      "assistant text aborted",
      "user text",
      "~content_block_stop",
      "~message_delta",
      "~message_stop",
      "result error_during_execution",
      "command cancelled",
    ]);
    expect(await host.turn("after")).toMatchObject({ result: "still here", result_index: 1 });
    expect(await host.end()).toEqual({ code: 0, signal: null });
  });

  it("withdraws an open request before it answers", async () => {
    const host = new Host({ scripts: { touch: [bash("touch made.txt")] }, permit: () => undefined });
    host.prompt("touch");
    const asked = await host.next(({ type }) => type === "control_request");
    await host.request({ subtype: "interrupt" });
    const result = await host.result();
    expect(result).toMatchObject({
      terminal_reason: "aborted_tools",
      num_turns: 3,
      permission_denials: [{ tool_name: "Bash" }],
    });
    expect(host.words().slice(2)).toEqual([
      "ask can_use_tool",
      "control_cancel_request",
      "answer",
      "user tool_result",
      "user text",
      "result error_during_execution",
    ]);
    expect(host.messages).toContainEqual({ type: "control_cancel_request", request_id: asked.request_id });
  });

  it("stops a running shell command", async () => {
    const host = new Host({ scripts: { wait: [bash("echo started > started; sleep 60")] } });
    host.prompt("wait");
    await host.next(({ type }) => type === "control_request");
    await host.request({ subtype: "interrupt" });
    expect(await host.result()).toMatchObject({ terminal_reason: "aborted_tools", stop_reason: "tool_use" });
    expect(blockOf(host.toolResult("toolu_sim_0001_1"))).toMatchObject({ is_error: true });
    expect(await host.end()).toEqual({ code: 1, signal: null });
  });

  it("ends the wait for a retry", async () => {
    const failing = { ...text("never"), fail: [{ status: 529, headers: { "retry-after": "600" } }] };
    const host = new Host({ scripts: { go: [failing] } });
    host.prompt("go");
    await host.next(({ subtype }) => subtype === "api_retry");
    await host.request({ subtype: "interrupt" });
    expect(await host.result()).toMatchObject({ terminal_reason: "aborted_streaming", num_turns: 2 });
    expect(host.words()).toEqual(["init", "api_retry", "answer", "user text", "result error_during_execution"]);
  });

  it("is answered when nothing runs", async () => {
    const host = new Host({ scripts: {} });
    expect(await host.request({ subtype: "interrupt" })).toEqual({ still_queued: [] });
  });
});

describe.concurrent("the API", () => {
  it("is retried, and the retries are reported", async () => {
    const host = new Host({
      scripts: {
        go: [
          {
            ...text("recovered"),
            fail: [
              { status: 529, headers: { "retry-after": "0" } },
              { status: 0, headers: { "retry-after": "0" } },
            ],
          },
        ],
      },
    });
    expect(await host.turn("go")).toMatchObject({ result: "recovered", is_error: false });
    expect(host.messages.filter(({ subtype }) => subtype === "api_retry")).toMatchObject([
      { attempt: 1, max_retries: 10, error_status: 529, error: "overloaded" },
      { attempt: 2, error_status: null, error: "unknown" },
    ]);
  });

  it.each([
    [400, "unknown", "api_error"],
    [403, "authentication_failed", "api_error"],
    [404, "model_not_found", "api_error"],
    [413, "invalid_request", "image_error"],
  ])("fails with %i as a synthetic message and an error under success", async (status, error, terminal) => {
    const host = new Host({ scripts: { go: [{ ...text("x"), fail: [{ status, message: "no", always: true }] }] } });
    const result = await host.turn("go");
    expect(result).toMatchObject({
      subtype: "success",
      is_error: true,
      terminal_reason: terminal,
      api_error_status: status,
      num_turns: 1,
    });
    expect(host.messages[1]).toMatchObject({
      message: { model: "<synthetic>" },
      error,
      is_api_error_message: true,
      api_error_status: status,
    });
    expect(await host.end()).toEqual({ code: 1, signal: null });
  });

  it("is asked again without a stream after a stream ends with an error", async () => {
    const cut = { afterEvents: 5, error: { type: "overloaded_error", message: "Overloaded" } };
    const host = new Host({ scripts: { go: [{ say: [{ text: "one two three four five" }], cut }] }, args: PARTIAL });
    expect(await host.turn("go")).toMatchObject({ result: "one two three four five" });
    expect(host.words(["~content_block_delta"])).toEqual([
      "init",
      "status requesting",
      "~message_start",
      "~content_block_start",
      "~content_block_stop",
      "~message_stop",
      "assistant text",
      "result success",
    ]);
    expect(host.messages.findLast(({ type }) => type === "stream_event")).toMatchObject({
      abandoned_blocks: { from_block_index: 0 },
    });
  });

  it("is asked to continue after max_tokens, after one refusal and after an empty answer", async () => {
    const host = new Host({
      scripts: {
        long: [{ ...text("cut"), stop: "max_tokens" }, text("rest")],
        bad: [{ ...text("no"), stop: "refusal" }, text("fine then")],
        worse: [
          { ...text("no"), stop: "refusal" },
          { ...text("no!"), stop: "refusal" },
        ],
        mute: [{ say: [] }],
      },
    });
    expect(await host.turn("long")).toMatchObject({ result: "rest", num_turns: 2 });
    expect(await host.turn("bad")).toMatchObject({ result: "fine then", num_turns: 2 });
    expect(await host.turn("worse")).toMatchObject({
      is_error: true,
      stop_reason: "refusal",
      terminal_reason: "api_error",
    });
    expect(await host.turn("mute")).toMatchObject({ result: "", num_turns: 2 });
    expect(host.words()).toEqual([
      ...["init", "assistant text", "synthetic", "assistant text", "result success"],
      ...["init", "assistant text", "informational", "synthetic", "assistant text", "result success"],
      ...[
        "init",
        "assistant text",
        "informational",
        "synthetic",
        "assistant text",
        "model_refusal_no_fallback",
        "assistant text",
        "result success",
      ],
      ...["init", "synthetic", "result success"],
    ]);
  });
});

describe.concurrent("limits", () => {
  it("stops after the max turns, and the session continues", async () => {
    const host = new Host({
      scripts: { loop: [bash("echo 1"), bash("echo 2"), bash("echo 3")], after: [text("ok")] },
      args: ["--max-turns", "2"],
    });
    expect(await host.turn("loop")).toMatchObject({
      subtype: "error_max_turns",
      terminal_reason: "max_turns",
      num_turns: 3,
      errors: ["Reached maximum number of turns (2)"],
    });
    expect(await host.turn("after")).toMatchObject({ result: "ok" });
  });

  it("stops when the budget is spent, before the tool runs", async () => {
    const costly = { ...bash("echo spent"), usage: { input_tokens: 500_000, output_tokens: 50_000 } };
    const host = new Host({ scripts: { spend: [costly], more: [text("x")] }, args: ["--max-budget-usd", "1"] });
    expect(await host.turn("spend")).toMatchObject({
      subtype: "error_max_budget_usd",
      num_turns: 1,
      total_cost_usd: 3,
    });
    expect(await host.turn("more")).toMatchObject({ subtype: "error_max_budget_usd", stop_reason: null });
    expect(host.words()).not.toContain("user tool_result");
    expect(await host.end()).toEqual({ code: 1, signal: null });
  });

  it("asks for structured output until it is valid, five times", async () => {
    const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
    const args = ["--json-schema", JSON.stringify(schema)];
    const wrong = call("StructuredOutput", { age: 1 });
    const host = new Host({
      scripts: { good: [wrong, call("StructuredOutput", { name: "Ada" })], bad: [wrong, wrong, wrong, wrong, wrong] },
      args,
    });
    expect(await host.turn("good")).toMatchObject({
      structured_output: { name: "Ada" },
      result: '{"name":"Ada"}',
      num_turns: 3,
    });
    expect(await host.turn("bad")).toMatchObject({ subtype: "error_max_structured_output_retries", num_turns: 6 });
  });
});

it.concurrent("reports its state on request", async () => {
  const host = new Host({
    scripts: { touch: [bash("touch made"), text("ok")] },
    env: { CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: "1" },
  });
  await host.turn("touch");
  await host.next(({ state }) => state === "idle");
  const states = host.messages.filter(({ subtype }) => subtype === "session_state_changed").map(({ state }) => state);
  expect(states).toEqual(["running", "requires_action", "running", "idle"]);
});
