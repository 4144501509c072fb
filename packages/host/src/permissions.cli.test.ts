// Modes, bypass and policies with the real CLI, newest and 2.1.38.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Script } from "@quarterdeck/simulator";
import { describe, expect, it } from "vitest";
import type { HostOptions } from "./host-options.ts";
import { openPolicies } from "./policies/policy-store.ts";
import { answered, asked, bench, result, tool, turn, until } from "@quarterdeck/test-kit/real-host";
import { TRIED_VERSIONS } from "@quarterdeck/test-kit/how-much";

const calls = (when: string, name: string, input: Record<string, unknown>): Script => ({
  when,
  steps: [{ say: [{ tool: name, input }] }, { say: [{ text: "Done." }] }],
});
const SCRIPTS: readonly Script[] = [
  calls("[[write]]", "Write", { file_path: "written.txt", content: "x" }),
  calls("[[list]]", "Bash", { command: "ls -a" }),
  calls("[[hidden]]", "Bash", { command: "eval 'touch hidden.txt'" }),
  calls("[[npm]]", "Bash", { command: "npm --version" }),
  calls("[[ruled]]", "Bash", { command: "touch ruled.txt" }),
];

/** The CLI refuses to bypass for root, unless it is told that it runs in a sandbox. */
const SANDBOX = { IS_SANDBOX: "1" };

describe.each(TRIED_VERSIONS)("permissions of the real CLI %s through the host", (version) => {
  /** 2.1.38 ignores a hook that wants to ask (measured). */
  const isAsking = version !== "2.1.38";
  const open = async (settings?: object, over: Partial<HostOptions> = {}) => {
    const opened = await bench(version, over, SCRIPTS);
    const { environment } = opened.options;
    Object.assign(opened.options, { environment: (marker: string) => ({ ...environment(marker), ...SANDBOX }) });
    if (settings !== undefined) {
      mkdirSync(join(opened.root, ".claude"), { recursive: true });
      writeFileSync(join(opened.root, ".claude", "settings.json"), JSON.stringify(settings));
    }
    return opened;
  };
  const withPolicies = async () => {
    const policies = openPolicies();
    return { policies, ...(await open(undefined, { policies })) };
  };

  it("[H38] [H4] starts in the user's defaultMode, in another one if that was chosen, and approves a plan", async () => {
    const { root, start } = await open({ permissions: { defaultMode: "acceptEdits" } });
    const session = await start();
    expect(session.head.mode).toBe("acceptEdits");
    await turn(session, "[[write]]");
    expect(existsSync(join(root, "written.txt"))).toBe(true);
    expect(tool(session)?.requestId).toBeUndefined();
    // As the process reports it.
    expect(session.head.mode).toBe("acceptEdits");
    await session.close();
    const planned = await start({ cli: { permissionMode: "plan" } });
    await turn(planned, "hello");
    expect(planned.head.mode).toBe("plan");
    await answered(planned, "[[plan]]", { behavior: "allow" });
    expect(tool(planned)).toMatchObject({ name: "ExitPlanMode", state: "done" });
    expect(planned.head.mode).not.toBe("plan");
  });

  it("[H42] asks a person where the CLI would allow the call, and denies a hidden program in any mode", async () => {
    const { root, policies, start } = await withPolicies();
    policies.add({ name: "Look first", behavior: "ask", rules: ["Bash(ls:*)"], folder: root });
    policies.add({ name: "No touch", behavior: "deny", rules: ["Bash(touch hidden.txt)"], folder: root });
    const session = await start({ cli: { permissionMode: "bypassPermissions" } });
    expect(session.head.process).toMatchObject({ asksPolicies: true });
    const request = isAsking ? asked(session) : undefined;
    const listed = result(session);
    await session.prompt("[[list]]");
    await request;
    if (isAsking) {
      expect(session.head.requests).toMatchObject([
        { kind: "permission", request: { decision_reason: expect.stringMatching(/Look first/u) as string } },
      ]);
      await session.respond(session.head.requests[0]!.id, { behavior: "allow" }, { id: "tester" });
    }
    await listed;
    expect(tool(session)).toMatchObject(
      isAsking
        ? { state: "done", askedBy: { name: "Look first" }, decision: { decider: "person", by: { id: "tester" } } }
        : { state: "denied", decision: { decider: "policy", policy: { name: "Look first", behavior: "ask" } } },
    );
    await turn(session, "[[hidden]]");
    expect(tool(session)).toMatchObject({
      state: "denied",
      decision: { decider: "policy", policy: { name: "No touch" } },
    });
    expect(existsSync(join(root, "hidden.txt"))).toBe(false);
    await turn(session, "[[ruled]]");
    expect(tool(session)).toMatchObject({ state: "done" });
    expect(existsSync(join(root, "ruled.txt"))).toBe(true);
  });

  it("[H41] answers for a person as often as the policy says, and then asks", async () => {
    const { root, policies, start } = await withPolicies();
    policies.add({ name: "Touch once", behavior: "allow", rules: ["Bash(touch:*)"], folder: root, times: 1 });
    const session = await start();
    await turn(session, "[[ruled]]");
    expect(tool(session)).toMatchObject({
      state: "done",
      decision: { behavior: "allow", decider: "policy", policy: { name: "Touch once", rule: "Bash(touch:*)" } },
    });
    expect(existsSync(join(root, "ruled.txt"))).toBe(true);
    await answered(session, "[[ruled]]", { behavior: "deny", message: "no" });
    expect(tool(session)).toMatchObject({ state: "denied", decision: { decider: "person" } });
    expect(policies.list()).toMatchObject([{ used: 1 }]);
  });

  it("[H43] says which rule allowed a call, and no rule where none did", async () => {
    const settings = { permissions: { allow: ["Bash(npm --version)"], deny: ["Bash(touch ruled.txt)"] } };
    const { root, start } = await open(settings, { explainsCalls: true });
    const session = await start();
    const explained = (): Promise<void> => until(session, (event) => event.type === "call-explained");
    for (const [prompt, decision] of [
      ["[[npm]]", { behavior: "allow", decider: "rule", rule: { text: "Bash(npm --version)", scope: "userSettings" } }],
      ["[[list]]", { behavior: "allow", decider: "read-only" }],
      ["[[ruled]]", { behavior: "deny", decider: "rule", rule: { text: "Bash(touch ruled.txt)" } }],
    ] as const) {
      const said = explained();
      await turn(session, prompt);
      await said;
      expect(tool(session)?.decision).toMatchObject(decision);
    }
    expect(tool(session)?.decision?.rule?.path).toBe(join(root, ".claude", "settings.json"));
  });

  it("[H39] switches to bypass only if that was allowed at the start, and says what to do", async () => {
    const { host, start } = await open();
    const session = await start();
    await expect(session.setPermissionMode("bypassPermissions")).rejects.toMatchObject({
      code: "bypass-unavailable",
      message: expect.stringMatching(/resume the session with bypass allowed/u) as string,
    });
    await turn(session, "hello");
    expect(session.head).toMatchObject({ mode: "default" });
    await session.close();
    const again = await host.resume(session.id, { allowBypass: true });
    expect(again.head.process).toMatchObject({ canBypass: true });
    await again.setPermissionMode("bypassPermissions");
    await turn(again, "[[ruled]]");
    expect(tool(again)).toMatchObject({ state: "done" });
    expect(tool(again)?.requestId).toBeUndefined();
    expect(again.head.mode).toBe("bypassPermissions");
  });
});
