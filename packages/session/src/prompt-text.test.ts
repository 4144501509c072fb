import { describe, expect, it } from "vitest";
import { attachedName, attachedText, promptParts, typedText, withTypedText } from "./prompt-text.ts";

const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "" } } as const;
const pdf = { type: "document", title: "tides.pdf", source: { type: "base64", data: "" } } as const;
const text = (words: string) => ({ type: "text", text: words });

describe("promptParts", () => {
  it("has the words of each block, or a label", () => {
    expect(promptParts("plain")).toEqual(["plain"]);
    expect(promptParts([text("look"), image, pdf, null, {}])).toEqual([
      "look",
      "[image]",
      "[document: tides.pdf]",
      "[?]",
      "[?]",
    ]);
  });
});

describe("typedText", () => {
  it("leaves out images and notes about attached files", () => {
    expect(typedText("plain")).toBe("plain");
    expect(typedText([image, text("look"), text(attachedText("a b.csv", "/files/a_b.csv")), text("again")])).toBe(
      "look\nagain",
    );
    expect(typedText([image])).toBe("");
  });
});

describe("withTypedText", () => {
  it("replaces the words and keeps what is attached", () => {
    const file = text(attachedText("a.csv", "/files/a.csv"));
    expect(withTypedText("plain", "new")).toBe("new");
    expect(withTypedText([text("one"), text("two")], "new")).toBe("new");
    expect(withTypedText([image, text("one"), file], "new")).toEqual([text("new"), image, file]);
  });
});

describe("attachedName", () => {
  it.each(["a.csv", 'a "quoted" name', "line\nbreak"])("reads %j back", (name) =>
    expect(attachedName(attachedText(name, "/files/x-a.csv"))).toBe(name),
  );

  it.each(["The file is attached: @/x", 'The file "a" is attached: @/x and more', 'The file "\\q" is attached: @/x'])(
    "reads %j as plain text",
    (words) => expect(attachedName(words)).toBeUndefined(),
  );
});
