import { expect, it } from "vitest";
import { playClock } from "./play-clock.ts";

it("shortens pauses, keeps the order, and counts equal times once", () => {
  const clock = playClock([5_000, 1_000, 1_500, 90_000_000, 5_000]);
  expect([1_000, 1_500, 5_000, 90_000_000].map((at) => clock.placeOf(at))).toEqual([0, 500, 2_500, 4_500]);
  expect(clock.duration).toBe(4_500);
  // Times outside the clock are at its ends.
  expect([clock.placeOf(0), clock.placeOf(90_000_001)]).toEqual([0, 4_500]);
  expect(clock.placeOf(4_000)).toBe(2_500);
  expect([playClock([]).duration, playClock([]).placeOf(7), playClock([NaN, 3]).duration]).toEqual([0, 0, 0]);
});
