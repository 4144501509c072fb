import type { Event } from "@quarterdeck/client";
import { expect, it } from "vitest";
import { countsOf, fits, fixtureOf, wireLineOf } from "./wire-model.ts";

const EVENTS = [
  { seq: 1, at: 100, type: "process-started", pid: 7 },
  { seq: 2, at: 110, type: "sent", message: { type: "control_request", request: { subtype: "initialize" } } },
  { seq: 3, at: 120, type: "received", message: { type: "system", subtype: "init" } },
  { seq: 4, at: 130, type: "received", message: { type: "assistant", message: { content: "Tide" } } },
  { seq: 5, at: 140, type: "received", message: { type: "assistant", message: { content: "Moon" } } },
] as unknown as readonly Event[];
const LINES = EVENTS.map(wireLineOf);
const ALL = { dir: "all", type: "", text: "" } as const;

it("names lines by their type and subtype, and tells directions apart", () => {
  expect(LINES.map(({ dir, type }) => [dir, type])).toEqual([
    ["host", "process-started"],
    ["in", "control_request/initialize"],
    ["out", "system/init"],
    ["out", "assistant"],
    ["out", "assistant"],
  ]);
  expect(countsOf(LINES)[0]).toEqual(["assistant", 2]);
});

it("filters by direction, type and text", () => {
  const seqs = (filter: object): number[] =>
    LINES.filter((line) => fits(line, { ...ALL, ...filter })).map(({ seq }) => seq);
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
