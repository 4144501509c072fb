import { describe, expect, it } from "vitest";
import { reportOf } from "./folder-inspection.ts";

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
