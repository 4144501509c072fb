import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { ASKING, bash, blockOf, call, contentOf, endlessly, Host, newFolder, text } from "./host.fixture.ts";
import { listAt, recordAt } from "./json.ts";

describe.concurrent("control requests", () => {
  it("initialize before any turn, and again", async () => {
    const host = new Host({ scripts: { hello: [text("hi")] } });
    const first = await host.request({ subtype: "initialize", hooks: null });
    expect(first).toMatchObject({
      pid: host.pid,
      claude_code_version: "2.1.325",
      current_permission_mode: "default",
      session_state: "idle",
    });
    expect(listAt(first, "commands").length).toBeGreaterThan(40);
    await host.turn("hello");
    await host.request({ subtype: "initialize" });
    await host.next(({ subtype }) => subtype === "background_tasks_changed");
    expect(host.words()).toEqual([
      "answer",
      "init",
      "assistant text",
      "result success",
      "answer",
      "background_tasks_changed",
    ]);
  });

  it("set the mode, and refuse an unknown one", async () => {
    const host = new Host({ scripts: {} });
    expect(await host.request({ subtype: "set_permission_mode", mode: "plan" })).toEqual({ mode: "plan" });
    expect(await host.request({ subtype: "set_permission_mode", mode: "manual" })).toEqual({ mode: "default" });
    await expect(host.request({ subtype: "set_permission_mode", mode: "bogus" })).rejects.toThrow(
      "must be one of acceptEdits, auto",
    );
    await expect(host.request({ subtype: "set_permission_mode", mode: "bypassPermissions" })).rejects.toThrow(
      "was not launched with",
    );
    expect(host.words()).toEqual(["answer", "mode plan", "answer", "mode default", "answer", "answer"]);
  });

  it("set the model, and report it after the first turn", async () => {
    const host = new Host({ scripts: { hello: [text("hi")] } });
    expect(await host.request({ subtype: "set_model", model: "claude-sonnet-4-5-20250929" })).toEqual({
      model: "claude-sonnet-4-5-20250929",
    });
    await host.turn("hello");
    expect(await host.request({ subtype: "set_model", model: "sonnet" })).toEqual({ model: "claude-sonnet-5-5" });
    expect(host.messages.find(({ isReplay }) => isReplay === true)).toMatchObject({
      message: { content: "<local-command-stdout>Set model to `sonnet (claude-sonnet-5-5)`</local-command-stdout>" },
    });
    await host.turn("hello");
    expect(host.messages.filter(({ subtype }) => subtype === "init").map(({ model }) => model)).toEqual([
      "claude-sonnet-4-5-20250929",
      "claude-sonnet-5-5",
    ]);
  });

  it("report on the session", async () => {
    const folder = newFolder();
    writeFileSync(join(folder.cwd, "hello.txt"), "hello\n");
    const host = new Host({
      folder,
      scripts: { hello: [{ ...text("hi"), usage: { input_tokens: 10, output_tokens: 20 } }] },
    });
    await host.turn("hello");
    expect(await host.request({ subtype: "get_session_cost" })).toMatchObject({
      text: expect.stringContaining("Total cost:            $0.0004") as string,
    });
    expect(await host.request({ subtype: "get_usage" })).toMatchObject({
      session: { total_cost_usd: 0.00044 },
      rate_limits: null,
    });
    expect(await host.request({ subtype: "get_context_usage" })).toMatchObject({
      maxTokens: 1_000_000,
      model: "claude-opus-5-5",
    });
    expect(await host.request({ subtype: "get_settings" })).toMatchObject({ applied: { model: "claude-opus-5-5" } });
    expect(await host.request({ subtype: "list_models" })).toMatchObject({
      models: [{ value: "default" }, { value: "opus" }, { value: "fable" }, { value: "sonnet" }, { value: "haiku" }],
    });
    expect(await host.request({ subtype: "read_file", path: "hello.txt" })).toEqual({
      contents: "hello\n",
      absPath: join(host.cwd, "hello.txt"),
      lossy: false,
      requested_path: "hello.txt",
    });
    await expect(host.request({ subtype: "read_file", path: "/etc/passwd" })).rejects.toThrow(
      "read denied: /etc/passwd",
    );
    expect(await host.request({ subtype: "file_suggestions", query: "hel" })).toEqual({
      suggestions: [{ path: "hello.txt" }],
      cwd: host.cwd,
    });
    expect(await host.request({ subtype: "get_plan" })).toEqual({ exists: false });
    expect(await host.request({ subtype: "get_workspace_diff" })).toEqual({
      diff: null,
      noDiffReason: "no-repository",
    });
    expect(await host.request({ subtype: "get_binary_version" })).toMatchObject({ version: "2.1.325" });
    await host.request({ subtype: "rename_session", title: "Tides" });
    expect(host.messages.find(({ subtype }) => subtype === "session_title_changed")).toMatchObject({ title: "Tides" });
  });

  it.each(["totally_unknown", "can_use_tool", "set_color", "toString"])(
    "answer an unknown request with an error: %s",
    async (subtype) => {
      const host = new Host({ scripts: {} });
      await expect(host.request({ subtype })).rejects.toThrow(`Unsupported control request subtype: ${subtype}`);
      expect(host.messages[0]).toMatchObject({ response: { error_code: "unsupported_request" } });
    },
  );

  it("end the session without an end of stdin", async () => {
    const host = new Host({ scripts: {} });
    await host.request({ subtype: "end_session" });
    expect(await host.exited).toEqual({ code: 0, signal: null });
  });

  it("ask outside the conversation, and can be canceled", async () => {
    const host = new Host({
      scripts: { hello: [text("hi")], aside: [text("beside")], slow: [endlessly()] },
    });
    await host.turn("hello");
    expect(await host.request({ subtype: "side_question", question: "aside" })).toEqual({
      response: "beside",
      synthetic: false,
    });
    host.send({ type: "control_request", request_id: "s", request: { subtype: "side_question", question: "slow" } });
    await host.next(({ request_id }) => request_id === "s");
    host.send({ type: "control_cancel_request", request_id: "s" });
    const answer = await host.next((message) => recordAt(message, "response").request_id === "s");
    expect(answer).toMatchObject({ response: { subtype: "error", error: "Side question cancelled" } });
    expect(host.words().slice(3)).toEqual(["control_request_progress", "answer", "control_request_progress", "answer"]);
  });

  it("restore files to their content before a prompt", async () => {
    const folder = newFolder();
    writeFileSync(join(folder.cwd, "a.txt"), "before\n");
    const uuid = randomUUID();
    const scripts = {
      go: [
        call("Write", { file_path: "a.txt", content: "after\n" }),
        call("Write", { file_path: "b.txt", content: "new\n" }),
        text("ok"),
      ],
      cat: [bash("cat a.txt; ls"), text("ok")],
    };
    const host = new Host({ folder, scripts, env: { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "1" } });
    await host.turn("go", { uuid });
    expect(await host.request({ subtype: "rewind_files", user_message_id: uuid, dry_run: true })).toEqual({
      canRewind: true,
      filesChanged: [join(host.cwd, "a.txt"), join(host.cwd, "b.txt")],
      insertions: 1,
      deletions: 2,
    });
    expect(await host.request({ subtype: "rewind_files", user_message_id: uuid })).toEqual({
      canRewind: true,
      skippedLinks: 0,
    });
    await host.turn("cat");
    expect(contentOf(host.toolResult("toolu_sim_0004_1"))).toBe("before\na.txt");
    await expect(host.request({ subtype: "rewind_files", user_message_id: randomUUID() })).rejects.toThrow(
      "No file checkpoint found",
    );
  });

  it("echo answers of the host under the replay flag", async () => {
    const host = new Host({
      scripts: { go: [bash("touch a"), text("ok")] },
      args: [...ASKING, "--replay-user-messages"],
    });
    await host.turn("go");
    const asked = host.messages.find(({ type }) => type === "control_request");
    expect(host.messages.find(({ type }) => type === "control_response")).toMatchObject({
      response: { request_id: asked?.request_id, response: { behavior: "allow" } },
    });
  });
});

describe.concurrent("hooks of the host", () => {
  const scripts = { go: [bash("touch made"), text("done"), text("more")], fail: [bash("false"), text("failed")] };
  const all = ["PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "Stop", "PermissionRequest"];
  const hooks = Object.fromEntries(all.map((event) => [event, [{ hookCallbackIds: [event] }]]));
  const asked = (host: Host): readonly unknown[] =>
    host.messages.flatMap((message) => {
      const request = recordAt(message, "request");
      return request.subtype === "hook_callback" ? [request.callback_id] : [];
    });

  it("are called around prompts, tools and ends", async () => {
    const host = new Host({ scripts });
    await host.request({ subtype: "initialize", hooks });
    await host.turn("go");
    await host.turn("fail");
    expect(asked(host)).toEqual([
      "UserPromptSubmit",
      "PreToolUse",
      "PermissionRequest",
      "PostToolUse",
      "Stop",
      "UserPromptSubmit",
      "PreToolUse",
      "PostToolUseFailure",
      "Stop",
    ]);
    const pre = host.messages.find((message) => recordAt(message, "request").callback_id === "PreToolUse");
    expect(pre).toMatchObject({
      request: {
        input: {
          hook_event_name: "PreToolUse",
          cwd: host.cwd,
          tool_name: "Bash",
          tool_use_id: "toolu_sim_0001_1",
          permission_mode: "default",
        },
      },
    });
  });

  it("deny, allow with changed input, or ask", async () => {
    const decide = (output: Record<string, unknown>): Host =>
      new Host({ scripts, hook: () => ({ hookSpecificOutput: { hookEventName: "PreToolUse", ...output } }) });
    const only = { PreToolUse: [{ matcher: "Bash|Write", hookCallbackIds: ["h"] }] };
    const denying = decide({ permissionDecision: "deny", permissionDecisionReason: "never" });
    await denying.request({ subtype: "initialize", hooks: only });
    expect(await denying.turn("go")).toMatchObject({ permission_denials: [{ tool_name: "Bash" }] });
    expect(contentOf(denying.toolResult("toolu_sim_0001_1"))).toBe("PreToolUse:Bash hook error: never");
    const allowing = decide({ permissionDecision: "allow", updatedInput: { command: "echo from-hook" } });
    await allowing.request({ subtype: "initialize", hooks: only });
    await allowing.turn("go");
    expect(allowing.toolResult("toolu_sim_0001_1")).toMatchObject({
      tool_use_result: { stdout: "from-hook" },
      tool_result_meta: [{ permission_decision: { source: "hook" } }],
    });
    const wondering = decide({ permissionDecision: "ask", permissionDecisionReason: "look" });
    await wondering.request({ subtype: "initialize", hooks: only });
    await wondering.turn("go");
    expect(wondering.messages.find((message) => recordAt(message, "request").subtype === "can_use_tool")).toMatchObject(
      { request: { decision_reason: "look", decision_reason_type: "hook" } },
    );
  });

  it("can keep a turn from ending, and a prompt from starting", async () => {
    const host = new Host({
      scripts,
      hook: ({ input }) =>
        recordAt({ input }, "input").stop_hook_active === false ? { decision: "block", reason: "not yet" } : {},
    });
    await host.request({ subtype: "initialize", hooks: { Stop: [{ hookCallbackIds: ["s"] }] } });
    expect(await host.turn("go")).toMatchObject({ result: "more", num_turns: 3 });
    expect(host.messages.find(({ isSynthetic }) => isSynthetic === true)).toMatchObject({
      message: { content: [{ text: "Stop hook feedback:\nnot yet" }] },
    });
    expect(host.words()).toContain("notification");
    const blocking = new Host({ scripts, hook: () => ({ decision: "block", reason: "not today" }) });
    await blocking.request({ subtype: "initialize", hooks: { UserPromptSubmit: [{ hookCallbackIds: ["u"] }] } });
    expect(await blocking.turn("go")).toMatchObject({
      num_turns: 0,
      result: "UserPromptSubmit operation blocked by hook:\nnot today\n\nOriginal prompt: go",
    });
    expect(blocking.words()).toEqual(["answer", "ask hook_callback", "init", "informational", "result success"]);
  });

  it("can be commands of settings, with events on request", async () => {
    const command = (line: string): unknown => [{ hooks: [{ type: "command", command: line }] }];
    const settings = JSON.stringify({
      hooks: {
        SessionStart: command("echo start"),
        UserPromptSubmit: command("echo ups"),
        PreToolUse: command("echo no >&2; exit 2"),
      },
    });
    const host = new Host({ scripts, args: [...ASKING, "--settings", settings, "--include-hook-events"] });
    await host.turn("go");
    expect(host.words().slice(0, 8)).toEqual([
      "hook_started",
      "hook_response",
      "hook_started",
      "hook_response",
      "init",
      "assistant tool_use",
      "hook_started",
      "hook_response",
    ]);
    expect(host.messages[1]).toMatchObject({
      hook_name: "SessionStart:startup",
      stdout: "start\n",
      exit_code: 0,
      outcome: "success",
    });
    expect(contentOf(host.toolResult("toolu_sim_0001_1"))).toBe("PreToolUse:Bash hook error: no");
    const quiet = new Host({ scripts, args: [...ASKING, "--settings", settings] });
    await quiet.turn("go");
    expect(quiet.words().slice(0, 3)).toEqual(["hook_started", "hook_response", "init"]);
  });
});

describe.concurrent("MCP servers of the host", () => {
  const mcp = ({ message }: { message?: unknown }): Record<string, unknown> => {
    const { method, id, params } = recordAt({ message }, "message");
    const results: Record<string, unknown> = {
      initialize: {
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "srv", version: "1" },
      },
      "tools/list": {
        tools: [
          { name: "echo", inputSchema: { type: "object" } },
          { name: "break", inputSchema: { type: "object" } },
        ],
      },
      "tools/call":
        recordAt({ params }, "params").name === "echo"
          ? { content: [{ type: "text", text: "pong" }] }
          : { content: [{ type: "text", text: "broken" }], isError: true },
    };
    return { mcp_response: { jsonrpc: "2.0", id: id ?? 0, result: results[String(method)] ?? {} } };
  };
  const scripts = {
    echo: [call("mcp__srv__echo", { text: "ping" }), text("ok")],
    break: [call("mcp__srv__break"), text("ok")],
  };

  it("are initialized, listed, reported and called", async () => {
    const host = new Host({ scripts, mcp });
    await host.request({ subtype: "initialize", sdkMcpServers: ["srv"] });
    await host.turn("echo");
    const methods = host.messages.flatMap((message) => {
      const request = recordAt(message, "request");
      return request.subtype === "mcp_message" ? [recordAt(request, "message").method] : [];
    });
    expect(methods).toEqual(["initialize", "notifications/initialized", "tools/list", "tools/call"]);
    expect(host.messages.find(({ subtype }) => subtype === "init")).toMatchObject({
      mcp_servers: [{ name: "srv", status: "connected", source: "sdk" }],
      tools: expect.arrayContaining(["mcp__srv__echo"]) as unknown,
    });
    expect(host.messages.find((message) => blockOf(message).name === "mcp__srv__echo")).toMatchObject({
      tool_use_meta: [{ display_name: "Echo", server_display_name: "srv", tool_name: "echo" }],
    });
    expect(host.toolResult("toolu_sim_0001_1").tool_use_result).toEqual([{ type: "text", text: "pong" }]);
    await host.turn("break");
    expect(host.toolResult("toolu_sim_0003_1")).toMatchObject({ tool_use_result: "Error: broken" });
  });

  it("can be added and removed while the session lives", async () => {
    const host = new Host({ scripts, mcp });
    expect(await host.request({ subtype: "mcp_set_servers", servers: { srv: { type: "sdk", name: "srv" } } })).toEqual({
      added: ["srv"],
      removed: [],
      errors: {},
    });
    await host.turn("echo");
    expect(await host.request({ subtype: "mcp_status" })).toMatchObject({
      mcpServers: [{ name: "srv", status: "connected", tools: [{ name: "echo" }, { name: "break" }] }],
    });
    await host.request({ subtype: "mcp_toggle", serverName: "srv", enabled: false });
    expect(await host.request({ subtype: "mcp_status" })).toMatchObject({ mcpServers: [{ status: "disabled" }] });
    await host.turn("echo");
    expect(contentOf(host.toolResult("toolu_sim_0003_1"))).toContain("No such tool available: mcp__srv__echo");
    expect(await host.request({ subtype: "mcp_set_servers", servers: {} })).toMatchObject({ removed: ["srv"] });
    await expect(host.request({ subtype: "mcp_reconnect", serverName: "nope" })).rejects.toThrow(
      "Server not found: nope",
    );
  });
});
