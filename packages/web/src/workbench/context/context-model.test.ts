import type { Row } from "@quarterdeck/client";
import { describe, expect, it } from "vitest";
import { growthOf, outlookOf, contextPartsOf, turnBars } from "./context-model.ts";

const REPORT = {
  at: 0,
  used: 100,
  window: 1000,
  categories: [
    { name: "System prompt", tokens: 30, kind: "used" },
    { name: "Messages", tokens: 70, kind: "used" },
    { name: "MCP tools (deferred)", tokens: 500, kind: "deferred" },
    { name: "Autocompact buffer", tokens: 200, kind: "buffer" },
    { name: "Free space", tokens: 700, kind: "free" },
  ],
  compactsAt: 800,
  memoryFiles: [],
  mcpTools: [],
  systemTools: [],
  skills: [],
  agents: [],
  messages: [],
};
const turn = (id: string, context?: number): Row =>
  ({ kind: "turn", id, ...(context !== undefined && { context }) }) as unknown as Row;
const compaction = { kind: "compaction", id: "c" } as unknown as Row;

describe("the parts of the context", () => {
  it("sum to the window, and deferred tools are not among them", () => {
    const { used, since, free, buffer, deferred } = contextPartsOf(REPORT);
    const sum = used.reduce((total, { tokens }) => total + tokens, 0) + since + free + buffer;
    expect(sum).toBe(REPORT.window);
    expect(deferred).toHaveLength(1);
    expect(used.map(({ name }) => name)).toEqual(["Messages", "System prompt"]);
  });

  it("sum to the window after the conversation continued, up to a full window", () => {
    for (const now of [100, 300, 950, 1000]) {
      const { since, free, buffer } = contextPartsOf(REPORT, now);
      expect(100 + since + free + buffer).toBe(1000);
    }
  });

  it("are told apart by their names where an older CLI reports no kind", () => {
    const categories = REPORT.categories.map(({ name, tokens }) => ({ name, tokens }));
    expect(contextPartsOf({ ...REPORT, categories })).toEqual({
      ...contextPartsOf(REPORT),
      used: contextPartsOf(REPORT).used.map(({ name, tokens }) => ({ name, tokens })),
      deferred: [{ name: "MCP tools (deferred)", tokens: 500 }],
    });
  });
});

describe("the context by turn", () => {
  it("marks the first turn after a compaction, and leaves out turns that reported nothing", () => {
    const bars = turnBars([turn("a", 10), turn("x"), compaction, turn("b", 4), turn("c", 6)]);
    expect(bars.map(({ rowId, compacted }) => [rowId, compacted])).toEqual([
      ["a", false],
      ["b", true],
      ["c", false],
    ]);
  });

  it("predicts from turns that grew it, never from the step over a compaction", () => {
    expect(growthOf(turnBars([turn("a", 100)]))).toBeUndefined();
    expect(growthOf(turnBars([turn("a", 100), turn("b", 150), compaction, turn("c", 20), turn("d", 50)]))).toBe(40);
  });

  it("says how far it is to the next compaction, and warns above 80 percent of the window", () => {
    expect(outlookOf(100, REPORT, 200)).toEqual({ left: 700, turns: 3, warns: false });
    expect(outlookOf(820, REPORT, undefined)).toEqual({ left: 0, warns: true });
    expect(outlookOf(100, { window: 1000 }, 300)).toMatchObject({ left: 900, turns: 3 });
  });
});
