import { describe, expect, it } from "vitest";
import { decodeRail, RAIL_LEAST, RAIL_MOST } from "./rail-choices.ts";

describe("choices of the rail", () => {
  it("survive what another version or a person stored", () => {
    for (const value of [undefined, null, 7, [], { pinned: 1, folded: 2, width: "3" }])
      expect(decodeRail(value)).toEqual({ pinned: [], folded: {} });
    for (const width of [RAIL_LEAST - 1, RAIL_MOST + 1, Number.NaN])
      expect(decodeRail({ width }).width).toBeUndefined();
    expect(decodeRail({ pinned: ["a", 1, "b"], folded: { "/w": true, "/x": 1 }, width: 300.4 })).toEqual({
      pinned: ["a", "b"],
      folded: { "/w": true },
      width: 300,
    });
    expect(decodeRail({ pinned: Array.from({ length: 900 }, String) }).pinned).toHaveLength(200);
  });
});
