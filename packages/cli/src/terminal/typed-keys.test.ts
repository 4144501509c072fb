import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { TypedKeys } from "./typed-keys.ts";

const typing = () => {
  const input = new PassThrough();
  const pasted: string[] = [];
  const keys = new TypedKeys({ input, onPaste: (text) => pasted.push(text), onTyped: () => {}, suspend: () => {} });
  const seen: string[] = [];
  keys.onKey = (key) => seen.push(key);
  const types = (text: string) => input.emit("data", Buffer.from(text));
  return { types, pasted, seen };
};

it("a paste is whole in any pieces, and none of it is a key", () => {
  const all = "a\u001b[200~y\r\nn\u001b[31m\u001b[201~b";
  for (let at = 1; at < all.length; at += 1) {
    // A lone Esc is the key.
    if (all[at - 1] === "\u001b") continue;
    const { types, pasted, seen } = typing();
    types(all.slice(0, at));
    types(all.slice(at));
    expect([at, pasted, seen]).toEqual([at, ["y\nn[31m"], ["a", "b"]]);
  }
});

it("a key that arrives in pieces is one key, and Esc is a key at once", () => {
  const { types, seen } = typing();
  types("\u001b[");
  types("B");
  types("\u001b");
  types("\u001b[1;5");
  types("C1");
  expect(seen).toEqual(["\u001b[B", "\u001b", "\u001b[1;5C", "1"]);
});
