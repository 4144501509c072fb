import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { roundsOf } from "@quarterdeck/test-kit/how-much";
import { parsePartialJson } from "./partial-json.ts";

fc.configureGlobal({ seed: 20_261_115 });

/** Whether `part` is a beginning of `whole`: strings are prefixes, lists and objects have nothing more. */
const isPartOf = (part: unknown, whole: unknown): boolean => {
  if (typeof part === "string" && typeof whole === "string")
    return whole.startsWith(part) || part.length <= whole.length + 1;
  if (Array.isArray(part)) return Array.isArray(whole) && part.every((entry, at) => isPartOf(entry, whole[at]));
  if (typeof part === "object" && part !== null) {
    return (
      typeof whole === "object" &&
      whole !== null &&
      Object.entries(part).every(([key, value]) => isPartOf(value, (whole as Record<string, unknown>)[key]))
    );
  }
  return typeof part === typeof whole || whole === undefined;
};

describe("parsePartialJson", () => {
  it("gives the value for the whole text, and a part of it for any prefix", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (value, cut) => {
        const text = JSON.stringify(value);
        expect(parsePartialJson(text)).toEqual(JSON.parse(text));
        const prefix = text.slice(0, 1 + (cut % text.length));
        const part = parsePartialJson(prefix);
        expect(part).toBeTypeOf("object");
        expect(isPartOf(part, JSON.parse(text))).toBe(true);
      }),
      { numRuns: roundsOf(3000) },
    );
  });

  it.each([
    ["", undefined],
    ["{", {}],
    ['{"comm', {}],
    ['{"command"', {}],
    ['{"command":', {}],
    ['{"command":"ls -', { command: "ls -" }],
    ['{"command":"a\\', { command: "a" }],
    ['{"command":"a\\u00', { command: "a" }],
    ['{"command":"a\\\\', { command: "a\\" }],
    ['{"timeout":12', { timeout: 12 }],
    ['{"timeout":12.', {}],
    ['{"background":tr', {}],
    ['{"todos":[{"content":"x","status":"pen', { todos: [{ content: "x", status: "pen" }] }],
    ["not json", undefined],
  ])("%s", (text, value) => {
    expect(parsePartialJson(text)).toEqual(value);
  });

  it("[S63] gives up at once on endless brackets", () => {
    expect(parsePartialJson("[".repeat(400))).toBeDefined();
    expect(parsePartialJson("[".repeat(1_000_000))).toBeUndefined();
  });
});
