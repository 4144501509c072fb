import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileTrustStore, trust } from "@quarterdeck/host";
import { scratchFolder } from "@quarterdeck/test-kit/scratch-folder";
import { describe, expect, it } from "vitest";
import { containedPaths } from "./contained-path.ts";
import { inspectFolder, reportOf } from "./folder-inspection.ts";

const runsOf = (settings: object): readonly string[] =>
  reportOf({ path: "/project/.claude/settings.json", kind: "file", text: JSON.stringify(settings), hash: "" }).runs;

describe("what a folder's settings would do", () => {
  it("[S34] lists rules, modes and folders with which the CLI asks less", () => {
    const permissions = { defaultMode: "bypassPermissions", allow: ["Bash(*)", "WebFetch"], deny: ["Read"] };
    expect(runsOf({ permissions: { ...permissions, additionalDirectories: ["/etc"] } })).toEqual([
      "permission mode: bypassPermissions",
      "allows without asking: Bash(*)",
      "allows without asking: WebFetch",
      "additional folder: /etc",
    ]);
  });

  it("[S34] lists nothing for settings that only make the CLI ask more", () => {
    expect(runsOf({ permissions: { defaultMode: "plan", ask: ["Bash"], deny: ["Read"] }, model: "opus" })).toEqual([]);
  });
});

describe("a folder that changed after it was trusted", () => {
  const inspectedAfterAChange = async (isAllowed: boolean): Promise<string> => {
    const root = scratchFolder();
    const [folder, dataDir] = [join(root, "project"), join(root, "data")];
    for (const each of [folder, join(folder, ".claude"), dataDir]) mkdirSync(each);
    const store = fileTrustStore(join(dataDir, "trust.json"));
    await trust(folder, store, { configDir: join(root, "config") });
    writeFileSync(join(folder, ".claude", "settings.local.json"), '{"permissions":{"allow":["Bash(npm test)"]}}');
    const { whole } = await inspectFolder(folder, {
      trust: store,
      host: { keepsTrust: async () => isAllowed },
      configFolder: join(root, "config"),
      dataDir,
      paths: containedPaths({ roots: [root], isHidden: () => false }),
    });
    return whole.trust;
  };

  it("[S34] stays trusted if the host knows that a person allowed the change", async () => {
    expect(await inspectedAfterAChange(true)).toBe("trusted");
  });

  it("[S34] counts as changed otherwise", async () => {
    expect(await inspectedAfterAChange(false)).toBe("changed");
  });
});
