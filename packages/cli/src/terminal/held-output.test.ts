import { expect, it } from "vitest";
import { HeldOutput } from "./held-output.ts";

const place = () => {
  const held = new HeldOutput();
  let out = "";
  const write = held.through((text) => (out += text));
  return { held, write, out: () => out, endRow: () => void (out += "\n") };
};

it("nothing runs into a line that a person types, and it goes on below, indented", () => {
  const { held, write, out, endRow } = place();
  write("one");
  expect(held.typing(endRow)).toBe(true);
  expect(out()).toBe("one\n");
  write(" two");
  write(" three\n");
  expect(out()).toBe("one\n");
  held.typed();
  expect(out()).toBe("one\n   two three\n");
  // The last row is complete, so the typed line needs no row of its own.
  expect(held.typing(endRow)).toBe(true);
  held.typed();
  write("four");
  expect(out()).toBe("one\n   two three\nfour");
});

it("a request ends the typed line, and shows first what came before it", async () => {
  const { held, write, out, endRow } = place();
  held.typing(endRow);
  write("before\n");
  const asking = Promise.withResolvers<void>();
  const done = held.during(() => asking.promise);
  expect(out()).toBe("\nbefore\n");
  expect(held.typing(endRow)).toBe(false);
  write("after\n");
  expect(out()).toBe("\nbefore\n");
  held.typed();
  expect(out()).toBe("\nbefore\n");
  asking.resolve();
  await done;
  expect(out()).toBe("\nbefore\nafter\n");
});
