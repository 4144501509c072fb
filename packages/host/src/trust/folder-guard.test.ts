import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { PermissionUpdate } from "@quarterdeck/protocol";
import { scratchFolder } from "@quarterdeck/test-kit/scratch-folder";
import { expect, onTestFinished, test, vi } from "vitest";
import { FolderGuard } from "./folder-guard.ts";
import { fileTrustStore, trust } from "./folder-trust.ts";

const guarded = async () => {
  const root = scratchFolder();
  const folder = join(root, "project");
  mkdirSync(join(folder, ".claude"), { recursive: true });
  const options = { configDir: join(root, "config") };
  const store = fileTrustStore(join(root, "trust.json"));
  const write = (allow: readonly string[]): void =>
    writeFileSync(join(folder, ".claude", "settings.local.json"), JSON.stringify({ permissions: { allow } }));
  write([]);
  await trust(folder, store, options);
  return { folder, guard: new FolderGuard(store, () => options), write };
};
const ALLOWED: PermissionUpdate = {
  type: "addRules",
  rules: [{ toolName: "Bash", ruleContent: "npm test" }],
  behavior: "allow",
  destination: "localSettings",
};

test("a rule that a person just allowed leaves the folder trusted, before its tool has ended", async () => {
  const { folder, guard, write } = await guarded();
  const written = await guard.expect(folder, [ALLOWED]);
  write(["Bash(npm test)"]);
  expect(await guard.holds(folder, "whole")).toBe(true);
  await written();
  expect(await guard.holds(folder, "whole")).toBe(true);
});

test("a rule that nobody allowed does not", async () => {
  const { folder, guard, write } = await guarded();
  await guard.expect(folder, [ALLOWED]);
  write(["Bash(npm test)", "Bash"]);
  expect(await guard.holds(folder, "whole")).toBe(false);
});

test("a look that began before a rule was removed again does not bring the rule's state back", async () => {
  const { folder, guard, write } = await guarded();
  // The next `find` waits, and with it the look that started it.
  const tools = scratchFolder();
  const [armed, waits, open] = ["armed", "waits", "open"].map((name) => join(tools, name));
  const script = `#!/bin/sh\nmv ${armed} ${waits} 2>/dev/null && until [ -e ${open} ]; do sleep 0.01; done\nPATH=\${PATH#*:} exec find "$@"\n`;
  writeFileSync(join(tools, "find"), script, { mode: 0o755 });
  vi.stubEnv("PATH", `${tools}:${process.env["PATH"]}`);
  onTestFinished(() => void vi.unstubAllEnvs());

  const added = await guard.expect(folder, [ALLOWED]);
  write(["Bash(npm test)"]);
  writeFileSync(armed!, "");
  const look = guard.holds(folder);
  await expect.poll(() => existsSync(waits!)).toBe(true);
  const changes = (async () => {
    await added();
    const removed = await guard.expect(folder, [{ ...ALLOWED, type: "removeRules" }]);
    write([]);
    await removed();
  })();
  // They may wait for the look.
  await Promise.race([changes, delay(1500)]);
  writeFileSync(open!, "");
  await Promise.all([look, changes]);
  expect(await guard.holds(folder, "whole")).toBe(true);
});

test("a rule that moves to another file leaves the folder trusted, also if somebody looks between the two writes", async () => {
  const { folder, guard, write } = await guarded();
  const added = await guard.expect(folder, [ALLOWED]);
  write(["Bash(npm test)"]);
  await added();
  const moved = await guard.expect(folder, [
    { ...ALLOWED, destination: "projectSettings" },
    { ...ALLOWED, type: "removeRules" },
  ]);
  const shared = { permissions: { allow: ["Bash(npm test)"] } };
  writeFileSync(join(folder, ".claude", "settings.json"), JSON.stringify(shared));
  expect(await guard.holds(folder)).toBe(true);
  write([]);
  await moved();
  expect(await guard.holds(folder, "whole")).toBe(true);
});
