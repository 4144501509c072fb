import type { ServerInfo } from "@quarterdeck/client";
import { describe, expect, it } from "vitest";
import { agentNote } from "./agent-words.ts";

const note = (agent: Partial<ServerInfo["agent"]>) =>
  agentNote({ agent: { kind: "claude", ...agent }, machine: { hostname: "lighthouse" } } as ServerInfo);

describe("the agent", () => {
  it("is no news where it runs, or where the demo was asked for", () => {
    expect(note({ loggedIn: true })).toBeUndefined();
    expect(note({})).toBeUndefined();
    expect(note({ kind: "demo" })).toMatchObject({ tone: "plain", title: "The demo agent answers" });
  });

  it("that is missing, cannot run or has no login is told of with what to do", () => {
    expect(note({ kind: "demo", problem: "Install Claude Code." })).toMatchObject({
      tone: "bad",
      detail: "Install Claude Code. Then start the server on lighthouse again.",
    });
    expect(note({ problem: "It is too old." })).toMatchObject({ tone: "bad", detail: "It is too old." });
    expect(note({ loggedIn: false })).toMatchObject({
      tone: "bad",
      title: "Claude Code is not logged in",
      detail: expect.stringContaining("/login") as unknown,
    });
  });
});
