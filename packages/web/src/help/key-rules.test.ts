import { afterEach, describe, expect, it } from "vitest";
import { defaultKeys, KEY_IDS, keysOf, ownKeys, setOwnKeys, whereOf } from "../keys/key-table.ts";
import { conflictsOf, exportKeys, importKeys, keysProblem, withKeys } from "./key-rules.ts";

afterEach(() => setOwnKeys({}));

describe("[E182] keys that a person sets", () => {
  it("are all valid and without conflicts by default", () => {
    for (const id of KEY_IDS) {
      expect([id, conflictsOf(id)]).toEqual([id, []]);
      for (const keys of defaultKeys(id)) expect([id, keysProblem(keys, whereOf(id))]).toEqual([id, undefined]);
    }
  });

  it("conflict where they reach another action at the same place, or across the whole page", () => {
    setOwnKeys({ "session.new": ["Mod+K"] });
    expect(conflictsOf("palette")).toEqual(["session.new"]);
    expect(conflictsOf("session.new")).toEqual(["palette"]);
    // The first of two parts.
    expect(conflictsOf("help", ["G"])).toContain("tab.git");
    expect(conflictsOf("help", ["Mod+Enter"])).toEqual(["message.now", "request.confirm", "form.submit"]);
    // Two inner places are never at work together.
    expect(conflictsOf("hunk.next", ["E"])).toEqual([]);
    expect(conflictsOf("hunk.next", ["V"])).toEqual(["file.viewed"]);
  });

  it("cannot be those of copy and paste, of the browser, or of typing", () => {
    expect(keysProblem("Mod+C", "page")).toMatch(/^Copy/u);
    expect(keysProblem("Mod+W", "page")).toMatch(/^The browser/u);
    expect(keysProblem("Enter", "page")).toMatch(/typing/u);
    expect(keysProblem("Enter", "composer")).toBeUndefined();
    expect(keysProblem("G C", "composer")).toMatch(/^Two/u);
    expect(keysProblem("A B C", "page")).toMatch(/^Two/u);
    for (const wrong of ["", " ", "k", "Ctrl+K", "Mod+", "Shift+Mod+K", "F25", "Mod+\u202e", "Mod+K ".repeat(99)])
      expect([wrong, keysProblem(wrong, "page")]).toEqual([wrong, "These are not keys that the page knows."]);
  });

  it("are forgotten when they equal the default", () => {
    const changed = withKeys({}, "palette", ["Mod+P"]);
    expect(changed).toEqual({ palette: ["Mod+P"] });
    expect(withKeys(changed, "palette", ["Mod+K"])).toEqual({});
    expect(withKeys(changed, "palette", undefined)).toEqual({});
  });
});

describe("[E182] a file of keys", () => {
  it("is imported as it was exported", () => {
    const own = { palette: ["Mod+P"], help: ["F1", "G ?"], "session.new": [] };
    setOwnKeys(own);
    expect(importKeys(exportKeys(ownKeys()))).toEqual({ keys: own });
    expect(keysOf("session.new")).toEqual([]);
  });

  it("is refused as a whole, with the reason, when anything in it is wrong", () => {
    const file = (keys: unknown, more = {}): string =>
      JSON.stringify({ format: "quarterdeck-keys", version: 1, keys, ...more });
    const problems: readonly (readonly [string, RegExp])[] = [
      ["", /not JSON/u],
      ["[]", /not a list of Quarterdeck's keys/u],
      ["null", /not a list of Quarterdeck's keys/u],
      ["{}", /not a list of Quarterdeck's keys/u],
      [file({}, { version: 2 }), /format version 2/u],
      [file([]), /has no keys/u],
      [file({ palette: ["Mod+P"], nothing: ["F1"] }), /does not have: "nothing"/u],
      ['{"format":"quarterdeck-keys","version":1,"keys":{"__proto__":["F1"]}}', /does not have: "__proto__"/u],
      [file({ toString: ["F1"] }), /does not have/u],
      [file({ palette: "Mod+P" }), /“Open the command palette” needs a list/u],
      [file({ palette: ["F1", "F2", "F3", "F4", "F5"] }), /at most 4/u],
      [file({ palette: [{}] }), /Keys are texts/u],
      [file({ palette: ["Mod+C"] }), /"Mod\+C"\. Copy/u],
      [file({ palette: ["\u202e\u0007"] }), /"\?\?*\\?/u],
      [" ".repeat(70_000), /too large/u],
    ];
    for (const [text, words] of problems) {
      const read = importKeys(text);
      expect([text.slice(0, 80), read]).toEqual([
        text.slice(0, 80),
        { problem: expect.stringMatching(words) as string },
      ]);
      expect(JSON.stringify(read)).not.toMatch(/\u202e/u);
    }
    expect(ownKeys()).toEqual({});
  });
});
