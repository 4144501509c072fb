import fc from "fast-check";
import { expect, it } from "vitest";
import { cellChanges, cellsOf, type CellText } from "./cells.ts";

const cell = (source: string, id?: string, type = "code"): CellText => ({ id, type, source });

it("reads the cells of a notebook, and nothing of other files", () => {
  const text = JSON.stringify({
    cells: [{ cell_type: "markdown", source: ["# A\n", "b"], id: "x" }, { source: "1" }, 3],
  });
  expect(cellsOf(text)).toEqual([cell("# A\nb", "x", "markdown"), cell("1")]);
  expect(cellsOf("{}")).toBeUndefined();
  expect(cellsOf("[")).toBeUndefined();
});

it("finds cells again by id, source and place", () => {
  const before = [cell("a", "1"), cell("b", "2"), cell("c", "3"), cell("d", "4")];
  const after = [cell("a", "1"), cell("new", "9"), cell("B", "2"), cell("d", "4")];
  expect(cellChanges(before, after)).toEqual([
    { kind: "same", count: 1 },
    { kind: "added", type: "code", number: 2, old: "", new: "new" },
    { kind: "changed", type: "code", number: 3, old: "b", new: "B" },
    { kind: "removed", type: "code", number: 3, old: "c", new: "" },
    { kind: "same", count: 1 },
  ]);
  expect(cellChanges([cell("a"), cell("b")], [cell("a"), cell("b2")])).toEqual([
    { kind: "same", count: 1 },
    { kind: "changed", type: "code", number: 2, old: "b", new: "b2" },
  ]);
});

it("tells every cell of both notebooks once", () => {
  const cells = fc.array(
    fc.record({ id: fc.constantFrom(undefined, "1", "2", "3"), source: fc.constantFrom("a", "b", "c") }),
  );
  fc.assert(
    fc.property(cells, cells, (old, now) => {
      const [before, after] = [old, now].map((all) => all.map(({ id, source }) => cell(source, id)));
      const changes = cellChanges(before!, after!);
      const count = (kinds: readonly string[]): number =>
        changes.reduce(
          (sum, change) => sum + (kinds.includes(change.kind) ? (change.kind === "same" ? change.count : 1) : 0),
          0,
        );
      expect(count(["same", "changed", "removed"])).toBe(before!.length);
      expect(count(["same", "changed", "added"])).toBe(after!.length);
    }),
  );
});
