import { readFileSync } from "node:fs";
import { MESSAGE_KEYS, SOURCES } from "@quarterdeck/protocol";
import { describe, expect, it } from "vitest";
import { protocolDocument, withSection } from "./protocol-table.ts";

const document = readFileSync(new URL("../docs/protocol.md", import.meta.url), "utf8");

describe("docs/protocol.md", () => {
  it("matches the types and the recordings (otherwise run: npm run docs)", () => {
    expect(document).toBe(protocolDocument(document));
  });

  it("has one row for each message, each with its source", () => {
    const rows = [...document.matchAll(/^\| `([a-z_/]+)` \| [^|]+ \| ([^|]+) \|/gm)].map((match) => match[1]!);
    for (const key of MESSAGE_KEYS) {
      const name = key.replace("control_request/", "");
      expect(
        rows.filter((row) => row === name),
        key,
      ).not.toEqual([]);
    }
    expect(Object.keys(SOURCES).toSorted()).toEqual(
      MESSAGE_KEYS.filter((key) => !key.startsWith("control_request/")).toSorted(),
    );
  });

  it("fails if a section is missing", () => {
    expect(() => withSection("no sections", "messages", "x")).toThrow("no section");
  });
});
