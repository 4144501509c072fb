import type { SessionSummary } from "@quarterdeck/client";
import { describe, expect, it } from "vitest";
import {
  decodeBoard,
  DEFAULT_CHOICE,
  boardEntries,
  boardLanes,
  sameChoice,
  boardStateOf,
  withView,
  type BoardChoice,
} from "./board-model.ts";

const NOW = Date.UTC(2026, 10, 18);
const HOUR = 3_600_000;
const session = (id: string, more: Partial<SessionSummary> = {}): SessionSummary =>
  ({
    ...{ id, title: `Title of ${id}`, cwd: "/w/harbor", project: "/w/harbor", archived: false, live: true },
    ...{ phase: "idle", waiting: [], tasks: 0, costUsd: 0, updatedAt: NOW - HOUR, createdAt: 0, lastOrder: 1 },
    ...more,
  }) as SessionSummary;
const waiting = (at: number): SessionSummary["waiting"] => [
  { id: `r${at}`, kind: "permission", at, about: "Bash: ls" },
];
const ids = (sessions: readonly SessionSummary[], choice: Partial<BoardChoice> = {}, unread: readonly string[] = []) =>
  boardEntries(sessions, { ...DEFAULT_CHOICE, ...choice }, { now: NOW, isUnread: ({ id }) => unread.includes(id) }).map(
    ({ summary }) => summary.id,
  );

describe("the state of a session", () => {
  it("is what a person should do about it", () => {
    expect(boardStateOf(session("a", { waiting: waiting(1), phase: "awaiting" }), true)).toBe("needs");
    for (const phase of ["thinking", "tool", "starting"] as const)
      expect(boardStateOf(session("a", { phase }), true)).toBe("working");
    expect(boardStateOf(session("a", { tasks: 1 }), true)).toBe("working");
    expect(boardStateOf(session("a", { phase: "died", live: false }), true)).toBe("failed");
    expect(boardStateOf(session("a", { phase: "error" }), false)).toBe("failed");
    expect(boardStateOf(session("a"), true)).toBe("done");
    expect(boardStateOf(session("a", { phase: "ended", live: false }), false)).toBe("idle");
    // A session without a process that was never started is not at work.
    expect(boardStateOf(session("a", { phase: "starting", live: false }), false)).toBe("idle");
  });
});

describe("the board", () => {
  const all = [
    session("old", { updatedAt: NOW - 40 * 24 * HOUR, costUsd: 3 }),
    session("asks", { updatedAt: NOW - 90 * 24 * HOUR, waiting: waiting(5) }),
    session("other", { project: "/w/atlas", changes: { files: 1, added: 2, removed: 1 } }),
    session("gone", { archived: true }),
    session("new", { updatedAt: NOW, lastText: "All 212 tests pass" }),
  ];

  it("filters by project, age, state and words, and always shows what needs a person", () => {
    expect(ids(all)).toEqual(["new", "other", "old", "asks"]);
    expect(ids(all, { days: 30 })).toEqual(["new", "other", "asks"]);
    expect(ids(all, { project: "/w/atlas" })).toEqual(["other"]);
    expect(ids(all, { state: "done" }, ["new"])).toEqual(["new"]);
    expect(ids(all, { query: "TESTS  pass" })).toEqual(["new"]);
    expect(ids(all, { archived: true })).toEqual(["gone"]);
  });

  it("sorts by each column, both ways", () => {
    expect(ids(all, { sort: "cost" })[0]).toBe("old");
    expect(ids(all, { sort: "changes" })[0]).toBe("other");
    expect(ids(all, { sort: "title", down: false })).toEqual(["asks", "new", "old", "other"]);
    expect(ids(all, { sort: "state", down: false })[0]).toBe("asks");
    expect(ids(all, { sort: "age", down: false })[0]).toBe("asks");
  });

  it("draws few cards of many sessions, the rest as lines, and the longest wait first", () => {
    const many = Array.from({ length: 1000 }, (_, at) => session(`s${at}`, { updatedAt: NOW - at * HOUR }));
    const late = [session("second", { waiting: waiting(9) }), session("first", { waiting: waiting(3) })];
    const entries = boardEntries([...many, ...late], DEFAULT_CHOICE, { now: NOW, isUnread: () => false });
    const lanes = boardLanes(entries, NOW);
    const of = (state: string) => lanes.find((lane) => lane.state === state)!;
    expect(of("needs").cards.map(({ summary }) => summary.id)).toEqual(["first", "second"]);
    expect([of("idle").cards.length, of("idle").lines.length]).toEqual([4, 996]);
    const unseen = boardLanes(boardEntries(many, DEFAULT_CHOICE, { now: NOW, isUnread: () => true }), NOW);
    expect(unseen[2]!.cards.length).toBe(20);
    expect(unseen.flatMap(({ cards, lines }) => [...cards, ...lines])).toHaveLength(1000);
  });
});

describe("saved views", () => {
  it("keep layout, filters and order, and a name replaces its view", () => {
    const choice: BoardChoice = { ...DEFAULT_CHOICE, layout: "table", project: "/w/atlas", sort: "cost" };
    const once = withView({ choice, views: [] }, " Dear ");
    expect(once.views).toEqual([{ name: "Dear", choice }]);
    const twice = withView({ ...once, choice: DEFAULT_CHOICE }, "Dear");
    expect(twice.views).toHaveLength(1);
    expect(sameChoice(twice.views[0]!.choice, DEFAULT_CHOICE)).toBe(true);
    expect(decodeBoard(JSON.parse(JSON.stringify(twice)))).toEqual(twice);
  });

  it("survive what another version or a person stored", () => {
    for (const value of [
      undefined,
      null,
      7,
      "x",
      [],
      { choice: 1, views: 2 },
      { views: [1, { name: 3 }, { name: " " }] },
    ])
      expect(decodeBoard(value)).toEqual({ choice: DEFAULT_CHOICE, views: [] });
    expect(
      decodeBoard({ choice: { state: "constructor", days: -1, sort: "__proto__", query: "q".repeat(999) } }),
    ).toEqual({
      choice: { ...DEFAULT_CHOICE, query: "q".repeat(200) },
      views: [],
    });
    const views = Array.from({ length: 100 }, (_, at) => ({ name: `v${at}`, choice: {} }));
    expect(decodeBoard({ views }).views).toHaveLength(30);
  });
});
