import { expect, it } from "vitest";
import { hookReason } from "./hook-reason.ts";

it.each([
  [
    "UserPromptSubmit operation blocked by hook:\n[grep -q x && { echo 'No.' >&2; exit 2; }]: No.\n\n\nOriginal prompt: x",
    "No.",
  ],
  ["UserPromptSubmit operation blocked by hook:\nNot on a Friday.\n\nOriginal prompt: ship it", "Not on a Friday."],
  ["Not on a Friday.", "Not on a Friday."],
  [
    "UserPromptSubmit operation blocked by hook:\n[check]: \n\nOriginal prompt: x",
    "UserPromptSubmit operation blocked by hook:\n[check]: \n\nOriginal prompt: x",
  ],
])("of %j is %j", (reason, said) => expect(hookReason(reason)).toBe(said));
