import { expect, it } from "vitest";
import { playClock } from "./play-clock.ts";

it("shortens pauses, and shows what happened at the same time one after the other", () => {
  expect(playClock([5_000, 1_000, 1_500, 90_000_000, 5_000])).toEqual({
    duration: 4_501,
    places: [2_500, 0, 500, 4_501, 2_501],
  });
  expect(playClock([])).toEqual({ duration: 0, places: [] });
  expect(playClock([NaN, 3])).toEqual({ duration: 0, places: [0, 0] });
});
