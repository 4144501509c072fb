import { expect, test } from "vitest";
import { StderrRing } from "./stderr-ring.ts";

const ringOf = (capacity: number, ...chunks: (string | Buffer)[]): StderrRing => {
  const ring = new StderrRing(capacity);
  for (const chunk of chunks) ring.push(Buffer.from(chunk));
  return ring;
};

test("what came is taken once and stays to be read", () => {
  const ring = ringOf(100, "one ", "two ");
  expect(ring.take()).toBe("one two ");
  expect(ring.take()).toBe("");
  ring.push(Buffer.from("three"));
  expect(ring.take()).toBe("three");
  expect(ring.text()).toBe("one two three");
});

test("the newest bytes are kept, and what was lost before it was taken is counted", () => {
  const ring = ringOf(10, "0123456789");
  expect(ring.take()).toBe("0123456789");
  ring.push(Buffer.from("abc"));
  expect(ring.text()).toBe("3456789abc");
  expect(ring.take()).toBe("abc");
  ring.push(Buffer.from("x".repeat(25)));
  ring.push(Buffer.from("yz"));
  expect(ring.text()).toBe("xxxxxxxxyz");
  expect(ring.take()).toBe("[17 bytes of stderr left out]\nxxxxxxxxyz");
  expect(ring.take()).toBe("");
});

test("a character in two chunks comes whole, and at the end as it is", () => {
  const euro = Buffer.from("€");
  const ring = ringOf(100, "a", euro.subarray(0, 2));
  expect(ring.take()).toBe("a");
  ring.push(euro.subarray(2));
  expect(ring.take()).toBe("€");
  ring.push(euro.subarray(0, 1));
  expect(ring.take()).toBe("");
  expect(ring.take(true)).toBe("\uFFFD");
});

test("a character whose beginning was pushed out is left out", () => {
  const ring = ringOf(4, "€", "ab");
  expect(ring.text()).toBe("ab");
  expect(ring.take()).toBe("[1 bytes of stderr left out]\nab");
});

test("bytes that are no UTF-8 do not stay forever", () => {
  const ring = ringOf(100, Buffer.from([0x80, 0x80, 0x80, 0x80]));
  expect(ring.take()).toBe("\uFFFD".repeat(4));
  expect(ring.take()).toBe("");
});
