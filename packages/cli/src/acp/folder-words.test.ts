import { BridgeError } from "@quarterdeck/client";
import { describe, expect, it } from "vitest";
import { folderError } from "./folder-words.ts";

const claude = { kind: "claude" as const, version: "2.1.325", path: "/usr/bin/claude" };
const demo = { kind: "demo" as const, chapters: [] };
const outside = new BridgeError("outside-roots", "This path is outside of the folders that the server shares.");

describe("a folder in which no session can start", () => {
  it("is named if it does not exist", () => {
    const missing = new BridgeError("not-found", "The file does not exist.");
    expect(folderError(missing, "/srv/app", claude)).toMatchObject({
      code: -32602,
      message: expect.stringContaining("The folder /srv/app does not exist.") as string,
    });
  });

  it("is explained by demo mode, and by what is missing for a real agent", () => {
    const problem = "No `claude` on the PATH.";
    expect(folderError(outside, "/srv/app", { ...demo, problem })).toMatchObject({
      code: -32602,
      message:
        "The server runs in demo mode, and does not share /srv/app. No `claude` on the PATH. Then restart the server.",
    });
    expect(folderError(outside, "/srv/app", demo)).toMatchObject({
      message: expect.stringMatching(/demo mode.* --demo\.$/u) as string,
    });
  });

  it("keeps the server's words otherwise", () => {
    expect(folderError(outside, "/srv/app", claude)).toBe(outside);
    const other = new Error("another");
    expect(folderError(other, "/srv/app", demo)).toBe(other);
  });
});
