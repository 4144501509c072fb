import type { Event } from "@quarterdeck/client";
import { expect, it } from "vitest";
import { typeCounts, passesFilter, fixtureOf, knownAmong, UNKNOWN, wireLineOf } from "./wire-model.ts";

const EVENTS = [
  { seq: 1, at: 100, type: "process-started", pid: 7 },
  {
    seq: 2,
    at: 110,
    type: "sent",
    message: { type: "control_request", request_id: "r", request: { subtype: "initialize" } },
  },
  {
    seq: 3,
    at: 120,
    type: "received",
    message: { type: "system", subtype: "init", session_id: "s", tools: [], model: "m" },
  },
  {
    seq: 4,
    at: 130,
    type: "received",
    message: { type: "assistant", message: { role: "assistant", content: "Tide" } },
  },
  {
    seq: 5,
    at: 140,
    type: "received",
    message: { type: "assistant", message: { role: "assistant", content: "Moon" } },
  },
] as unknown as readonly Event[];
const LINES = EVENTS.map((event) => wireLineOf(event));
const ALL = { dir: "all", type: "", text: "" } as const;

it("names lines by their type and subtype, and tells directions apart", () => {
  expect(LINES.map(({ dir, type }) => [dir, type])).toEqual([
    ["host", "process-started"],
    ["in", "control_request/initialize"],
    ["out", "system/init"],
    ["out", "assistant"],
    ["out", "assistant"],
  ]);
  expect(typeCounts(LINES)[0]).toEqual({ type: "assistant", in: 0, out: 2, host: 0, unknown: 0 });
});

it("marks what the protocol does not know, and counts it against what it knows", () => {
  const strange = [
    { seq: 6, at: 150, type: "received", message: { type: "beam_up" } },
    { seq: 7, at: 160, type: "received", message: { type: "system", subtype: "init" } },
  ] as unknown as readonly Event[];
  const lines = [...LINES, wireLineOf(strange[0]!, "beam_up is not known"), wireLineOf(strange[1]!, "no session_id")];
  expect(lines.filter((line) => passesFilter(line, { ...ALL, type: UNKNOWN })).map(({ seq }) => seq)).toEqual([6, 7]);
  const counts = typeCounts(lines);
  expect(counts.find(({ type }) => type === "system/init")).toMatchObject({ out: 2, unknown: 1 });
  expect(knownAmong(counts)).toBe(2);
});

it("filters by direction, type and text", () => {
  const seqs = (filter: object): number[] =>
    LINES.filter((line) => passesFilter(line, { ...ALL, ...filter })).map(({ seq }) => seq);
  expect(seqs({ dir: "in" })).toEqual([2]);
  expect(seqs({ type: "assistant", text: "moon" })).toEqual([5]);
  expect(seqs({})).toHaveLength(5);
});

it("copies lines in the format of recordings, without the host's own facts", () => {
  const lines = fixtureOf(LINES).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { t: 10, dir: "in" },
    { t: 20, dir: "out", msg: { type: "system" } },
    { t: 30, dir: "out" },
    { t: 40, dir: "out" },
  ]);
});
