import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PermissionUpdate } from "@quarterdeck/protocol";
import { scratchFolder } from "@quarterdeck/test-kit/scratch-folder";
import { expect, test } from "vitest";
import { FolderGuard } from "./folder-guard.ts";
import { fileTrustStore, trust } from "./folder-trust.ts";

const guarded = async () => {
  const root = scratchFolder();
  const folder = join(root, "project");
  mkdirSync(join(folder, ".claude"), { recursive: true });
  const options = { configDir: join(root, "config") };
  const store = fileTrustStore(join(root, "trust.json"));
  await trust(folder, store, options);
  const write = (allow: readonly string[]): void =>
    writeFileSync(join(folder, ".claude", "settings.local.json"), JSON.stringify({ permissions: { allow } }));
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
