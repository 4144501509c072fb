import { describe, expect, it } from "vitest";
import { decodeValue } from "./decode.ts";
import type { JsonValue } from "./json.ts";

/** Lines of stdout as each source (S0 to S4) writes them. Each must be a message. */
const SOURCE_LINES: Readonly<Record<string, readonly JsonValue[]>> = {
  S0: [
    {
      type: "system",
      subtype: "init",
      session_id: "u",
      cwd: "/p",
      tools: ["Bash"],
      model: "m",
      permissionMode: "bypassPermissions",
      mcp_servers: [],
      agents: ["Plan"],
      skills: ["commit"],
      claude_code_version: "2.1.22",
    },
    {
      type: "stream_event",
      event: { type: "message_start", message: { model: "m", id: "msg_x", role: "assistant", content: [], usage: {} } },
      session_id: "u",
    },
    {
      type: "stream_event",
      event: {
        type: "content_block_start",
        index: 0,
        content_block: { type: "tool_use", id: "toolu_x", name: "Read", input: {} },
      },
      session_id: "u",
    },
    {
      type: "stream_event",
      event: {
        type: "content_block_delta",
        index: 0,
        delta: { type: "input_json_delta", partial_json: '{"file_path":' },
      },
      session_id: "u",
    },
    {
      type: "stream_event",
      event: { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: {} },
      session_id: "u",
    },
    { type: "stream_event", event: { type: "message_stop" }, session_id: "u" },
    {
      type: "assistant",
      message: { content: [{ type: "tool_use", id: "toolu_x", name: "Read", input: { file_path: "/f", limit: 10 } }] },
      session_id: "u",
    },
    {
      type: "user",
      message: {
        role: "user",
        content: [{ tool_use_id: "toolu_x", type: "tool_result", content: "out", is_error: false }],
      },
      session_id: "u",
      tool_use_result: { stdout: "out", stderr: "", interrupted: false, isImage: false },
    },
    {
      type: "result",
      subtype: "success",
      is_error: false,
      duration_ms: 5857,
      duration_api_ms: 5800,
      num_turns: 2,
      result: "text",
      session_id: "u",
      total_cost_usd: 0.05,
      usage: { input_tokens: 1 },
      modelUsage: { m: { inputTokens: 100, outputTokens: 50, costUSD: 0.05 } },
    },
  ],
  S1: [
    { type: "control_response", response: { subtype: "success", request_id: "1" } },
    {
      type: "user",
      isReplay: true,
      message: { role: "user", content: "<local-command-stdout>Total cost: $0.04</local-command-stdout>" },
    },
    { type: "system", subtype: "compact_boundary" },
    { type: "result", subtype: "error_max_turns", session_id: "u", result: "" },
    { type: "keep_alive" },
    { type: "control_cancel_request", request_id: "1" },
  ],
  S2: [
    {
      type: "control_request",
      request_id: "1",
      request: { subtype: "can_use_tool", tool_name: "AskUserQuestion", input: { questions: [] }, tool_use_id: "t" },
    },
    {
      type: "user",
      message: { role: "user", content: [{ type: "tool_result", content: "out", is_error: false, tool_use_id: "t" }] },
      tool_use_result: "Success or Error: message",
    },
    { type: "error", error: { type: "invalid_request", message: "what went wrong" } },
  ],
  S3: [
    { type: "system", subtype: "init", session_id: "u", tools: [], model: "m" },
    {
      type: "assistant",
      message: { id: "m", role: "assistant", content: [{ type: "thinking", thinking: "…" }], model: "m" },
    },
    {
      type: "user",
      message: {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "x" }] },
          { type: "tool_result", tool_use_id: "b", content: "y" },
        ],
      },
    },
    {
      type: "result",
      subtype: "success",
      result: "text",
      total_cost_usd: 0,
      duration_ms: 1,
      duration_api_ms: 1,
      num_turns: 1,
      is_error: false,
      session_id: "u",
    },
  ],
  S4: [
    ...[
      "status",
      "informational",
      "api_error",
      "stop_hook_summary",
      "turn_duration",
      "microcompact_boundary",
      "local_command",
    ].map((subtype) => ({ type: "system", subtype, status: null, content: "text" })),
    { type: "system", subtype: "hook_started", hook_id: "h", hook_name: "n", hook_event: "PreToolUse" },
    {
      type: "system",
      subtype: "hook_progress",
      hook_id: "h",
      hook_name: "n",
      hook_event: "PreToolUse",
      stdout: "",
      stderr: "",
      output: "",
    },
    {
      type: "system",
      subtype: "hook_response",
      hook_id: "h",
      hook_name: "n",
      hook_event: "PreToolUse",
      stdout: "",
      stderr: "",
      output: "",
    },
    { type: "system", subtype: "task_notification", task_id: "t", status: "completed", summary: "s" },
    { type: "streamlined_text", text: "t" },
    { type: "streamlined_tool_use_summary", summary: "s" },
    { type: "tool_use_summary", summary: "s" },
    { type: "auth_status", isAuthenticating: true },
    { type: "result", subtype: "success", is_error: true, result: "Not logged in - Please run /login" },
  ],
};

describe("the sources S0 to S4", () => {
  for (const [seed, lines] of Object.entries(SOURCE_LINES)) {
    it(`${seed}: each line that it describes is a message`, () => {
      const unknown = lines.map((line) => decodeValue(line)).filter((decoded) => decoded.kind !== "message");
      expect(unknown).toEqual([]);
    });
  }
});

describe("an older form decodes to today's", () => {
  const request = { subtype: "can_use_tool", tool_name: "Bash", input: { command: "ls" }, tool_use_id: "t" };

  it("S2: a control request nested in `message`", () => {
    const nested = { type: "control_request", message: { type: "control_request", request_id: "1", request } };
    expect(decodeValue(nested)).toEqual({
      kind: "message",
      message: { type: "control_request", request_id: "1", request },
      dialects: ["nested-control-request"],
    });
  });

  it("S2: hints are kept next to suggestions that can be applied", () => {
    const hint = { behavior: "allow", message: "Safe to run" };
    const update = { type: "setMode", mode: "acceptEdits", destination: "session" };
    const line = {
      type: "control_request",
      request_id: "1",
      request: { ...request, permission_suggestions: [hint, update] },
    };
    expect(decodeValue(line)).toEqual({
      kind: "message",
      message: { ...line, request: { ...request, permission_suggestions: [update], suggestion_hints: [hint] } },
      dialects: ["hint-suggestions"],
    });
  });

  it("S2: `assistant.delta` is a stream event", () => {
    const delta = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "partial text" } };
    expect(decodeValue({ type: "assistant", delta })).toEqual({
      kind: "message",
      message: { type: "stream_event", event: delta },
      dialects: ["assistant-delta"],
    });
  });

  it("S2: the echo of a prompt without `isReplay`", () => {
    const echo = { type: "user", message: { role: "user", content: [{ type: "text", text: "hello" }] } };
    expect(decodeValue(echo)).toEqual({
      kind: "message",
      message: { ...echo, isReplay: true },
      dialects: ["unmarked-echo"],
    });
  });

  it("does not change a message that only looks like such an echo", () => {
    const interrupted = {
      type: "user",
      message: { role: "user", content: "[Request interrupted by user]" },
      uuid: "u",
      session_id: "s",
    };
    const prompt = { type: "user", message: { role: "user", content: "hello" } };
    expect(decodeValue(interrupted)).toEqual({ kind: "message", message: interrupted });
    expect(decodeValue(prompt, "host")).toEqual({ kind: "message", message: prompt });
  });

  it.each(["error", "error_during_execution"])("S0 and S3: a result `%s` with `error`", (subtype) => {
    expect(decodeValue({ type: "result", subtype, is_error: true, error: "it broke", session_id: "u" })).toEqual({
      kind: "message",
      message: {
        type: "result",
        subtype: "error_during_execution",
        is_error: true,
        errors: ["it broke"],
        session_id: "u",
      },
      dialects: ["error-result"],
    });
  });

  it("S1: a bare success", () => {
    expect(decodeValue({ type: "result", subtype: "success", result: "" })).toEqual({
      kind: "message",
      message: { type: "result", subtype: "success", result: "", is_error: false },
      dialects: ["bare-result"],
    });
  });

  it("S1: an API error as text under success", () => {
    const text = 'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"no"}}';
    const message = { role: "assistant", model: "<synthetic>", content: [{ type: "text", text }] };
    expect(decodeValue({ type: "assistant", message })).toEqual({
      kind: "message",
      message: {
        type: "assistant",
        message,
        error: "invalid_request",
        api_error_status: 400,
        is_api_error_message: true,
      },
      dialects: ["api-error-text"],
    });
    expect(decodeValue({ type: "result", subtype: "success", is_error: false, result: text })).toEqual({
      kind: "message",
      message: { type: "result", subtype: "success", is_error: true, result: text, api_error_status: 400 },
      dialects: ["api-error-text"],
    });
  });

  it("does not treat text of the model as an API error", () => {
    const message = {
      role: "assistant",
      model: "claude-opus-5-5",
      content: [{ type: "text", text: "API Error: 400 means…" }],
    };
    expect(decodeValue({ type: "assistant", message })).toEqual({
      kind: "message",
      message: { type: "assistant", message },
    });
    const result = {
      type: "result",
      subtype: "success",
      is_error: false,
      result: "API Error: 400 means…",
      terminal_reason: "completed",
    };
    expect(decodeValue(result)).toEqual({ kind: "message", message: result });
  });
});
