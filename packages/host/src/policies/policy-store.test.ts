import { execFileSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchFolder } from "@quarterdeck/test-kit/scratch-folder";
import { appliesTo, policyStateOf } from "./policy.ts";
import type { NewPolicy } from "./policy.ts";
import { openPolicies } from "./policy-store.ts";

const policy: NewPolicy = { name: "No pushes", behavior: "deny", rules: ["Bash(git push:*)"], folder: "/code/a" };

test("[H40] policies and the counts of their limits survive a restart, in a private file", () => {
  const path = join(scratchFolder(), "data", "policies.json");
  const first = openPolicies({ path, now: () => 5 });
  expect(first.list()).toEqual([]);
  const { id } = first.add({ ...policy, times: 2 }, { id: "phone", name: "Pixel" });
  expect(first.take(id)).toBe(true);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const second = openPolicies({ path, now: () => 6 });
  expect(second.list()).toEqual([
    { ...policy, id, times: 2, isOn: true, used: 1, lastUsedAt: 5, createdAt: 5, by: { id: "phone", name: "Pixel" } },
  ]);
  expect([second.take(id), second.take(id)]).toEqual([true, false]);
  expect(policyStateOf(openPolicies({ path }).get(id)!, 6)).toBe("used-up");
  // A new limit counts from now.
  second.change(id, { times: 1 });
  expect([second.take(id), second.take(id)]).toEqual([true, false]);
  second.remove(id);
  expect(openPolicies({ path }).list()).toEqual([]);
});

test("[H40] a policy ends at its time, and can be turned off and on", () => {
  let now = 10;
  const store = openPolicies({ now: () => now });
  const { id } = store.add({ ...policy, until: 20 });
  expect(store.take(id)).toBe(true);
  now = 20;
  expect(store.take(id)).toBe(false);
  expect(policyStateOf(store.get(id)!, now)).toBe("expired");
  store.change(id, { until: null });
  expect(store.take(id)).toBe(true);
  store.change(id, { isOn: false });
  expect(store.take(id)).toBe(false);
  expect(store.change(id, { isOn: true }).used).toBe(2);
  expect(() => store.remove("other")).toThrow(expect.objectContaining({ code: "unknown-policy" }) as Error);
  expect(store.take("other")).toBe(false);
});

test("[H40] the same command adds a policy once", () => {
  const store = openPolicies();
  expect(store.add(policy, undefined, "one")).toBe(store.add(policy, undefined, "one"));
  expect(store.list()).toHaveLength(1);
});

test.each<[string, Partial<NewPolicy>, RegExp]>([
  ["no place", { folder: undefined }, /one folder or for one session/u],
  ["two places", { session: "s" }, /one folder or for one session/u],
  ["no rule", { rules: [] }, /at least one rule/u],
  ["an invalid rule", { rules: ["Bash(ls"] }, /is invalid/u],
  ["a question that it allows", { behavior: "allow", rules: ["AskUserQuestion"] }, /No policy can allow it/u],
  ["a plan that it allows", { behavior: "allow", rules: ["ExitPlanMode"] }, /No policy can allow it/u],
  ["the outside that it allows", { behavior: "allow", outside: true }, /cannot allow what is outside/u],
  ["no name", { name: " " }, /needs a name/u],
  ["half a use", { times: 0.5 }, /from 1/u],
])("[H40] a policy with %s is refused", (_, over, why) => {
  const store = openPolicies();
  expect(() => store.add({ ...policy, ...over })).toThrow(why);
  expect(store.list()).toEqual([]);
});

test("[H40] a file that cannot be read stops the start, because a deny must not be lost", () => {
  const folder = scratchFolder();
  const path = join(folder, "policies.json");
  for (const text of ["{", "{}", '[{"id":"a"}]']) {
    writeFileSync(path, text);
    expect(() => openPolicies({ path })).toThrow(/nobody knows what your policies deny/u);
    expect(readFileSync(path, "utf8")).toBe(text);
  }
  const pipe = join(folder, "pipe.json");
  execFileSync("mkfifo", [pipe]);
  expect(() => openPolicies({ path: pipe })).toThrow(/not a regular file/u);
});

test("[H40] a policy holds in its folder and below it, or in its session", () => {
  const store = openPolicies();
  const inFolder = store.add(policy);
  expect(["/code/a", "/code/a/b", "/code/ab", "/code"].map((cwd) => appliesTo(inFolder, "s", cwd))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  const { folder: _folder, ...rest } = policy;
  const inSession = store.add({ ...rest, session: "s" });
  expect([appliesTo(inSession, "s", "/x"), appliesTo(inSession, "t", "/code/a")]).toEqual([true, false]);
});
