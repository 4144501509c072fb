import { describe, expect, it } from "vitest";
import { decisionWords, placeOfRule } from "./decision-words.ts";
import type { Fact, PolicyMark } from "./event.ts";
import { createFold } from "./fold.ts";
import type { ToolRow } from "./row.ts";

const received = (message: object): Fact => ({ type: "received", message: message as never });
const call = (name = "Bash", input: object = { command: "ls" }): Fact =>
  received({
    type: "assistant",
    message: { id: "m", role: "assistant", content: [{ type: "tool_use", id: "t", name, input }] },
    parent_tool_use_id: null,
    session_id: "s",
  });
const result = (meta?: object, text = "ok", isError = false): Fact =>
  received({
    type: "user",
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: text, is_error: isError }] },
    parent_tool_use_id: null,
    session_id: "s",
    ...(meta !== undefined && { tool_result_meta: [{ id: "t", permission_decision: meta }] }),
  });
const inMode = (mode: string): Fact => ({ type: "process-started", mode });
const explained = (over: Partial<Extract<Fact, { type: "call-explained" }>> = {}): Fact => ({
  type: "call-explained",
  toolUseId: "t",
  behavior: "allow",
  kind: "rule",
  rule: { text: "Bash(ls)", scope: "projectSettings", path: "/p/.claude/settings.json", line: 4 },
  ...over,
});
const rowOf = (...facts: readonly Fact[]): ToolRow => {
  const fold = createFold();
  facts.forEach((fact, index) => fold.apply({ seq: index + 1, at: index, ...fact }));
  return fold.row("tool/t") as ToolRow;
};
const accept = (source: string, reason?: string) => ({
  decision: "accept",
  source,
  ...(reason !== undefined && { reason_type: reason }),
});

describe("who or what decided", () => {
  it.each([
    ["a rule", [call(), result(accept("config", "rule"))], "rule", "allowed by a rule"],
    ["a hook", [call(), result(accept("hook", "hook"))], "hook", "allowed by a hook"],
    ["a person", [call(), result(accept("user_temporary"))], "person", "allowed"],
    [
      "a tool that only reads",
      [inMode("default"), call("Read", { file_path: "a" }), result(accept("config", "mode"))],
      "read-only",
      "only reads, so nobody was asked",
    ],
    [
      "a mode",
      [inMode("acceptEdits"), call("Write", { file_path: "a" }), result(accept("config", "mode"))],
      "mode",
      "allowed by the mode “Accept edits”",
    ],
    [
      "parts that the CLI does not name",
      [call(), result(accept("config", "subcommandResults"))],
      undefined,
      "allowed without asking",
    ],
    ["nothing that is known", [call(), result(accept("config"))], undefined, "allowed without asking"],
  ] as const)("[R8] is %s, as the CLI says it", (_, facts, decider, words) => {
    const { decision } = rowOf(...facts);
    expect(decision?.decider).toBe(decider);
    expect(decisionWords(decision!)).toBe(words);
  });

  it("[R8] says nothing of an older CLI that says nothing", () => {
    expect(rowOf(call(), result()).decision).toBeUndefined();
  });

  it("[R9] completes what the CLI said with the rule of that moment", () => {
    const { decision } = rowOf(call(), result(accept("config", "subcommandResults")), explained());
    expect(decision).toMatchObject({ behavior: "allow", decider: "rule", rule: { text: "Bash(ls)" } });
    expect(decisionWords(decision!)).toBe("allowed by the rule Bash(ls)");
    expect(placeOfRule(decision!.rule!)).toBe("/p/.claude/settings.json:4");
    expect(placeOfRule({ text: "Bash(ls)", scope: "cliArg" })).toBe("The command line");
    // An older CLI says nothing, and ran the call.
    expect(rowOf(call(), result(), explained()).decision).toMatchObject({ decider: "rule" });
    const refused = result(undefined, "Permission to use Bash with command ls has been denied.", true);
    expect(rowOf(call(), refused, explained({ behavior: "deny" }))).toMatchObject({
      state: "denied",
      decision: { behavior: "deny", decider: "rule" },
    });
  });

  it("[R9] never contradicts the CLI", () => {
    const said = (meta: object, over = {}) => rowOf(call(), result(meta), explained(over)).decision;
    expect(said(accept("hook", "hook"))?.decider).toBe("hook");
    expect(said(accept("user_temporary"))?.decider).toBe("person");
    expect(said(accept("config", "rule"), { kind: "read-only" })).toEqual({
      behavior: "allow",
      decider: "rule",
      source: "config",
    });
    expect(said(accept("config", "rule"), { behavior: "deny" })?.behavior).toBe("allow");
    // It ran and failed: nobody denied it.
    expect(rowOf(call(), result(undefined, "ls: no such file", true), explained({ behavior: "deny" }))).toMatchObject({
      state: "failed",
    });
    // Without a result, the decision is unknown.
    expect(rowOf(call(), explained()).decision).toBeUndefined();
  });
});

describe("policies in the log", () => {
  const policy: PolicyMark = { id: "p", name: "No pushes", behavior: "deny", rule: "Bash(git push:*)" };
  const asks = received({
    type: "control_request",
    request_id: "r",
    request: { subtype: "can_use_tool", tool_name: "Bash", input: { command: "ls" }, tool_use_id: "t" },
  });
  const hook = received({
    type: "control_request",
    request_id: "h",
    request: {
      subtype: "hook_callback",
      callback_id: "policy",
      input: {
        hook_event_name: "PreToolUse",
        session_id: "s",
        transcript_path: "/t",
        cwd: "/p",
        tool_name: "Bash",
        tool_input: { command: "ls" },
        tool_use_id: "t",
      },
      tool_use_id: "t",
    },
  });
  const answer = (request: string, response: object, mark: PolicyMark): Fact => ({
    type: "sent",
    message: { type: "control_response", response: { subtype: "success", request_id: request, response } } as never,
    policy: mark,
  });
  const says = (permissionDecision: string) => ({
    hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, permissionDecisionReason: "why" },
  });

  it("[R10] name the policy that allowed a call instead of a person", () => {
    const mark = { ...policy, behavior: "allow" } as const;
    const { decision, state } = rowOf(
      call(),
      asks,
      answer("r", { behavior: "allow", updatedInput: { command: "ls" } }, mark),
    );
    expect(state).toBe("running");
    expect(decision).toEqual({ behavior: "allow", decider: "policy", policy: mark, at: 2 });
    expect(decisionWords(decision!)).toBe("allowed by your policy: No pushes");
  });

  it("[R10] name the policy that denied a call before the CLI decided, also after its result", () => {
    const denied = rowOf(
      call(),
      hook,
      answer("h", says("deny"), policy),
      result({ decision: "reject", source: "hook", reason_type: "hook" }, "hook error: why", true),
    );
    expect(denied).toMatchObject({
      state: "denied",
      decision: { behavior: "deny", decider: "policy", policy, reason: "why" },
    });
  });

  it("[R10] name the policy that wants a person to be asked", () => {
    const mark = { ...policy, behavior: "ask" } as const;
    const asked = rowOf(call(), hook, answer("h", says("ask"), mark), asks);
    expect(asked).toMatchObject({ state: "asking", askedBy: mark });
    expect(asked.decision).toBeUndefined();
  });
});
