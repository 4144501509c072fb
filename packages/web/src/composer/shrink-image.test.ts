import { describe, expect, it } from "vitest";
import { isLongPaste, attachmentRefusal } from "./attachments.ts";
import { isPicture } from "./attachments.ts";
import { shrinkTo } from "./shrink-image.ts";

const picture = { mediaType: "image/png", bytes: 100_000, width: 1200, height: 800 };

describe("pictures for the API", () => {
  it("stay as they are if they fit", () => expect(shrinkTo(picture)).toBeUndefined());
  it("are redrawn when the API does not accept their type", () =>
    expect(shrinkTo({ ...picture, mediaType: "image/bmp" })).toEqual({ width: 1200, height: 800 }));
  it("lose pixels above the longest side", () =>
    expect(shrinkTo({ ...picture, width: 16_000, height: 4000 })).toEqual({ width: 8000, height: 2000 }));
  it("lose more if there are too many bytes", () =>
    expect(shrinkTo({ ...picture, bytes: 9_000_000, width: 6000, height: 3000 })).toEqual({
      width: 2000,
      height: 1000,
    }));
  it("never become empty", () =>
    expect(shrinkTo({ ...picture, width: 20_000, height: 1 })).toEqual({ width: 8000, height: 1 }));
  it("exclude SVG", () => {
    expect(isPicture("image/webp")).toBe(true);
    expect(isPicture("image/svg+xml")).toBe(false);
    expect(isPicture("text/plain")).toBe(false);
  });
});

describe("files that go with a prompt", () => {
  it("are refused with the reason", () => {
    expect(attachmentRefusal({ name: "a", size: 10 }, 0, 100)).toBeUndefined();
    expect(attachmentRefusal({ name: "a", size: 0 }, 0, 100)).toContain("empty");
    expect(attachmentRefusal({ name: "a", size: 2_000_000 }, 0, 1_000_000)).toContain("2.0 MB");
    expect(attachmentRefusal({ name: "a", size: 10 }, 20, 100)).toContain("20");
  });
  it("are made from long pastes", () => {
    expect(isLongPaste("x".repeat(8000))).toBe(false);
    expect(isLongPaste("x".repeat(8001))).toBe(true);
    expect(isLongPaste("\n".repeat(149))).toBe(false);
    expect(isLongPaste("\n".repeat(150))).toBe(true);
  });
});
