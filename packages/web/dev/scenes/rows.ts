// Every kind of row, and agents with rows of their own.

import { AT, PIXEL, row, tool, type Scene } from "./parts.ts";

export const rows: Scene = (view) => {
  const prompt = (state: string, more: object = {}) =>
    row({ kind: "prompt", content: `A message that is ${state}.`, state, uuid: `u-${state}`, ...more });
  view.add([
    row({
      kind: "prompt",
      at: AT - 86_400_000,
      content: [
        { type: "text", text: "With a picture and /code in @src/a.ts" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
      ],
      state: "done",
      by: { id: "d", name: "Desk" },
    }),
    prompt("folded"),
    prompt("started"),
    prompt("cancelled"),
    prompt("held"),
    prompt("blocked", { reason: "UserPromptSubmit: secrets are not allowed" }),
    prompt("refused"),
    prompt("discarded"),
    prompt("failed"),
    prompt("interrupted"),
    row({
      kind: "prompt",
      content: Array.from({ length: 60 }, (_, index) => `pasted line ${index}`).join("\n"),
      state: "done",
    }),
    row({ kind: "thinking", messageId: "m", text: "", redacted: true }),
    row({ kind: "text", messageId: "m", text: "I was about to say", aborted: true }),
    row({
      kind: "text",
      messageId: "m",
      text: "High water is at six.",
      citations: [
        {
          type: "web_search_result_location",
          url: "https://tides.example/today",
          title: "Tides of today",
          cited_text: "High water: 06:02",
        },
        {
          type: "web_search_result_location",
          url: "javascript:alert(1)",
          title: "Not \u202Ea link",
          cited_text: "<b>x</b>",
        },
        { type: "web_search_result_location", url: "https://evil.example/", title: "https://bank.example" },
        { type: "page_location", document_title: "Chart 7", start_page_number: 3, cited_text: "Rocks" },
      ],
    }),
    row({
      kind: "turn",
      ok: true,
      subtype: "success",
      errors: [],
      costUsd: 0.0712,
      durationMs: 34_000,
      steps: 5,
      inputTokens: 12_400,
      outputTokens: 830,
      denials: [{ tool_name: "Bash", tool_use_id: "x", tool_input: {} }],
    }),
    row({
      kind: "turn",
      ok: false,
      subtype: "error_max_turns",
      errors: ["Reached maximum number of turns (3)"],
      costUsd: 0.001,
      durationMs: 900,
      steps: 3,
      inputTokens: 10,
      outputTokens: 3,
      denials: [],
    }),
    row({
      kind: "error",
      source: "api",
      text: 'API Error: 529 {"type":"overloaded_error"}',
      status: 529,
      code: "overloaded",
    }),
    row({ kind: "error", source: "auth", text: "Not logged in · Please run /login" }),
    row({ kind: "error", source: "limit", text: "The five_hour limit is reached." }),
    row({ kind: "error", source: "process", text: "The CLI ended by SIGKILL." }),
    row({ kind: "error", source: "refusal", text: "The model declined to go on." }),
    row({
      kind: "command",
      name: "cost",
      text: "Total cost:            $0.04\nTotal duration (API):  4.2s",
      failed: false,
    }),
    row({
      kind: "command",
      name: "context",
      text: "## Context Usage\n**Model:** claude-sonnet-4-5\n**Tokens:** 23.9k / 200k (12%)\n\n| Category | Tokens |\n|---|---:|\n| System prompt | 3,200 |\n| Messages | 9,800 |",
      failed: false,
    }),
    row({ kind: "command", name: "compact", text: "Error: No messages to compact", failed: true }),
    row({
      kind: "compaction",
      trigger: "auto",
      before: 168_000,
      after: 12_300,
      summary: "The user wants **retries**.",
    }),
    row({ kind: "compaction", failed: "Not enough messages." }),
    row({ kind: "mark", what: "mode", text: "acceptEdits" }),
    row({ kind: "mark", what: "model", text: "claude-opus-4-6" }),
    row({ kind: "mark", what: "cleared", text: "clear" }),
    row({ kind: "mark", what: "interrupted", text: "[Request interrupted by user]" }),
    row({ kind: "mark", what: "resumed", text: "process 2" }),
    row({
      kind: "hook",
      hookId: "h",
      event: "PreToolUse",
      name: "guard.sh",
      outcome: "success",
      exitCode: 0,
      output: "checked 3 paths",
    }),
    row({
      kind: "hook",
      hookId: "h",
      event: "PostToolUse",
      name: "format.sh",
      outcome: "error",
      exitCode: 1,
      output: "prettier: command not found",
    }),
    row({
      kind: "request",
      requestId: "q",
      subtype: "elicitation",
      text: "Which workspace?",
      fate: "answered",
      by: { id: "d", name: "Desk" },
    }),
    row({ kind: "notice", level: "info", topic: "memory", text: "Recalled 2 notes." }),
    row({ kind: "notice", level: "warning", topic: "Bash denied", text: "A rule denies Bash(rm:*)." }),
    row({
      kind: "retry",
      at: Date.now(),
      attempt: 2,
      of: 10,
      delayMs: 8000,
      status: 529,
      error: "overloaded_error",
      until: Date.now() + 8000,
      over: false,
    }),
    row({
      kind: "retry",
      attempt: 1,
      of: 10,
      delayMs: 800,
      status: null,
      error: "connection reset",
      until: 0,
      over: true,
    }),
    row({ kind: "unknown", reason: "type", value: { type: "system", subtype: "quantum_state", spin: [1, 2] } }),
    row({ kind: "noise", reason: "not-json", size: 48 }),
    row({
      kind: "block",
      messageId: "m",
      block: { type: "server_tool_use", id: "s", name: "web_search", input: { query: "x" } },
    }),
    prompt("queued"),
  ]);
};

export const agents: Scene = (view) => {
  const call = (id: string, description: string, more: object = {}) =>
    row({
      kind: "tool",
      messageId: "m",
      toolUseId: id,
      name: "Agent",
      input: { description, prompt: `Please **${description}** and report.`, subagent_type: "Explore" },
      state: "running",
      at: Date.now() - 40_000,
      ...more,
    });
  const inside = (parent: string, fields: object) => row({ ...fields, parent });
  view.add([
    row({ kind: "prompt", content: "Look at both.", state: "started" }),
    call("a1", "Find callers of putPart"),
    call("a2", "Read the tests"),
    call("a3", "Summarise", {
      state: "done",
      endedAt: Date.now(),
      result: {
        tool: "Agent",
        ok: true,
        text: "",
        structured: {
          status: "completed",
          agentId: "x",
          content: [{ type: "text", text: "Two callers: `a.ts` and `b.ts`." }],
          totalTokens: 18_400,
          totalToolUseCount: 7,
        },
      },
    }),
    inside("a1", { kind: "prompt", content: "Please find callers.", state: "done", origin: "agent" }),
    inside("a1", { kind: "text", messageId: "m", text: "I will grep for it." }),
    {
      ...tool(
        "Grep",
        { pattern: "putPart" },
        { structured: { mode: "files_with_matches", filenames: ["/a.ts"], numFiles: 1 } },
      ),
      parent: "a1",
    },
    ...Array.from({ length: 30 }, (_, index) =>
      inside("a2", { kind: "text", messageId: "m", text: `Step ${index} of reading the tests.` }),
    ),
  ]);
};
