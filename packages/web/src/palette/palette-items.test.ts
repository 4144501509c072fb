import { describe, expect, it } from "vitest";
import { fileItems, itemGroupsOf, type Item } from "./palette-items.ts";
import { fitOf } from "./rank.ts";
import { decodeRecent } from "./recent.ts";

const item = (title: string, group = "This session", about = ""): Item => ({
  id: `${group} ${title}`,
  kind: group === "Sessions" ? "sessions" : "actions",
  group,
  title,
  about,
  icon: "file",
  run: () => undefined,
});
const titles = (groups: ReturnType<typeof itemGroupsOf>) =>
  groups.map(({ name, found }) => [name, ...found.map(({ item: { title } }) => title)]);

describe("[E180] what the palette finds", () => {
  it("ranks the beginning before a word, a word before its inside, and letters in order last", () => {
    const points = (title: string) => fitOf(title, "", "re")!.points;
    expect(points("Review")).toBeGreaterThan(points("Do review"));
    expect(points("Do review")).toBeGreaterThan(points("Area"));
    expect(points("Area")).toBeGreaterThan(fitOf("Run later on", "", "rlo")!.points);
    expect(fitOf("Review changes", "", "rvc")!.marks).toEqual([
      [0, 1],
      [2, 3],
      [7, 8],
    ]);
    expect(fitOf("Review", "", "xyz")).toBeUndefined();
    expect(fitOf("Rules", "", "re")).toBeUndefined();
  });

  it("needs every word, in the title or beside it, and marks what is in the title", () => {
    expect(fitOf("Fix the tide", "harbor · 2 m", "harbor tide")!.marks).toEqual([[8, 12]]);
    expect(fitOf("Fix the tide", "harbor", "harbor wave")).toBeUndefined();
    expect(fitOf("aaaa", "", "aa a")!.marks).toEqual([[0, 2]]);
    // A letter whose small form is longer moves no marks.
    expect(fitOf("İstanbul", "", "stan")!.marks).toEqual([]);
  });

  it("puts the group with the best item first, and what was used recently before its equals", () => {
    const items = [item("Show reviews"), item("Show renames"), item("Review the harbor", "Sessions")];
    expect(titles(itemGroupsOf(items, { query: "re", kind: "all", recent: ["This session Show renames"] }))).toEqual([
      ["Sessions", "Review the harbor"],
      ["This session", "Show renames", "Show reviews"],
    ]);
    expect(titles(itemGroupsOf(items, { query: "re", kind: "sessions", recent: [] }))).toEqual([
      ["Sessions", "Review the harbor"],
    ]);
  });

  it("starts with what was used recently, once", () => {
    const items = [item("Fork"), item("Rename"), item("Home", "Quarterdeck")];
    const recent = ["gone", "Quarterdeck Home", "This session Fork"];
    expect(titles(itemGroupsOf(items, { query: "", kind: "all", recent }))).toEqual([
      ["Recent", "Home", "Fork"],
      ["This session", "Rename"],
    ]);
  });

  it("puts files last, in the server's order, so that nothing moves when they come", () => {
    const files = fileItems(
      [
        { kind: "file", value: "z/review.ts", matches: [[2, 4]] },
        { kind: "folder", value: "re", matches: [] },
        { kind: "file", value: "re.ts", matches: [[0, 2]] },
      ],
      () => undefined,
    );
    const groups = itemGroupsOf([...files, item("A lone area")], { query: "re", kind: "all", recent: [] });
    expect(titles(groups)).toEqual([
      ["This session", "A lone area"],
      ["Files", "z/review.ts", "re.ts"],
    ]);
    expect(groups[1]!.found[0]!.marks).toEqual([[2, 4]]);
  });

  it("keeps at most thirty uses, and only ids", () => {
    expect(decodeRecent(["a", 1, null, "b"])).toEqual(["a", "b"]);
    expect(decodeRecent({ 0: "a" })).toEqual([]);
    expect(decodeRecent(Array.from({ length: 99 }, (_, at) => String(at)))).toHaveLength(30);
  });
});
