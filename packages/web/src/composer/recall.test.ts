import { describe, expect, it } from "vitest";
import { historyOf, recall, type Recalled } from "./recall.ts";

const history = historyOf(["first", "second", "second", "  ", "third"]);

describe("recalling sent messages", () => {
  it("has the newest first, without repeats and empty ones", () =>
    expect(history).toEqual(["third", "second", "first"]));

  it("goes back with Up and forward with Down, and ends where it started", () => {
    let at: Recalled | undefined;
    let value = "";
    const press = (step: 1 | -1): string | undefined => {
      const next = recall(history, at, value, step);
      if (next === undefined) return undefined;
      at = next.index < 0 ? undefined : next;
      value = next.text;
      return value;
    };
    expect([press(1), press(1), press(1), press(1)]).toEqual(["third", "second", "first", undefined]);
    expect([press(-1), press(-1), press(-1), press(-1)]).toEqual(["second", "third", "", undefined]);
  });

  it("never replaces text that the user typed", () => {
    expect(recall(history, undefined, "mine", 1)).toBeUndefined();
    expect(recall(history, { index: 0, text: "third" }, "third, changed", 1)).toBeUndefined();
  });
});
