import { describe, expect, it } from "vitest";
import { windowAt } from "./use-window.ts";

describe("the window of a long list", () => {
  it("has the lines in sight and some beyond, wherever the list begins", () => {
    expect(windowAt(1000, 40, 0, 800)).toEqual({ from: 0, to: 32 });
    expect(windowAt(1000, 40, -20_000, 800)).toEqual({ from: 488, to: 532 });
    expect(windowAt(1000, 40, 600, 800)).toEqual({ from: 0, to: 17 });
    expect(windowAt(1000, 40, -39_200, 800)).toEqual({ from: 968, to: 1000 });
  });

  it("is never outside of the list", () => {
    expect(windowAt(0, 40, -500, 800)).toEqual({ from: 0, to: 0 });
    // The list became shorter while it was scrolled.
    expect(windowAt(3, 40, -20_000, 800)).toEqual({ from: 2, to: 3 });
    // It begins far below what is in sight.
    expect(windowAt(100, 40, 90_000, 800)).toEqual({ from: 0, to: 0 });
  });
});
