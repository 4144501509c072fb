import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Blobs } from "./blobs.ts";
import { eventLabel, LARGEST_BODY, seal, unseal } from "./sealed.ts";
import type { Vault } from "./sealed.ts";

let folder: string;
let vault: Vault;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "quarterdeck-sealed-"));
  vault = { blobs: new Blobs(folder), space: "1-1", session: "s" };
});
afterEach(() => rmSync(folder, { recursive: true }));

const label = eventLabel(1, 2.5);

it.each([
  ["an empty text", "", false],
  ["the largest body in a row", "x".repeat(LARGEST_BODY), false],
  ["one byte more", "x".repeat(LARGEST_BODY + 1), true],
  ["few characters and many bytes", "é".repeat(LARGEST_BODY / 2 + 1), true],
])("[D8] returns %s", (_, text, isBlob) => {
  const sealed = seal(vault, label, text);
  expect([sealed.blob !== null, sealed.body === null]).toEqual([isBlob, isBlob]);
  expect(sealed.bytes).toBe(Buffer.byteLength(text));
  expect(unseal(vault, label, sealed)).toBe(text);
});

it("[D3] returns nothing for another session, another record or another form", () => {
  for (const text of ["text", "large".repeat(LARGEST_BODY)]) {
    const sealed = seal(vault, label, text);
    expect(unseal({ ...vault, session: "t" }, label, sealed)).toBeUndefined();
    expect(unseal(vault, eventLabel(2, 2.5), sealed)).toBeUndefined();
    expect(unseal(vault, eventLabel(1, 2), sealed)).toBeUndefined();
    expect(unseal(vault, label, { ...sealed, sum: sealed.sum ^ 1 })).toBeUndefined();
    expect(unseal(vault, label, { ...sealed, body: null, blob: null })).toBeUndefined();
  }
  const { sum } = seal(vault, label, "text");
  const bytes = Buffer.from("text") as unknown as string;
  expect(unseal(vault, label, { body: bytes, blob: null, sum })).toBeUndefined();
});

it("[D8] writes the same large body once", () => {
  const text = "large".repeat(LARGEST_BODY);
  const first = seal(vault, label, text);
  expect(first.newBlob).toBe(first.blob);
  expect(seal(vault, eventLabel(2, 3), text)).toMatchObject({ blob: first.blob, newBlob: undefined });
});
