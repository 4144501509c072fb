import type { SessionSummary } from "@quarterdeck/client";
import { describe, expect, it } from "vitest";
import { titleWith } from "./attention.ts";
import { callsBetween } from "./calls.ts";

const summary = (id: string, fields: Partial<SessionSummary> = {}): SessionSummary => ({
  id,
  title: id,
  cwd: "/code/api",
  project: "/code/api",
  createdAt: 0,
  updatedAt: 0,
  archived: false,
  live: true,
  phase: "idle",
  since: 0,
  lastEventAt: 0,
  costUsd: 0,
  waiting: [],
  queued: 0,
  tasks: 0,
  lastOrder: 1,
  watching: 0,
  origin: "quarterdeck",
  held: false,
  ...fields,
});
const asks = (id: string, at = 0) => ({ id, kind: "permission" as const, at, about: "Bash: rm -rf x", tool: "Bash" });

describe("notifications", () => {
  it("announce new requests only", () => {
    const before = [summary("a", { waiting: [asks("r1")] })];
    const after = [summary("a", { waiting: [asks("r1"), asks("r2")] })];
    expect(callsBetween(before, before, "all")).toEqual([]);
    expect(callsBetween(before, after, "waiting")).toMatchObject([
      { tag: "r2", body: "wants to run a command: rm -rf x" },
    ]);
  });
  it("name the tool once, in words", () => {
    const tool = "mcp__github__search_repositories";
    const waiting = [{ ...asks("r1"), tool, about: "GitHub › Search Repositories: tides" }];
    expect(callsBetween([], [summary("a", { waiting })], "waiting")).toMatchObject([
      { body: "wants to use GitHub › Search Repositories: tides" },
    ]);
  });
  it("announce the end of a turn only when the setting asks for it", () => {
    const before = [summary("a", { phase: "streaming" })];
    const after = [summary("a", { phase: "idle", lastText: "All done." })];
    expect(callsBetween(before, after, "waiting")).toEqual([]);
    expect(callsBetween(before, after, "all")).toMatchObject([{ session: "a", body: "All done." }]);
  });
  it("say that a turn failed only when it did, not when a person closed its session", () => {
    const before = [summary("a", { phase: "tool" })];
    const bodyAt = (phase: SessionSummary["phase"]) => callsBetween(before, [summary("a", { phase })], "all")[0]!.body;
    expect(bodyAt("ended")).toBe(bodyAt("idle"));
    expect(bodyAt("error")).not.toBe(bodyAt("idle"));
  });
  it("show the number of requests in the title", () => {
    expect(titleWith(2, "Fix it")).toBe("(2) Fix it · Quarterdeck");
    expect(titleWith(0, undefined)).toBe("Quarterdeck");
  });
});
