import { expect, it } from "vitest";
import { visible } from "./visible.ts";

it("names characters that change the direction or are invisible, and keeps the rest", () => {
  expect(visible("touch hid\u200Bden.txt \u202Egpj.exe")).toBe("touch hid‹U+200B›den.txt ‹U+202E›gpj.exe");
  expect(visible("rm\u2800-rf\u{e0041}")).toBe("rm‹U+2800›-rf‹U+E0041›");
  expect(visible("echo 'ü ع 你好 \u{1F6A2}'\n\tls")).toBe("echo 'ü ع 你好 \u{1F6A2}'\n\tls");
});
