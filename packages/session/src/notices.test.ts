import { expect, it } from "vitest";
import { createFold } from "./fold.ts";

it("git work of the session and its pull requests are rows in words", () => {
  const fold = createFold();
  const say = (seq: number, message: object): void =>
    fold.apply({ seq, at: seq, type: "received", message: { type: "system", ...message } });
  say(1, { subtype: "vcs_state_changed", kind: "commit", branch: "main" });
  say(2, { subtype: "vcs_state_changed", kind: "push", cwd: "/elsewhere" });
  const url = "https://example.com/ada/tide/pull/7";
  say(3, {
    subtype: "code_change_published",
    provider: "github",
    url,
    repo: "ada/tide",
    identifier: 7,
    action: "created",
  });
  expect(fold.rows.map((row) => (row.kind === "notice" ? [row.topic, row.text] : row))).toEqual([
    ["git", "Committed (branch main)"],
    ["git", "Pushed in /elsewhere"],
    ["published", `Pull request created: ada/tide #7 ${url}`],
  ]);
});
