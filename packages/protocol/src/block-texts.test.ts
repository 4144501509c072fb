import { expect, it } from "vitest";
import { blockTexts } from "./block-texts.ts";

it("finds the texts of a content in every form", () => {
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "" } };
  expect(blockTexts("one")).toEqual(["one"]);
  expect(blockTexts([{ type: "text", text: "one" }, image, "two", { type: "text", text: "three" }])).toEqual([
    "one",
    "two",
    "three",
  ]);
  for (const nothing of [undefined, null, 1, [], [image, null, [], { text: 1 }]])
    expect(blockTexts(nothing)).toEqual([]);
});
