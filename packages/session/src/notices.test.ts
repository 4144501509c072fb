import { expect, it } from "vitest";
import type { JsonObject } from "@quarterdeck/protocol";
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

it("[W5] details of a server survive the next turn, without the tools of a server that failed", () => {
  const fold = createFold();
  let seq = 0;
  const apply = (type: "sent" | "received", message: JsonObject): void => {
    seq += 1;
    fold.apply({ seq, at: seq, type, message });
  };
  const init = (status: string): void =>
    apply("received", {
      type: "system",
      subtype: "init",
      session_id: "s",
      tools: [],
      model: "m",
      mcp_servers: [{ name: "tide", status }],
    });
  init("connected");
  apply("sent", { type: "control_request", request_id: "r", request: { subtype: "mcp_status" } });
  const tide = { name: "tide", status: "connected", scope: "project", tools: [{ name: "next_tide" }] };
  apply("received", {
    type: "control_response",
    response: { subtype: "success", request_id: "r", response: { mcpServers: [tide] } },
  });
  init("connected");
  expect(fold.head.servers).toMatchObject([{ name: "tide", scope: "project", tools: [{ name: "next_tide" }] }]);
  init("failed");
  // Its tools are gone with it. Where it is configured is still true.
  expect(fold.head.servers).toEqual([{ name: "tide", status: "failed", scope: "project" }]);
});
