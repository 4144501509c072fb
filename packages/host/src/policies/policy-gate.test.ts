import type { RequestOf } from "@quarterdeck/protocol";
import { describe, expect, it } from "vitest";
import { PolicyGate } from "./policy-gate.ts";
import type { NewPolicy } from "./policy.ts";
import { openPolicies } from "./policy-store.ts";
import type { PolicyStore } from "./policy-store.ts";

const gateFor = (policies: readonly Partial<NewPolicy>[], cliVersion = "2.1.325") => {
  const store = openPolicies();
  for (const over of policies)
    store.add({
      name: over.behavior ?? "deny",
      behavior: "deny",
      rules: ["Bash(rm:*)"],
      folder: "/nowhere/a",
      ...over,
    });
  const head = () => ({ cwd: "/nowhere/a", cliVersion });
  return { store, gate: new PolicyGate({ store, session: "s", head, cwd: "/nowhere/a", home: "/home/ada" }) };
};
const ask = (command: string, more: object = {}): RequestOf<"can_use_tool"> => ({
  subtype: "can_use_tool",
  tool_name: "Bash",
  input: { command },
  tool_use_id: "t",
  ...more,
});
const hook = (command: string): RequestOf<"hook_callback"> => ({
  subtype: "hook_callback",
  callback_id: "policy",
  tool_use_id: "t",
  input: { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command } } as never,
});
const decisionOf = (gate: PolicyGate, command: string) => {
  const { output, policy } = gate.beforeTool(hook(command));
  const { permissionDecision, permissionDecisionReason } = ((output as { hookSpecificOutput?: object })
    .hookSpecificOutput ?? {}) as Record<string, string>;
  return { decision: permissionDecision, reason: permissionDecisionReason, policy };
};
const usedOf = (store: PolicyStore) => store.list().map(({ used }) => used);

describe("the policies of a session", () => {
  it("[H41] answer for a person, name the policy, and count each use", () => {
    const { gate, store } = gateFor([{ behavior: "allow", rules: ["Bash(npm test:*)"], times: 2 }]);
    const first = gate.answer(ask("npm test"));
    expect(first).toMatchObject({
      answer: { behavior: "allow" },
      policy: { name: "allow", behavior: "allow", rule: "Bash(npm test:*)" },
    });
    expect(gate.answer(ask("npm run build"))).toBeUndefined();
    expect(gate.answer(ask("npm test"))).toBeDefined();
    // The limit is reached: a person answers.
    expect(gate.answer(ask("npm test"))).toBeUndefined();
    expect(usedOf(store)).toEqual([2]);
    expect(gate.guards).toBe(false);
    // Nothing is decided before the CLI asks.
    expect(gate.beforeTool(hook("npm test"))).toEqual({ output: {} });
  });

  it.each([
    ["a rule of the CLI asks", { matched_ask_rule: { source: "userSettings" } }],
    ["a hook asks", { decision_reason_type: "hook" }],
    ["the CLI warns about it", { decision_reason_type: "safetyCheck" }],
    ["the CLI suggests to deny it", { default_to_no: true }],
    ["the CLI offers no rule for it", { suppress_always_allow_rule: true }],
    ["a person must take part", { requires_user_interaction: true }],
    ["it is a question", { tool_name: "AskUserQuestion" }],
    ["it is a plan", { tool_name: "ExitPlanMode" }],
  ])("[H41] never allow a call if %s", (_, more) => {
    const { gate, store } = gateFor([{ behavior: "allow", rules: ["Bash(npm test:*)", "Bash"] }]);
    expect(gate.answer(ask("npm test", more))).toBeUndefined();
    expect(usedOf(store)).toEqual([0]);
  });

  it("[H42] deny before the CLI decides, and say how to go on", () => {
    const { gate, store } = gateFor([{}]);
    expect(gate.guards).toBe(true);
    const { decision, reason, policy } = decisionOf(gate, "eval 'rm x'");
    expect(decision).toBe("deny");
    expect(reason).toMatch(/Denied by the policy "deny" of this host.*turn the policy off/u);
    expect(policy).toMatchObject({ behavior: "deny", rule: "Bash(rm:*)" });
    expect(decisionOf(gate, "ls")).toMatchObject({ decision: undefined });
    // A process that started before the policy does not ask before each call.
    expect(gate.answer(ask("rm x"))).toMatchObject({ answer: { behavior: "deny" } });
    expect(usedOf(store)).toEqual([2]);
  });

  it("[H42] ask a person before the CLI decides, and then leave the call to that person", () => {
    const { gate, store } = gateFor([
      { behavior: "ask", rules: ["Bash(git push:*)"], times: 1 },
      { behavior: "allow", rules: ["Bash(git:*)"] },
    ]);
    expect(decisionOf(gate, "git push")).toMatchObject({ decision: "ask", policy: { behavior: "ask" } });
    // Its only use is over, and still no other policy answers this call.
    expect(gate.answer(ask("git push"))).toBeUndefined();
    expect(usedOf(store)).toEqual([1, 0]);
    expect(gate.answer(ask("git push", { tool_use_id: "u" }))).toMatchObject({ answer: { behavior: "allow" } });
  });

  it("[H42] deny what they want to ask about if the CLI cannot ask", () => {
    for (const version of ["2.1.38", ""]) {
      const { gate } = gateFor([{ behavior: "ask" }], version);
      const { decision, reason, policy } = decisionOf(gate, "rm x");
      expect(decision).toBe("deny");
      expect(reason).toMatch(/cannot ask here/u);
      expect(policy).toMatchObject({ behavior: "ask" });
    }
  });

  it("[H41] deny a call if they cannot be checked or counted, and allow none", () => {
    const { gate, store } = gateFor([{}, { behavior: "allow", rules: ["Bash(npm test:*)"] }]);
    const broken = {
      ...store,
      take: () => {
        throw new Error("disk full");
      },
    };
    const failing = new PolicyGate({
      store: broken,
      session: "s",
      head: () => ({ cliVersion: "2.1.325" }),
      cwd: "/nowhere/a",
      home: "/h",
    });
    expect(decisionOf(failing, "rm x")).toMatchObject({
      decision: "deny",
      reason: expect.stringMatching(/disk full/u) as string,
    });
    expect(() => failing.answer(ask("npm test"))).toThrow("disk full");
    expect(gate.answer(ask("npm test"))).toBeDefined();
  });

  it("[H40] hold only in their folder or session, while they are on", () => {
    const { gate, store } = gateFor([{ folder: "/nowhere/b" }, { folder: undefined, session: "other" }]);
    expect(gate.guards).toBe(false);
    expect(decisionOf(gate, "rm x").decision).toBeUndefined();
    const { id } = store.add({ name: "here", behavior: "deny", rules: ["Bash(rm:*)"], session: "s" });
    expect(decisionOf(gate, "rm x").decision).toBe("deny");
    store.change(id, { isOn: false });
    expect(decisionOf(gate, "rm x").decision).toBeUndefined();
  });
});
