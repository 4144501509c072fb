import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { isReplies } from "./question.ts";
import { forgetWritten, readAnswer, writeAnswer, writtenIn } from "./written-answer.ts";

describe("words in a card, kept over a reload", () => {
  const entries = new Map<string, string>();
  beforeEach(() => {
    entries.clear();
    vi.stubGlobal("localStorage", {
      getItem: (key: string) => entries.get(key) ?? null,
      setItem: (key: string, value: string) => void entries.set(key, value),
      removeItem: (key: string) => void entries.delete(key),
    });
  });
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it("are stored by request, and removed with it", () => {
    const [one, two] = [writtenIn("a", "1"), writtenIn("a", "2")];
    writeAnswer(one, "reason", "Look east");
    writeAnswer(one, "face", "deny");
    writeAnswer(two, "comment", "Shorter");
    expect(readAnswer(one)).toEqual({ reason: "Look east", face: "deny" });
    forgetWritten(one);
    expect(readAnswer(one)).toEqual({});
    expect(readAnswer(two)).toEqual({ comment: "Shorter" });
    forgetWritten(two);
    expect([...entries]).toEqual([["quarterdeck.answers", "[]"]]);
  });

  it("are stored for at most 50 requests, and not if they are too long", () => {
    for (let at = 0; at < 60; at++) writeAnswer(writtenIn("a", String(at)), "reason", "no");
    expect([...entries.keys()].filter((key) => key.startsWith("quarterdeck.answer."))).toHaveLength(50);
    expect(readAnswer(writtenIn("a", "9"))).toEqual({});
    expect(readAnswer(writtenIn("a", "10"))).toEqual({ reason: "no" });
    writeAnswer(writtenIn("b", "1"), "input", { content: "x".repeat(300_000) });
    expect(readAnswer(writtenIn("b", "1"))).toEqual({});
  });

  it.each([null, 3, "text", [1], "{"])("are not read from what is damaged: %j", (value) => {
    entries.set("quarterdeck.answer.a 1", JSON.stringify(value));
    entries.set("quarterdeck.answers", JSON.stringify(value));
    expect(readAnswer("a 1")).toEqual({});
    writeAnswer("a 1", "reason", "again");
    expect(readAnswer("a 1")).toEqual({ reason: "again" });
  });

  it("are replies only in their full form", () => {
    expect(isReplies([{ chosen: ["a"], other: "", notes: "" }])).toBe(true);
    for (const value of [[null], [{ chosen: "a", other: "", notes: "" }], [{ chosen: [1], other: "", notes: "" }], {}])
      expect(isReplies(value)).toBe(false);
  });
});
