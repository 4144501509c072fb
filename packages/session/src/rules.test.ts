import { CONTROL, MESSAGE_KEYS } from "@quarterdeck/protocol";
import { describe, expect, it } from "vitest";
import type { Event, Fact, Streamed } from "./event.ts";
import { createFold, FATES } from "./fold.ts";
import type { Fold } from "./fold.ts";
import type { Phase } from "./head.ts";
import { mixedTurns } from "@quarterdeck/test-kit/mixed-turns";
import { RECORDINGS } from "@quarterdeck/test-kit/recordings";
import type { PromptRow, Row, ToolRow } from "./row.ts";

const eventsOf = (name: string): readonly (Event | Streamed)[] =>
  RECORDINGS.find((recording) => recording.name === name)!.events;
const foldOf = (events: readonly (Event | Streamed)[]): Fold => {
  const fold = createFold();
  for (const event of events) fold.apply(event);
  return fold;
};
const recorded = (name: string): Fold => foldOf(eventsOf(name));
const facts = (...list: readonly Fact[]): Fold =>
  foldOf(list.map((fact, index) => ({ seq: index + 1, at: index, ...fact })));
const received = (message: object): Fact => ({ type: "received", message: message as never });
const sent = (message: object): Fact => ({ type: "sent", message: message as never });

const ofKind = <K extends Row["kind"]>(fold: Fold, kind: K) =>
  fold.rows.filter((row) => row.kind === kind) as Extract<Row, { kind: K }>[];
const prompts = (fold: Fold) => ofKind(fold, "prompt").map(({ content, state }: PromptRow) => [content, state]);
const phases = (name: string): Phase[] => {
  const fold = createFold();
  const list: Phase[] = [fold.head.phase];
  for (const event of eventsOf(name)) {
    fold.apply(event);
    if (fold.head.phase !== list.at(-1)) list.push(fold.head.phase);
  }
  return list;
};

describe("the fold", () => {
  it("[F10] has a fate for every message of the protocol, and for nothing else", () => {
    const known = MESSAGE_KEYS.filter((key) => !key.startsWith("control_request/"));
    expect(new Set(Object.keys(FATES))).toEqual(new Set([...known, "control_request"]));
    expect(Object.keys(CONTROL).length).toBeGreaterThan(40);
  });

  it("[F13] keeps streamed text when its process ends, until the complete block is found", () => {
    const at = { messageId: "m", index: 0, at: 0 };
    const left: Fact = {
      type: "drafts-left",
      drafts: [
        { ...at, id: "m/0", kind: "thinking", text: "Hm", tokens: 7 },
        { ...at, id: "m/1", kind: "text", text: "Once upon" },
        { ...at, id: "tool/t", kind: "tool", text: '{"command":"ls -', toolUseId: "t", name: "Bash" },
      ],
    };
    const fold = facts(left, left);
    expect(fold.rows).toMatchObject([
      { id: "m/0", kind: "thinking", text: "Hm", tokens: 7, aborted: true },
      { id: "m/1", kind: "text", text: "Once upon", aborted: true },
      { id: "tool/t", kind: "tool", name: "Bash", input: { command: "ls -" }, state: "unfinished", endedAt: 0 },
    ]);
    const content = [
      { type: "thinking", thinking: "Hm", signature: "" },
      { type: "text", text: "Once upon a time." },
    ];
    const entry = { type: "assistant", uuid: "u", message: { id: "m", role: "assistant", content } };
    fold.apply({ seq: 3, at: 3, type: "imported", entry });
    expect(ofKind(fold, "text")).toMatchObject([{ id: "m/1", text: "Once upon a time." }]);
    expect(ofKind(fold, "text")[0]).not.toHaveProperty("aborted");
    expect(ofKind(fold, "thinking")).toHaveLength(1);
  });

  it("[F14] a recovered answer stands above the prompt that waited, and a cut-off text is completed in its place", () => {
    const prompt = (uuid: string): Fact => ({ type: "prompt-accepted", uuid, content: uuid });
    const said = (uuid: string, id: string, text: string): Fact => ({
      type: "imported",
      entry: { type: "assistant", uuid, message: { id, role: "assistant", content: [{ type: "text", text }] } },
    });
    const draft = { id: "m/0", kind: "text", messageId: "m", index: 0, at: 0, text: "Once" } as const;
    const fold = facts(
      { type: "process-started" },
      prompt("one"),
      sent({ type: "user", uuid: "one", message: { role: "user", content: "one" } }),
      received({
        type: "user",
        uuid: "one",
        isReplay: true,
        message: { role: "user", content: "one" },
        session_id: "s",
      }),
      { type: "drafts-left", drafts: [draft] },
      { type: "process-exited", code: null, signal: null },
      prompt("two"),
      prompt("three"),
      said("u", "m", "Once upon a time."),
      said("v", "n", "The end."),
      { type: "process-started" },
    );
    const names = (): unknown[] =>
      fold.rows.map((row) => (row.kind === "text" ? row.text : row.kind === "prompt" ? row.content : row.kind));
    expect(names()).toEqual(["one", "Once upon a time.", "The end.", "error", "two", "three", "mark"]);
    const started = { type: "command_lifecycle", command_uuid: "two", state: "started", session_id: "s" };
    fold.apply({ seq: 12, at: 12, ...received(started) });
    expect(names()).toEqual(["one", "Once upon a time.", "The end.", "error", "three", "mark", "two"]);
  });

  it("[L4] a new process that does not keep the mode of the last one says so", () => {
    const started = (mode: string): Fact => ({ type: "process-started", mode });
    const left = received({
      type: "system",
      subtype: "status",
      status: null,
      permissionMode: "acceptEdits",
      session_id: "s",
    });
    const gone: Fact = { type: "process-exited", code: 0, signal: null };
    const marks = (...list: readonly Fact[]) =>
      ofKind(facts(...list), "mark").flatMap(({ what, text, from }) => (what === "mode" ? [[text, from]] : []));
    expect(marks(started("plan"), left, gone, started("plan"))).toEqual([
      ["acceptEdits", undefined],
      ["plan", "acceptEdits"],
    ]);
    expect(marks(started("plan"), gone, started("plan"))).toEqual([]);
  });

  it("[W6] the retries of one request are one row, and the next request has its own", () => {
    const retry = (attempt: number): Fact =>
      received({
        ...{ type: "system", subtype: "api_retry", attempt, max_retries: 3, retry_delay_ms: 1000 * attempt },
        ...{ error_status: 529, error: "overloaded", session_id: "s" },
      });
    const answer = (uuid: string): Fact =>
      received({
        ...{ type: "assistant", uuid, session_id: "s" },
        message: { id: uuid, role: "assistant", model: "m", content: [{ type: "text", text: "Hi" }] },
      });
    const fold = facts(retry(1), retry(2), retry(3));
    expect(ofKind(fold, "retry")).toMatchObject([
      { attempt: 3, of: 3, at: 0, until: 2 + 3000, over: false, seqs: [1, 2, 3] },
    ]);
    expect(fold.head).toMatchObject({ phase: "retrying", retry: { attempt: 3, of: 3, until: 3002 } });
    for (const [index, fact] of [answer("a"), retry(1)].entries())
      fold.apply({ seq: 4 + index, at: 4 + index, ...fact });
    expect(ofKind(fold, "retry")).toMatchObject([
      { attempt: 3, over: true },
      { attempt: 1, over: false, at: 5, until: 1005 },
    ]);
  });

  it("[F13] puts cut-off text before the message about the interruption", () => {
    const draft = { id: "m/0", kind: "thinking", messageId: "m", index: 0, at: 0, text: "Hm" } as const;
    const fold = facts(
      received({ type: "user", message: { role: "user", content: "[Request interrupted by user]" }, session_id: "s" }),
      { type: "drafts-left", drafts: [draft] },
    );
    expect(fold.rows).toMatchObject([
      { id: "m/0", aborted: true },
      { kind: "mark", what: "interrupted" },
    ]);
  });

  it("[F5] shows unknown messages and counts them", () => {
    const fold = facts(received({ type: "brand_new", x: 1 }), {
      type: "noise",
      bytes: "eA==",
      size: 1,
      reason: "not-json",
    });
    expect(fold.rows).toMatchObject([
      { kind: "unknown", value: { type: "brand_new", x: 1 } },
      { kind: "noise", size: 1 },
    ]);
    expect(fold.head.counts).toEqual({ unknown: 1, noise: 1 });
  });
});

describe("prompts", () => {
  it("[P1] keeps one row for a prompt that is accepted, sent, echoed and completed", () => {
    const message = {
      type: "user",
      uuid: "u",
      session_id: "s",
      message: { role: "user", content: "hi" },
      parent_tool_use_id: null,
    };
    const fold = facts(
      { type: "prompt-accepted", uuid: "u", content: "hi", by: { id: "phone" } },
      sent(message),
      received({ type: "command_lifecycle", command_uuid: "u", state: "queued" }),
      received({ type: "command_lifecycle", command_uuid: "u", state: "started" }),
      received({ ...message, isReplay: true }),
      received({ ...message, isReplay: true }),
    );
    expect(fold.rows).toMatchObject([{ kind: "prompt", content: "hi", state: "started", by: { id: "phone" } }]);
    expect(fold.head.queue).toEqual([]);
  });

  it("[P1] accepts a prompt once, with its priority", () => {
    const accept: Fact = { type: "prompt-accepted", uuid: "u", content: "hi", priority: "later" };
    const message = { type: "user", uuid: "u", message: { role: "user", content: "hi" } };
    const fold = facts(accept, sent(message), accept);
    expect(fold.rows).toMatchObject([{ kind: "prompt", state: "sent", priority: "later" }]);
    expect(fold.head.queue).toMatchObject([{ uuid: "u", state: "sent" }]);
  });

  it("[P1] treats two equal texts as two prompts", () => {
    const hello = { type: "user", message: { role: "user", content: "same" } };
    expect(prompts(facts(sent(hello), sent(hello)))).toEqual([
      ["same", "sent"],
      ["same", "sent"],
    ]);
  });

  it("[P2] places a prompt at the tool boundary where it joined the turn", () => {
    const name = "2.1.325/09e_queue_midtool_fold";
    const states = new Set<string>();
    const fold = createFold();
    for (const event of eventsOf(name)) {
      fold.apply(event);
      for (const row of ofKind(fold, "prompt")) states.add(row.state);
    }
    expect([...states]).toEqual(["sent", "queued", "started", "folded", "done"]);
    expect(fold.rows.map((row) => row.kind)).toEqual(["prompt", "text", "tool", "prompt", "text", "turn"]);
  });

  it("[P2] starts a queued prompt with its own turn", () => {
    expect(recorded("2.1.325/09d_queue_midturn_text").rows.map((row) => row.kind)).toEqual([
      "prompt",
      "text",
      "turn",
      "prompt",
      "text",
      "turn",
    ]);
  });

  it("[P3] says that a prompt was withdrawn, or blocked by a hook and why", () => {
    expect(prompts(recorded("2.1.325/09g_cancel_queued")).at(-1)).toEqual(["queued [[echo:two]]", "cancelled"]);
    const [blocked, ...rest] = recorded("2.1.325/11g_ups_block").rows;
    expect(blocked).toMatchObject({ state: "blocked", reason: expect.stringContaining("blocked-reason") as unknown });
    expect(rest.map(({ kind }) => kind)).toEqual(["turn"]);
  });

  it("[P3] keeps prompts that a process had not started for the next one, if they can be identified", () => {
    const user = (uuid: string | undefined, content: string) => ({
      type: "user",
      ...(uuid !== undefined && { uuid }),
      message: { role: "user", content },
    });
    const fold = facts(
      sent(user("a", "named")),
      sent(user(undefined, "unnamed")),
      { type: "prompt-accepted", uuid: "b", content: "typed" },
      { type: "process-exited", code: null, signal: "SIGKILL" },
    );
    expect(prompts(fold)).toEqual([
      ["named", "accepted"],
      ["unnamed", "discarded"],
      ["typed", "accepted"],
    ]);
    expect(fold.head.queue.map((entry) => entry.uuid)).toEqual(["a", "b"]);
  });

  it("[P4] settles prompts in order if the CLI has no lifecycle", () => {
    const fold = recorded("2.1.38/09d_queue_midturn_text");
    expect(prompts(fold).map(([, state]) => state)).toEqual(["done", "done"]);
    expect(fold.rows.map((row) => row.kind)).toEqual(["prompt", "text", "turn", "prompt", "text", "turn"]);
  });

  it("[P4] settles the oldest prompt by a result without earlier messages", () => {
    const user = (content: string) => sent({ type: "user", message: { role: "user", content } });
    const result = received({ type: "result", subtype: "error_during_execution", is_error: false, errors: [] });
    expect(prompts(facts(user("one"), user("two"), result))).toEqual([
      ["one", "interrupted"],
      ["two", "sent"],
    ]);
  });

  it("[P6] names the prompts that a turn answered, also merged ones", () => {
    const user = (uuid: string, content: string) => ({ type: "user", uuid, message: { role: "user", content } });
    const lifecycle = (uuid: string, state: string) =>
      received({ type: "command_lifecycle", command_uuid: uuid, state });
    const fold = facts(
      sent(user("a", "A")),
      sent(user("b", "B")),
      lifecycle("a", "queued"),
      lifecycle("b", "queued"),
      lifecycle("a", "started"),
      lifecycle("b", "started"),
      received({ ...user("a", "A"), isReplay: true }),
      received({ ...user("b", "A\nB"), isReplay: true }),
      received({
        type: "result",
        subtype: "success",
        is_error: false,
        result: "",
        user_message_uuids: ["a", "b"],
      }),
    );
    expect(ofKind(fold, "turn")).toMatchObject([{ prompts: ["prompt/a", "prompt/b"] }]);
    expect(prompts(fold)).toEqual([
      ["A", "done"],
      ["B", "done"],
    ]);
  });

  it("[P3] counts a prompt whose turn was cut off as run", () => {
    const user = { type: "user", uuid: "u", message: { role: "user", content: "hi" } };
    const lifecycle = (state: string) => received({ type: "command_lifecycle", command_uuid: "u", state });
    const result = received({ type: "result", subtype: "error_during_execution", is_error: true, errors: [] });
    const cut = facts(sent(user), lifecycle("started"), result, lifecycle("cancelled"));
    expect(prompts(cut)).toEqual([["hi", "failed"]]);
    const early = facts(sent(user), lifecycle("started"), lifecycle("cancelled"), result);
    expect(prompts(early)).toEqual([["hi", "failed"]]);
    expect(prompts(facts(sent(user), lifecycle("queued"), lifecycle("cancelled")))).toEqual([["hi", "cancelled"]]);
  });

  it.each(["2.1.22", "2.1.38", "2.1.325"])(
    "[P3] distinguishes an interrupted prompt from a completed prompt, %s",
    (version) => {
      const states = prompts(recorded(`${version}/09j_interrupt_with_queue`)).map(([, state]) => state);
      expect(states).toEqual(["interrupted", "done"]);
    },
  );

  it("[P3] marks a prompt whose process ended in its turn, and keeps it if the turn had ended before", () => {
    const user = { type: "user", uuid: "u", message: { role: "user", content: "hi" } };
    const lifecycle = (state: string) => received({ type: "command_lifecycle", command_uuid: "u", state });
    const result = received({ type: "result", subtype: "success", is_error: false, result: "" });
    const exit: Fact = { type: "process-exited", code: null, signal: "SIGKILL" };
    expect(prompts(facts(sent(user), lifecycle("started"), exit))).toEqual([["hi", "interrupted"]]);
    expect(prompts(facts(sent(user), lifecycle("started"), result, exit))).toEqual([["hi", "done"]]);
  });

  it("says that a process was stopped because its folder changed", () => {
    const fold = facts({ type: "folder-changed", files: ["/w/.claude/settings.json"] });
    expect(fold.rows).toMatchObject([
      { kind: "notice", level: "warning", topic: "folder", text: expect.stringContaining("/w/.claude/settings.json") },
    ]);
  });

  it("says that a process runs without the settings of its folder", () => {
    const fold = facts({ type: "process-started", leftOut: ["/w/.mcp.json", "/w/.claude/settings.json"] });
    expect(fold.rows).toMatchObject([
      {
        kind: "notice",
        level: "warning",
        topic: "folder",
        text: expect.stringContaining("/w/.mcp.json, /w/") as unknown,
      },
    ]);
    expect(facts({ type: "process-started" }).rows).toEqual([]);
  });

  it("[P5] marks a turn that a finished task began", () => {
    expect(ofKind(recorded("2.1.325/06c_agent_default_bg"), "turn").map((turn) => turn.origin)).toEqual([
      undefined,
      "task-notification",
    ]);
  });
});

describe("requests", () => {
  const ask = received({
    type: "control_request",
    request_id: "r",
    request: { subtype: "can_use_tool", tool_name: "Bash", input: { command: "ls" }, tool_use_id: "t" },
  });
  const answer = (response: object) => ({
    type: "control_response",
    response: { subtype: "success", request_id: "r", response },
  });
  const tool = (fold: Fold): ToolRow | undefined => ofKind(fold, "tool")[0];

  it("[R1] is open until it is answered, withdrawn, or closed with the process", () => {
    expect(facts(ask).head).toMatchObject({ phase: "awaiting", requests: [{ id: "r", kind: "permission" }] });
    expect(tool(facts(ask))?.state).toBe("asking");
    const fates: [Fact, string][] = [
      [sent(answer({ behavior: "allow", updatedInput: { command: "ls" } })), "running"],
      [sent(answer({ behavior: "deny", message: "no" })), "denied"],
      [received({ type: "control_cancel_request", request_id: "r" }), "interrupted"],
      [{ type: "process-exited", code: 0, signal: null }, "unfinished"],
    ];
    for (const [fact, state] of fates) {
      const fold = facts(ask, fact);
      expect(fold.head.requests).toEqual([]);
      expect(tool(fold)?.state).toBe(state);
    }
  });

  it("[R2] counts the first answer and names its author and the changed input", () => {
    const fold = facts(
      ask,
      {
        ...(sent(answer({ behavior: "allow", updatedInput: { command: "pwd" } })) as object),
        by: { id: "laptop" },
      } as Fact,
      { ...(sent(answer({ behavior: "deny", message: "late" })) as object), by: { id: "phone" } } as Fact,
    );
    expect(tool(fold)).toMatchObject({
      state: "running",
      decision: { behavior: "allow", by: { id: "laptop" }, updatedInput: { command: "pwd" } },
    });
  });

  it("[R2] marks a tool as denied if a person denied it, also if the denial ended the turn", () => {
    const stopped = {
      type: "user",
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "no", is_error: true }] },
      tool_result_meta: [{ id: "t", non_execution_kind: "user-rejected" }],
    };
    const deny = sent(answer({ behavior: "deny", message: "stop", interrupt: true }));
    expect(tool(facts(ask, deny, received(stopped)))?.state).toBe("denied");
  });

  it("[R3] ignores echoes of our answers and answers to other ids", () => {
    const before = facts(ask).head.requests;
    expect(facts(ask, received(answer({ behavior: "allow" }))).head.requests).toMatchObject(
      before.map(({ id }) => ({ id })),
    );
  });

  it("[R4] remembers who closed a request, how and when", () => {
    const by = { id: "phone" };
    const fold = facts(ask, { ...(sent(answer({ behavior: "deny", message: "no" })) as object), by } as Fact);
    expect(fold.head.closedRequests).toEqual([
      { id: "r", kind: "permission", fate: "answered", behavior: "deny", by, at: 1 },
    ]);
    expect(tool(fold)?.decision).toEqual({ behavior: "deny", decider: "person", by, reason: "no", at: 1 });
    const cancel = { type: "control_cancel_request", request_id: "r" };
    expect(facts(ask, received(cancel)).head.closedRequests).toMatchObject([{ id: "r", fate: "cancelled" }]);
    const many = Array.from({ length: 60 }, (_, index) => [
      received({
        type: "control_request",
        request_id: `r${index}`,
        request: { subtype: "can_use_tool", tool_name: "Bash", input: {}, tool_use_id: `t${index}` },
      }),
      received({ type: "control_cancel_request", request_id: `r${index}` }),
    ]).flat();
    expect(facts(...many).head.closedRequests.map(({ id }) => id)).toEqual(
      Array.from({ length: 50 }, (_, index) => `r${index + 10}`),
    );
  });

  it("[R5] is closed by a cancel of the host too", () => {
    const fold = facts(ask, sent({ type: "control_cancel_request", request_id: "r" }));
    expect(fold.head.requests).toEqual([]);
    expect(tool(fold)?.state).toBe("interrupted");
    expect(facts(ask, sent({ type: "control_cancel_request", request_id: "ours" })).head.requests).toHaveLength(1);
  });

  it("[R6] names the process that asks, and belongs to the conversation of the agent that asks", () => {
    const task = { task_id: "a1", tool_use_id: "call", description: "d", is_backgrounded: false };
    const agentAsks = received({
      type: "control_request",
      request_id: "r",
      request: { subtype: "can_use_tool", tool_name: "Bash", input: {}, tool_use_id: "t", agent_id: "a1" },
    });
    const fold = facts(
      { type: "process-started" },
      received({ type: "system", subtype: "task_started", ...task }),
      agentAsks,
    );
    expect(tool(fold)).toMatchObject({ parent: "call" });
    expect(fold.head.requests).toMatchObject([{ incarnation: 1 }]);
  });

  it("[R7] lists what was allowed for the session, until a process starts without it", () => {
    const rules = (type: string, behavior: string, content: string, destination = "session") => ({
      type,
      behavior,
      destination,
      rules: [{ toolName: "Bash", ruleContent: content }],
    });
    const allow = (...updatedPermissions: object[]): Fact[] => [
      ask,
      sent(answer({ behavior: "allow", updatedInput: {}, updatedPermissions })),
    ];
    const given = [
      ...allow(rules("addRules", "allow", "ls"), rules("addRules", "allow", "pwd", "localSettings")),
      ...allow(rules("addRules", "allow", "ls"), rules("addRules", "deny", "rm *")),
      ...allow(
        { type: "addDirectories", directories: ["/d"], destination: "session" },
        { type: "setMode", mode: "plan", destination: "session" },
      ),
      ...allow(rules("removeRules", "deny", "rm *"), rules("addRules", "ask", "git push *")),
    ];
    const expected = { allow: ["Bash(ls)"], deny: [], ask: ["Bash(git push *)"], directories: ["/d"] };
    expect(facts(...given).head.rules).toEqual(expected);
    expect(facts(...given, { type: "process-started", keptPermissions: true }).head.rules).toEqual(expected);
    expect(facts(...given, { type: "process-started" }).head.rules).toEqual({
      allow: [],
      deny: [],
      ask: [],
      directories: [],
    });
    expect(facts(...given, ...allow(rules("replaceRules", "allow", "id"))).head.rules.allow).toEqual(["Bash(id)"]);
  });

  it("[R1] of another surface of the vendor is a neutral row, and nobody waits for it", () => {
    const fold = facts(
      received({ type: "control_request", request_id: "r9", request: { subtype: "oauth_token_refresh" } }),
    );
    expect(fold.head.requests).toEqual([]);
    expect(fold.rows).toMatchObject([{ kind: "unknown", reason: expect.stringContaining("oauth_token_refresh") }]);
  });

  it("[R1] keeps the request and the answer of a question and a plan", () => {
    const [question] = ofKind(recorded("2.1.325/05a_ask_by_text"), "tool");
    expect(question).toMatchObject({ name: "AskUserQuestion", state: "done", decision: { behavior: "allow" } });
    expect(
      ofKind(recorded("2.1.325/05k_plan_mode_exit_deny"), "tool").map(({ name, state }) => [name, state]),
    ).toContainEqual(["ExitPlanMode", "denied"]);
  });
});

describe("drafts", () => {
  it("[F2] of the main conversation continue while a subagent streams", () => {
    const fold = createFold();
    const stream = (event: object, parent: string | null): void =>
      fold.apply({
        type: "streamed",
        at: 0,
        message: { type: "stream_event", session_id: "s", uuid: "u", parent_tool_use_id: parent, event } as never,
      });
    const begin = (id: string, parent: string | null): void => {
      const message = { id, type: "message", role: "assistant", model: "m", content: [], usage: {} };
      stream({ type: "message_start", message }, parent);
      stream({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }, parent);
      stream({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: id } }, parent);
    };
    begin("main", null);
    begin("agent", "toolu_1");
    stream({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: " goes on" } }, null);
    expect(fold.drafts).toMatchObject([{ messageId: "main", text: "main goes on" }]);
  });
});

describe("gauges and work", () => {
  it("[G1] reads context and window from what the CLI reported, in every version", () => {
    expect(recorded("2.1.325/01a_plain_partial").head.gauges.context).toEqual({ used: 11, window: 1_000_000 });
    expect(recorded("2.1.22/01a_plain_partial").head.gauges.context).toEqual({ used: 11, window: 200_000 });
    expect(recorded("2.1.38/13a_slash_info").head.gauges.context).toMatchObject({ window: 200_000 });
    const fold = createFold();
    const categories: unknown[] = [];
    for (const event of eventsOf("2.1.325/10c_all_subtypes")) {
      fold.apply(event);
      categories.push(...(fold.head.gauges.context?.categories ?? []));
    }
    expect(categories).toContainEqual({ name: "Free space", tokens: expect.any(Number) as unknown, kind: "free" });
  });

  it("[G6] keeps the CLI's last answer about its context, heaviest parts first", () => {
    const { contextReport } = recorded("2.1.325/10c_all_subtypes").head;
    const { categories = [], used = 0, messages = [] } = contextReport ?? {};
    const taken = categories.filter(({ kind }) => kind === "used").reduce((sum, { tokens }) => sum + tokens, 0);
    expect(taken).toBe(used);
    expect(messages).toEqual(messages.toSorted((a, b) => b.tokens - a.tokens));
    expect(contextReport).toMatchObject({ window: 1_000_000, compactsAt: 967_000 });
  });

  it("[G5] keeps what turns cost by hour and model, and its sum is their cost", () => {
    const usage = (cost: number) => ({
      m: { inputTokens: 10, outputTokens: 2, cacheReadInputTokens: 5, cacheCreationInputTokens: 1, costUSD: cost },
    });
    const result = (cost: number) =>
      received({
        type: "result",
        subtype: "success",
        is_error: false,
        result: "",
        duration_api_ms: 7,
        total_cost_usd: cost,
        model_usage_since_last_result: usage(cost),
      });
    const fold = createFold();
    const at = [0, 1, 3_600_000];
    for (const [index, time] of at.entries()) fold.apply({ seq: index + 1, at: time, ...result(0.5) });
    const cost = { input: 10, output: 2, cacheRead: 5, cacheWrite: 1, costUsd: 0.5 };
    const twice = { input: 20, output: 4, cacheRead: 10, cacheWrite: 2, costUsd: 1 };
    expect(fold.head.spent).toEqual([
      { hour: 0, turns: 2, apiMs: 14, byModel: { m: twice } },
      { hour: 1, turns: 1, apiMs: 7, byModel: { m: cost } },
    ]);
    expect(ofKind(fold, "turn").map(({ byModel }) => byModel)).toEqual([{ m: cost }, { m: cost }, { m: cost }]);
  });

  it("[G7] a fork counts its own turns only, though the CLI's first total includes the parent", () => {
    const models = (cost: number) => ({ m: { inputTokens: 1, outputTokens: 1, costUSD: cost } });
    const result = (total: number, since: number) =>
      received({
        type: "result",
        subtype: "success",
        is_error: false,
        result: "",
        total_cost_usd: total,
        modelUsage: models(total),
        model_usage_since_last_result: models(since),
      });
    const fold = facts(
      { type: "process-started" },
      result(3, 3),
      { type: "forked", from: "parent" },
      { type: "process-started" },
      result(5, 2),
    );
    const { gauges, spent, forkOf } = fold.head;
    expect([gauges.costUsd, gauges.turns, forkOf]).toEqual([2, 1, "parent"]);
    expect(spent).toMatchObject([{ turns: 1, byModel: { m: { costUsd: 2 } } }]);
  });

  it("[G5] keeps a bounded number of hours, and loses no cost", () => {
    const fold = createFold();
    for (let hour = 0; hour < 1100; hour++)
      fold.apply({
        seq: hour + 1,
        at: hour * 3_600_000,
        ...received({
          type: "result",
          subtype: "success",
          is_error: false,
          result: "",
          model_usage_since_last_result: { m: { inputTokens: 1, outputTokens: 0, costUSD: 1 } },
        }),
      });
    const { spent } = fold.head;
    expect(spent.length).toBe(200);
    expect(spent.reduce((sum, { byModel }) => sum + (byModel["m"]?.costUsd ?? 0), 0)).toBe(1100);
    expect(spent.at(-1)).toMatchObject({ hour: 1099, turns: 1 });
  });

  it("[G1] is not changed by a subagent", () => {
    const before = recorded("2.1.325/06c_agent_default_bg").head.gauges;
    expect(before.tokens).toEqual({ input: 30, output: 60, cacheRead: 0, cacheWrite: 0 });
    expect(before.byModel["claude-opus-5-5"]).toMatchObject({ input: 60, output: 120 });
  });

  it("[G3] continues the cost after a resume, whether or not the CLI restarts at zero", () => {
    const models = (cost: number, tokens: number) => ({
      m: { inputTokens: tokens, outputTokens: 0, costUSD: cost, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 },
    });
    const result = (total: number, tokens: number, since?: [number, number]) =>
      received({
        type: "result",
        subtype: "success",
        is_error: false,
        result: "",
        total_cost_usd: total,
        modelUsage: models(total, tokens),
        ...(since !== undefined && { model_usage_since_last_result: models(...since) }),
      });
    const start: Fact = { type: "process-started" };
    const end: Fact = { type: "process-exited", code: 0, signal: null };
    const costs = (...list: Fact[]) => {
      const fold = facts(...list);
      const { costUsd, byModel } = fold.head.gauges;
      return { costUsd, model: byModel["m"]?.costUsd, turns: ofKind(fold, "turn").map((turn) => turn.costUsd) };
    };
    const old = costs(start, result(1, 10), result(3, 30), end, start, result(4, 40), result(5, 50));
    expect(old).toEqual({ costUsd: 8, model: 8, turns: [1, 2, 4, 1] });
    const today = costs(start, result(1, 10, [1, 10]), end, start, result(3, 30, [2, 20]), result(4, 40, [1, 10]));
    expect(today).toEqual({ costUsd: 4, model: 4, turns: [1, 2, 1] });
    const cleared = costs(start, result(3, 30, [3, 30]), result(0, 0, [0, 0]), result(1, 10, [1, 10]));
    expect(cleared).toMatchObject({ costUsd: 4, turns: [3, 0, 1] });
    const begunInATerminal = costs(start, result(7, 70, [2, 20]));
    expect(begunInATerminal).toMatchObject({ costUsd: 7, turns: [2] });
  });

  it("[G4] says that the session uses more memory than allowed", () => {
    const fold = facts({ type: "memory-exceeded", bytes: 3_221_225_472, limitBytes: 2_147_483_648, ends: true });
    expect(fold.head.memory).toEqual({ bytes: 3_221_225_472, limitBytes: 2_147_483_648, at: 0 });
    expect(fold.rows).toMatchObject([
      { kind: "error", source: "memory", text: expect.stringContaining("3072 MB") as unknown },
    ]);
  });

  it("[G2] counts lines and files from structured results", () => {
    const { files, gauges } = recorded("2.1.325/04a_files").head;
    const path = Object.keys(files).find((file) => file.endsWith("/new.txt"))!;
    expect(files[path]).toMatchObject({ created: true, edits: 4 });
    expect(gauges.linesAdded).toBeGreaterThan(3);
  });

  it("[W1] follows the task list of the model, old and new tools", () => {
    const fold = createFold();
    const seen: unknown[] = [];
    for (const event of eventsOf("2.1.325/07c_todo_enable_todo_tools")) {
      fold.apply(event);
      seen.push(fold.head.todos.map(({ history: _changes, ...todo }) => todo));
    }
    expect(seen).toContainEqual([
      {
        id: "1",
        subject: "Fix bug",
        description: "d",
        activeForm: "Fixing bug",
        status: "in_progress",
        blocks: ["2"],
        blockedBy: [],
      },
      {
        id: "2",
        subject: "Test",
        description: "d2",
        activeForm: "Testing",
        status: "pending",
        blocks: [],
        blockedBy: ["1"],
      },
    ]);
    expect(fold.head.todos.map(({ id, status }) => [id, status])).toEqual([["1", "completed"]]);
    expect(recorded("2.1.325/07d_todo_tasks_off").head.todos.map(({ subject }) => subject)).toEqual(["A", "B"]);
  });

  it("[W2] separates the description of a task from its current activity", () => {
    const about = { task_id: "t", tool_use_id: "call", description: "Look around" };
    const usage = { total_tokens: 5, tool_uses: 1, duration_ms: 1 };
    const fold = facts(
      received({ type: "system", subtype: "task_started", ...about }),
      received({ type: "system", subtype: "task_progress", ...about, description: "Running ls", usage }),
    );
    expect(fold.head.tasks).toMatchObject([{ description: "Look around", activity: "Running ls", tokens: 5 }]);
  });

  it("[W2] follows background tasks to their end, by their messages and by the full list", () => {
    expect(recorded("2.1.325/06e_bash_bg").head.tasks).toMatchObject([
      { status: "completed", background: true, type: "local_bash" },
    ]);
    const level = (tasks: object[]) => received({ type: "system", subtype: "background_tasks_changed", tasks });
    const fold = facts(level([{ task_id: "t", task_type: "local_bash", description: "d" }]), level([]));
    expect(fold.head.tasks).toMatchObject([{ id: "t", status: "ended" }]);
  });
});

describe("liveness", () => {
  it("[L1] follows a turn with a tool that asks", () => {
    expect(phases("2.1.325/03b_bash_allow_updated")).toEqual([
      "starting",
      "thinking",
      "streaming",
      "thinking",
      "streaming",
      "tool",
      "awaiting",
      "tool",
      "thinking",
      "streaming",
      "thinking",
      "idle",
    ]);
  });

  it("[L1] is not changed by a background agent, whose open call ends with it", () => {
    const call = (id: string, parent: string | null) =>
      received({
        type: "assistant",
        parent_tool_use_id: parent,
        message: { id: `m-${id}`, role: "assistant", content: [{ type: "tool_use", id, name: "Bash", input: {} }] },
      });
    const told = (subtype: string, more: object) => received({ type: "system", subtype, task_id: "a", ...more });
    const before: Fact[] = [
      { type: "process-started" },
      call("agent", null),
      told("task_started", { tool_use_id: "agent", description: "Look", task_type: "local_agent" }),
      received({
        type: "user",
        parent_tool_use_id: null,
        message: { role: "user", content: [{ type: "tool_result", tool_use_id: "agent", content: "It runs." }] },
      }),
      call("inner", "agent"),
    ];
    const fold = facts(...before);
    expect([fold.head.phase, fold.row("tool/inner")]).toMatchObject(["thinking", { state: "running" }]);
    const stopped = told("task_notification", { status: "stopped", summary: "Stopped.", output_file: "" });
    const after = facts(...before, stopped, call("main", null));
    expect(after.row("tool/inner")).toMatchObject({ state: "unfinished", endedAt: 5 });
    expect(after.head.phase).toBe("tool");
  });

  it("[F1] an API error of an agent is a row of that agent, not of the conversation", () => {
    const fold = facts(
      received({
        type: "assistant",
        parent_tool_use_id: "agent",
        error: "rate_limit",
        message: { id: "m", role: "assistant", model: "<synthetic>", content: [{ type: "text", text: "Too much." }] },
      }),
    );
    expect(fold.rows).toMatchObject([{ kind: "error", source: "limit", parent: "agent" }]);
  });

  it("[L1] distinguishes retrying, error and interrupted", () => {
    expect(phases("2.1.325/17h_err429")).toEqual(["starting", "thinking", "retrying", "thinking", "error"]);
    expect(recorded("2.1.325/17o_no_auth").head.phase).toBe("error");
    expect(phases("2.1.325/09a_interrupt_midstream").at(-1)).toBe("idle");
    expect(phases("2.1.325/14a_compact")).toContain("compacting");
  });

  it("[L2] is ready when initialize is answered", () => {
    expect(phases("2.1.325/10a_initialize_full").slice(0, 2)).toEqual(["starting", "ready"]);
  });

  it("[L3] distinguishes an expected end from a crash", () => {
    const exit = (code: number | null, signal: string | null): Fact => ({ type: "process-exited", code, signal });
    const started: Fact = { type: "process-started" };
    const failed = received({ type: "result", subtype: "error_during_execution", is_error: true, errors: [] });
    expect(facts(started, exit(0, null)).head.phase).toBe("ended");
    expect(facts(started, failed, exit(1, null)).head.phase).toBe("ended");
    expect(facts(started, { type: "signal-sent", signal: "SIGTERM" }, exit(143, null)).head.phase).toBe("ended");
    expect(facts(started, exit(1, null)).head.phase).toBe("died");
    expect(facts(started, exit(null, "SIGKILL")).rows).toMatchObject([
      { kind: "error", source: "process", text: "The CLI ended by SIGKILL." },
    ]);
    // A process that could not start, after another had ended normally.
    const ended = [started, { type: "stdin-closed" }, exit(0, null)] as const;
    const refused = facts(...ended, { type: "process-exited", code: null, signal: null, reason: "No such program." });
    expect(refused.head.phase).toBe("died");
    expect(refused.rows).toMatchObject([{ kind: "error", code: "not-started", text: "No such program." }]);
  });

  it("[L3] calls an end that nobody saw a crash only if something was under way or waited", () => {
    const unseen: Fact = { type: "process-exited", code: null, signal: null };
    const ready = [
      { type: "process-started" },
      sent({ type: "control_request", request_id: "i", request: { subtype: "initialize" } }),
      received({ type: "control_response", response: { subtype: "success", request_id: "i", response: {} } }),
      { type: "stderr", text: "A warning at its start.\n" },
    ] as const satisfies readonly Fact[];
    expect(facts(...ready, unseen).head.phase).toBe("ended");
    expect(ofKind(facts(...ready, unseen), "error")).toEqual([]);
    const prompted: Fact = { type: "prompt-accepted", uuid: "u", content: "hi" };
    const cut = facts(...ready, prompted, unseen);
    expect(cut.head.phase).toBe("died");
    // Its last words do not say why it ended.
    expect(ofKind(cut, "error")).toMatchObject([{ text: "It ended while Quarterdeck was not running." }]);
    const task = { task_id: "t", tool_use_id: "b", description: "watch", is_backgrounded: true };
    const busy = received({ type: "system", subtype: "task_started", ...task });
    expect(facts(...ready, busy, unseen).head.phase).toBe("died");
  });
});

describe("[S1] slash commands, compaction, /clear", () => {
  it.each(["2.1.22", "2.1.38", "2.1.325"])("%s: what /cost and /context print is a row", (version) => {
    const texts = ofKind(recorded(`${version}/13a_slash_info`), "command").map((row) => row.text);
    expect(texts.some((text) => text.startsWith("Total cost:"))).toBe(true);
    expect(texts.some((text) => text.includes("## Context Usage"))).toBe(true);
  });

  it.each(["2.1.22", "2.1.38", "2.1.325"])("%s: a compaction has its summary and no separate prompt row", (version) => {
    const fold = recorded(`${version}/14a_compact`);
    expect(ofKind(fold, "compaction")).toMatchObject([
      {
        trigger: "manual",
        before: expect.any(Number) as unknown,
        summary: expect.stringContaining("being continued") as unknown,
      },
    ]);
    expect(ofKind(fold, "prompt")).toHaveLength(4);
  });

  it("[G1] takes the remaining context from a compaction", () => {
    const boundary = (compact_metadata: object) =>
      received({ type: "system", subtype: "compact_boundary", compact_metadata });
    const fold = facts(boundary({ trigger: "auto", pre_tokens: 9000, post_tokens: 1200 }));
    expect(fold.head.gauges.context).toEqual({ used: 1200 });
    expect(fold.rows).toMatchObject([{ kind: "compaction", before: 9000, after: 1200 }]);
  });

  it("[S2] removes superseded or retracted text", () => {
    const say = (uuid: string, text: string, more: object = {}) =>
      received({
        type: "assistant",
        uuid,
        message: { id: `m${uuid}`, role: "assistant", model: "m", content: [{ type: "text", text }] },
        ...more,
      });
    const fold = facts(say("a", "one"), say("b", "two", { supersedes: ["a"] }));
    expect(ofKind(fold, "text").map(({ text }) => text)).toEqual(["two"]);
    expect(fold.changes(fold.rev - 3).removed).toEqual(["ma/0"]);
    const refused = facts(
      say("a", "one"),
      received({
        type: "system",
        subtype: "model_refusal_fallback",
        original_model: "m",
        fallback_model: "n",
        direction: "retry",
        request_id: null,
        content: "The model refused; another answers.",
        retracted_message_uuids: ["a"],
      }),
    );
    expect(refused.rows.map(({ kind }) => kind)).toEqual(["error"]);
  });

  it("adds a mark at /clear and keeps the cost", () => {
    const fold = facts(received({ type: "conversation_reset", new_conversation_id: "n", trigger: "clear" }));
    expect(fold.rows).toMatchObject([{ kind: "mark", what: "cleared" }]);
  });
});

describe("[F11] the cost of a long session", () => {
  it("does not grow the memory of the fold", () => {
    const fold = createFold();
    const message = (n: number) => ({
      id: `m${n}`,
      role: "assistant",
      model: "m",
      content: [{ type: "text", text: "x" }],
    });
    const say = (from: number, to: number): number => {
      for (let n = from; n <= to; n++) {
        fold.apply({
          seq: n,
          at: n,
          type: "received",
          message: { type: "assistant", uuid: `u${n}`, message: message(n) },
        });
      }
      return JSON.stringify(fold.save().memory).length;
    };
    const short = say(1, 2000);
    expect(say(2001, 20_000)).toBeLessThan(short * 1.5);
    expect(fold.rows).toHaveLength(20_000);
  });

  it("does not grow the memory of the fold for any mix of turns", () => {
    const fold = createFold();
    const play = (from: number, to: number): number => {
      for (let n = from; n < to; n++) for (const event of mixedTurns(n, fold.seq + 1)) fold.apply(event);
      const { memory, timeline } = fold.save();
      return JSON.stringify([memory, timeline.head]).length;
    };
    const once = play(0, 1) && fold.rowCount;
    expect(new Set(fold.rows.map(({ kind }) => kind))).toEqual(
      new Set(["mark", "prompt", "text", "thinking", "tool", "turn"]),
    );
    expect(fold.head.counts).toEqual({ unknown: 0, noise: 0 });
    const short = play(1, 30);
    expect(play(30, 90)).toBeLessThan(short * 1.2);
    expect([fold.rowCount, fold.head.queue, fold.head.requests]).toEqual([once * 90, [], []]);
  });

  it("does not read existing rows", () => {
    // Counted, not timed: reads of the row objects are observed.
    let reads = 0;
    const fold = createFold();
    const text = (n: number): Event => ({
      seq: n,
      at: n,
      type: "received",
      message: {
        type: "assistant",
        uuid: `u${n}`,
        message: { id: `m${n}`, role: "assistant", model: "m", content: [{ type: "text", text: "x" }] },
      },
    });
    for (let n = 1; n <= 2000; n++) fold.apply(text(n));
    for (const row of fold.rows) Object.defineProperty(row, "text", { get: () => (reads++, "x") });
    fold.apply(text(2001));
    fold.changes(fold.rev - 1);
    expect(reads).toBe(0);
  });
});
