import { describe, expect, it } from "vitest";
import { readFrame } from "./client-frame.ts";

const call = (more: object = {}): string =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", params: {}, ...more });
const nested = (depth: number): unknown => JSON.parse("[".repeat(depth) + "]".repeat(depth));

describe("a frame of a client", () => {
  it("[B8] is one JSON-RPC object: a call with an id, or a notification without", () => {
    expect(readFrame(call())).toEqual({ kind: "call", id: 1, method: "ping", params: {} });
    expect(readFrame(call({ id: "a" }))).toMatchObject({ kind: "call", id: "a" });
    expect(readFrame(call({ id: undefined }))).toEqual({ kind: "told", method: "ping", params: {} });
    expect(readFrame(call({ params: undefined }))).toMatchObject({ params: {} });
    const bad = [
      "",
      "x",
      "null",
      "[]",
      `[${call()}]`,
      call({ jsonrpc: "1.0" }),
      call({ id: null }),
      call({ id: {} }),
      call({ method: 1 }),
    ];
    for (const text of bad) expect([text, readFrame(text).kind]).toEqual([text, "bad"]);
  });

  it("[B8] that is invalid gets the error number of JSON-RPC", () => {
    const numberOf = (text: string): number | undefined => {
      const frame = readFrame(text);
      return frame.kind === "bad" ? frame.number : undefined;
    };
    expect(["", "{", "no json", '{"jsonrpc":"2.0",}'].map(numberOf)).toEqual([-32700, -32700, -32700, -32700]);
    const invalid = ["null", "1", "[]", `[${call()}]`, call({ jsonrpc: "1.0" }), call({ id: {} }), call({ method: 1 })];
    for (const text of invalid) expect([text, numberOf(text)]).toEqual([text, -32600]);
    expect(numberOf(call({ params: nested(65) }))).toBe(-32602);
  });

  it("[B8] has a limited depth, which no valid frame needs", () => {
    expect(readFrame(call({ params: nested(64) })).kind).toBe("call");
    expect(readFrame(call({ params: nested(65) })).kind).toBe("bad");
    expect(
      readFrame(`{"jsonrpc":"2.0","id":1,"method":"x","params":${"[".repeat(200_000)}${"]".repeat(200_000)}}`).kind,
    ).toBe("bad");
  });
});
