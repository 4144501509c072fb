import { fc } from "./property.fixture.ts";
import { describe, expect, it } from "vitest";
import { decodeLine } from "./decode.ts";
import { LineSplitter } from "./line-splitter.ts";
import type { Line } from "./line-splitter.ts";
import { recordedLines } from "@quarterdeck/test-kit/recorded-lines";
import { roundsOf } from "@quarterdeck/test-kit/how-much";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const rawOf = (line: Line): number[] =>
  typeof line === "string" ? [...bytesOf(line)] : line instanceof Uint8Array ? [...line] : [...line.head];

/** Splits `bytes` at the given offsets. All chunks are read into one buffer, like a pipe. */
const split = (bytes: Uint8Array, cuts: readonly number[], options = {}): Line[] => {
  const splitter = new LineSplitter(options);
  const buffer = Buffer.alloc(bytes.length);
  const offsets = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  const lines = offsets.slice(1).flatMap((end, index) => {
    const chunk = buffer.subarray(0, end - offsets[index]!);
    chunk.set(bytes.subarray(offsets[index], end));
    const whole = splitter.push(chunk);
    chunk.fill("?");
    return whole;
  });
  return [...lines, ...splitter.end()];
};
/** The expected lines: the pieces between LFs, and a last piece if there is one. */
const expected = (bytes: Uint8Array): number[][] => {
  const pieces: number[][] = [[]];
  for (const byte of bytes) {
    if (byte === 10) pieces.push([]);
    else pieces.at(-1)!.push(byte);
  }
  return pieces.at(-1)!.length === 0 ? pieces.slice(0, -1) : pieces;
};

describe("LineSplitter", () => {
  it("gives the same lines for any bytes in any chunks", () => {
    const awkward = fc
      .constantFrom("\n", "\r", "\r\n", "\u2028", "\u2029", "\0", "{", '"', "é", "😀", "\uFEFF", "\uFFFD")
      .map((c) => [...bytesOf(c)]);
    const byte = fc.integer({ min: 0, max: 255 }).map((value) => [value]);
    fc.assert(
      fc.property(
        fc.array(fc.oneof(awkward, byte), { maxLength: 80 }),
        fc.array(fc.nat(), { maxLength: 12 }),
        (parts, cuts) => {
          const bytes = Uint8Array.from(parts.flat());
          expect(split(bytes, cuts).map(rawOf)).toEqual(expected(bytes));
        },
      ),
      { numRuns: roundsOf(2000) },
    );
  });

  it("returns the recorded messages, byte by byte and in odd chunks", () => {
    const sent = recordedLines()
      .filter((line) => line.dir === "out")
      .slice(0, 400)
      .map((line) => JSON.stringify(line.msg));
    const bytes = bytesOf(`${sent.join("\n")}\n`);
    for (const size of [1, 2, 3, 7, 4095, 4096, 65_535, 65_536, 65_537]) {
      const cuts = Array.from({ length: Math.floor(bytes.length / size) }, (_, index) => (index + 1) * size);
      expect(split(bytes, cuts)).toEqual(sent);
    }
  });

  it("splits only on LF: CR, U+2028 and U+2029 are content", () => {
    const text = '{"a":"x\u2028y\u2029z"}\r\n\r\n{"b":1}\rtail';
    expect(split(bytesOf(text), [])).toEqual(['{"a":"x\u2028y\u2029z"}\r', "\r", '{"b":1}\rtail']);
  });

  it("keeps blank lines, and yields a last line without LF once", () => {
    const splitter = new LineSplitter();
    expect(splitter.push(bytesOf("\n\na"))).toEqual(["", ""]);
    expect(splitter.end()).toEqual(["a"]);
    expect(splitter.end()).toEqual([]);
  });

  it("returns a line that is not UTF-8 as bytes, and the other lines as text", () => {
    const bytes = Uint8Array.from([...bytesOf("good\n"), 0xff, 0xc3, 10, ...bytesOf("\uFFFD is legal\n")]);
    expect(split(bytes, [])).toEqual(["good", Uint8Array.from([0xff, 0xc3]), "\uFFFD is legal"]);
  });

  it("returns a line over the limit as size and head, in any chunks, and continues", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6000 }), fc.array(fc.nat(), { maxLength: 8 }), (size, cuts) => {
        const cap = 100;
        const bytes = bytesOf(`before\n${"x".repeat(size)}\nafter\n`);
        const long = size > cap ? { size, head: bytesOf("x".repeat(Math.min(size, 4096))) } : "x".repeat(size);
        expect(split(bytes, cuts, { maxLineBytes: cap })).toEqual(["before", long, "after"]);
      }),
      { numRuns: roundsOf(300) },
    );
  });

  it("returns a line at the limit whole", () => {
    expect(split(bytesOf(`${"x".repeat(10)}\n`), [4], { maxLineBytes: 10 })).toEqual(["x".repeat(10)]);
  });

  it("keeps a large line as bytes that decode to the message", () => {
    const message = { type: "prompt_suggestion", suggestion: "é".repeat(800_000) };
    const lines = split(bytesOf(`${JSON.stringify(message)}\n`), [65_536, 131_073]);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toBeInstanceOf(Uint8Array);
    expect(decodeLine(lines[0] ?? "")).toEqual({ kind: "message", message });
  });

  it("keeps a large line that is not UTF-8 as its bytes", () => {
    const bytes = new Uint8Array(1_500_001).fill(0xff);
    bytes[1_500_000] = 10;
    const [line] = split(bytes, [700_000, 1_200_000]);
    expect(line).toEqual(bytes.slice(0, -1));
    expect(decodeLine(line ?? "")).toMatchObject({ kind: "noise", reason: "not-utf8", size: 1_500_000 });
  });

  it("refuses text, which a stream with an encoding would push", () => {
    expect(() => new LineSplitter().push("text" as never)).toThrow("takes bytes");
  });

  it("refuses a limit that is not positive", () => {
    expect(() => new LineSplitter({ maxLineBytes: 0 })).toThrow(RangeError);
    expect(() => new LineSplitter({ maxLineBytes: Number.NaN })).toThrow(RangeError);
  });
});
