import { expect, test } from "vitest";
import { StderrRing } from "./stderr-ring.ts";

const ringOf = (capacity: number, ...chunks: (string | Buffer)[]): StderrRing => {
  const ring = new StderrRing(capacity);
  for (const chunk of chunks) ring.push(Buffer.from(chunk));
  return ring;
};

test("text is taken once, and can still be read", () => {
  const ring = ringOf(100, "one ", "two ");
  expect(ring.take()).toBe("one two ");
  expect(ring.take()).toBe("");
  ring.push(Buffer.from("three"));
  expect(ring.take()).toBe("three");
  expect(ring.text()).toBe("one two three");
});

test("keeps the newest bytes, and counts bytes that were lost before they were taken", () => {
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

test("a character in two chunks stays whole, and an incomplete one comes at the end", () => {
  const euro = Buffer.from("€");
  const ring = ringOf(100, "a", euro.subarray(0, 2));
  expect(ring.take()).toBe("a");
  ring.push(euro.subarray(2));
  expect(ring.take()).toBe("€");
  ring.push(euro.subarray(0, 1));
  expect(ring.take()).toBe("");
  expect(ring.take(true)).toBe("\uFFFD");
});

test("a character whose start was pushed out is dropped", () => {
  const ring = ringOf(4, "€", "ab");
  expect(ring.text()).toBe("ab");
  expect(ring.take()).toBe("[1 bytes of stderr left out]\nab");
});

test("invalid UTF-8 is not held back forever", () => {
  const ring = ringOf(100, Buffer.from([0x80, 0x80, 0x80, 0x80]));
  expect(ring.take()).toBe("\uFFFD".repeat(4));
  expect(ring.take()).toBe("");
});
