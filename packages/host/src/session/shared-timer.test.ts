import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { SharedTimer } from "./shared-timer.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("runs everything that is due with one timer, each entry once", () => {
  const timer = new SharedTimer(250);
  const ran: string[] = [];
  timer.add(() => ran.push("a"), vi.fn<() => void>());
  vi.advanceTimersByTime(200);
  timer.add(() => ran.push("b"), vi.fn<() => void>());
  expect([vi.getTimerCount(), ran]).toEqual([1, []]);
  vi.advanceTimersByTime(50);
  expect([vi.getTimerCount(), ran]).toEqual([0, ["a", "b"]]);
  timer.add(() => ran.push("c"), vi.fn<() => void>());
  vi.advanceTimersByTime(250);
  expect(ran).toEqual(["a", "b", "c"]);
});

it("runs the others if one fails, and reports the failure to its owner", async () => {
  const timer = new SharedTimer(250);
  const bug = new Error("a bug");
  const others = vi.fn<() => void>();
  const onError = vi.fn<(error: unknown) => void>();
  timer.add(() => {
    throw bug;
  }, onError);
  timer.add(others, others);
  vi.advanceTimersByTime(250);
  expect(others).toHaveBeenCalledOnce();
  await vi.waitFor(() => expect(onError.mock.calls).toEqual([[bug]]));
});
