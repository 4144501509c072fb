import type { SessionSummary } from "@quarterdeck/client";
import { describe, expect, it } from "vitest";
import { isUnread, withSeen } from "../store/seen.ts";
import { groupSessions, neighbour, shownGroups } from "./group-sessions.ts";
import { sessionTitleOf, sessionWords } from "../words/session-words.ts";

const HOUR = 3_600_000;
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
const asks = (id: string, at = 0) => ({ id, kind: "permission" as const, at, about: "rm -rf x", tool: "Bash" });

describe("the rail", () => {
  it("has what waits first, longest first, and then projects by their newest", () => {
    const groups = groupSessions([
      summary("old", { updatedAt: HOUR }),
      summary("docs", { project: "/code/docs", updatedAt: 5 * HOUR }),
      summary("new", { updatedAt: 3 * HOUR }),
      summary("late", { waiting: [asks("r2", 20)] }),
      summary("early", { waiting: [asks("r1", 10)], project: "/code/docs" }),
    ]);
    expect(groups.map(({ name, sessions }) => [name, ...sessions.map(({ id }) => id)])).toEqual([
      ["Needs you", "early", "late"],
      ["docs", "docs"],
      ["api", "new", "old"],
    ]);
  });

  it("has what is pinned before the projects, in the order of the pins, unless it waits", () => {
    const all = [
      summary("a"),
      summary("b", { updatedAt: HOUR }),
      summary("c", { waiting: [asks("r")] }),
      summary("d", { archived: true }),
    ];
    const groups = groupSessions(all, { pinned: ["c", "b", "d", "gone", "a"] });
    expect(groups.map(({ name, sessions }) => [name, ...sessions.map(({ id }) => id)])).toEqual([
      ["Needs you", "c"],
      ["Pinned", "b", "a"],
    ]);
  });

  it("draws a part of a thousand sessions: folded projects, the first of each, and the open one", () => {
    const many = Array.from({ length: 1000 }, (_, at) =>
      summary(`s${at}`, { project: `/code/p${at % 20}`, updatedAt: (2000 - at) * HOUR }),
    );
    const options = { folded: {}, older: {}, openId: "s980", searching: false };
    const shown = shownGroups(groupSessions(many), options);
    expect(shown.filter(({ folded }) => folded)).toHaveLength(7);
    expect(shown.reduce((sum, group) => sum + group.shown.length, 0)).toBe(13 * 6 + 1);
    expect(shown[0]!.shown.at(-1)!.id).toBe("s980");
    const chosen = shownGroups(groupSessions(many), {
      ...options,
      folded: { "/code/p0": true, "/code/p19": false },
      older: { "/code/p1": 50 },
    });
    expect(chosen.map((group) => group.shown.length).slice(0, 3)).toEqual([0, 50, 6]);
    expect(chosen.at(-1)!.folded).toBe(false);
    expect(shownGroups(groupSessions(many), { ...options, searching: true }).some(({ folded }) => folded)).toBe(false);
  });

  it("does not let two that work now change places", () => {
    const a = summary("a", { createdAt: 1, updatedAt: HOUR + 1000 });
    const b = summary("b", { createdAt: 2, updatedAt: HOUR + 2000 });
    const order = (sessions: readonly SessionSummary[]) => groupSessions(sessions)[0]!.sessions.map(({ id }) => id);
    expect(order([a, b])).toEqual(order([{ ...a, updatedAt: HOUR + 3000 }, b]));
  });

  it("finds by every word of the query, and shows the archive apart", () => {
    const all = [summary("Retry logic"), summary("Other", { archived: true })];
    expect(groupSessions(all, { query: "LOGIC api" })[0]!.sessions).toHaveLength(1);
    expect(groupSessions(all, { query: "logic docs" })).toEqual([]);
    expect(groupSessions(all, { archived: true })[0]!.sessions[0]!.id).toBe("Other");
  });

  it("steps through as it is shown, and round the ends", () => {
    const groups = groupSessions([summary("a", { updatedAt: 2 * HOUR }), summary("b", { updatedAt: HOUR })]);
    expect(neighbour(groups, "a", 1)).toBe("b");
    expect(neighbour(groups, "b", 1)).toBe("a");
    expect(neighbour(groups, undefined, -1)).toBe("b");
    expect(neighbour([], "a", 1)).toBeUndefined();
  });
});

describe("a session in one line", () => {
  it.each([
    [{ waiting: [asks("r")] }, "brass", "wants to run a command"],
    [{ waiting: [asks("r"), asks("q")] }, "brass", "wants to run a command and 1 more"],
    [{ phase: "tool", queued: 2, tasks: 1 }, "sea", "running a tool · 2 queued · 1 task"],
    [{ phase: "thinking" }, "think", "thinking"],
    [{ phase: "died", live: false }, "stop", "stopped unexpectedly"],
    [{ phase: "ended", live: false, lastText: "Done." }, "plain", "Done."],
    [{ phase: "ended", live: false, origin: "terminal" }, "plain", "from the terminal · not running"],
    [{ phase: "idle", held: true }, "sea", "open in a terminal"],
  ] as const)("%j", (fields, tone, line) =>
    expect(sessionWords(summary("s", fields as Partial<SessionSummary>))).toEqual({ tone, line }),
  );
  it("has a name even without one", () => expect(sessionTitleOf({ cwd: "/code/api/" })).toBe("Session in api"));
});

describe("what is unread", () => {
  it("is what came after the last look, of sessions that were looked at here", () => {
    const seen = withSeen({}, "a", 5);
    expect(isUnread(summary("a", { lastOrder: 6 }), seen)).toBe(true);
    expect(isUnread(summary("a", { lastOrder: 5 }), seen)).toBe(false);
    expect(isUnread(summary("b", { lastOrder: 9 }), seen)).toBe(false);
  });
  it("never goes back", () => {
    const seen = withSeen({}, "a", 5);
    expect(withSeen(seen, "a", 4)).toBe(seen);
  });
});
