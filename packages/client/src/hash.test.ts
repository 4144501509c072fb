import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { hashOf } from "./hash.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

it("[H1] is the same for any order of the keys", async () => {
  const text = '{"input":{"command":"ls é","list":[1,null,{"a":true}]},"subtype":"can_use_tool"}';
  const one = { subtype: "can_use_tool", input: { list: [1, null, { a: true }], command: "ls é" }, absent: undefined };
  expect(await hashOf(one)).toBe(sha256(text));
  expect(await hashOf(JSON.parse(text))).toBe(sha256(text));
  expect(await hashOf({ ...one, subtype: "other" })).not.toBe(sha256(text));
});
