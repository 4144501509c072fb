import { expect, it } from "vitest";
import { escapeAction, type EscapeContext } from "./escape.ts";

const ORDER = [
  ["menu", "close-menu"],
  ["request", "deny"],
  ["text", "clear"],
  ["running", "interrupt"],
] as const;

it("does the first applicable action, for every state", () => {
  for (let bits = 0; bits < 16; bits++) {
    const context = Object.fromEntries(
      ORDER.map(([name], at) => [name, (bits & (1 << at)) !== 0]),
    ) as unknown as EscapeContext;
    const first = ORDER.find(([name]) => context[name]);
    expect(escapeAction(context)).toBe(first?.[1] ?? "nothing");
  }
});
