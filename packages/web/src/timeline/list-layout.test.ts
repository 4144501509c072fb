import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ListLayout } from "./list-layout.ts";

const keysOf = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `k${index + from}`);

describe("ListLayout", () => {
  it("sums what was measured and guesses the rest", () => {
    const layout = new ListLayout();
    layout.setKeys(keysOf(4));
    layout.measure("k1", 10);
    expect([0, 1, 2, 3, 4].map((index) => layout.offsetOf(index))).toEqual([0, 72, 82, 154, 226]);
    expect(layout.rangeIn(75, 160)).toEqual({ from: 1, to: 4 });
    expect(layout.rangeIn(-5, 0)).toEqual({ from: 0, to: 1 });
  });

  it("keeps heights with their keys when entries come before, between and after", () => {
    const layout = new ListLayout();
    layout.setKeys(["b", "d"]);
    layout.measure("b", 100);
    layout.measure("d", 30);
    layout.setKeys(["a", "b", "c", "d", "e"]);
    for (const [key, size] of [
      ["a", 1],
      ["c", 2],
      ["e", 3],
    ] as const)
      layout.measure(key, size);
    expect(layout.offsetOf(layout.indexOf("d"))).toBe(103);
    expect(layout.total).toBe(136);
    expect(layout.indexOf("gone")).toBe(-1);
  });

  it("finds the entry at a height as a plain search would, whatever was changed before", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ at: fc.nat({ max: 40 }), size: fc.integer({ min: 1, max: 400 }) }), { maxLength: 60 }),
        fc.integer({ min: 1, max: 40 }),
        fc.nat({ max: 9_000 }),
        (measured, count, offset) => {
          const layout = new ListLayout();
          layout.setKeys(keysOf(count));
          for (const { at, size } of measured) {
            layout.measure(`k${at}`, size);
            layout.indexAt(offset);
          }
          let sum = 0;
          let expected = count - 1;
          for (let index = 0; index < count; index++) {
            sum += layout.sizeOf(index);
            if (sum > offset) {
              expected = index;
              break;
            }
          }
          expect(layout.indexAt(offset)).toBe(expected);
        },
      ),
    );
  });
});
