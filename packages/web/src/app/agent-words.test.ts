import type { ServerInfo } from "@quarterdeck/client";
import { describe, expect, it } from "vitest";
import { agentNote } from "./agent-words.ts";

const note = (agent: Partial<ServerInfo["agent"]>) =>
  agentNote({ agent: { kind: "claude", ...agent }, machine: { hostname: "lighthouse" } } as ServerInfo);

describe("the note about the agent", () => {
  it("is absent while Claude Code works, and plain for a requested demo", () => {
    expect(note({ loggedIn: true })).toBeUndefined();
    expect(note({})).toBeUndefined();
    expect(note({ kind: "demo" })).toMatchObject({ tone: "plain", title: "Demo mode" });
  });

  it("says what to do when Claude Code is missing, broken or logged out", () => {
    expect(note({ kind: "demo", problem: "Install Claude Code." })).toMatchObject({
      tone: "bad",
      title: "Demo mode: Claude Code was not found",
      detail: "Install Claude Code. Then restart the server on lighthouse.",
    });
    expect(note({ problem: "It is too old." })).toMatchObject({ tone: "bad", detail: "It is too old." });
    expect(note({ loggedIn: false })).toMatchObject({
      tone: "bad",
      title: "Claude Code is not logged in",
      detail: expect.stringContaining("/login") as unknown,
    });
  });
});
