import { afterEach, expect, it } from "vitest";
import { changeSettings } from "../store/settings.ts";
import { beginsKeys, capsOf, hintOf, isKey, keyAt, keysOf, setOwnKeys, strokeOf, type KeyPress } from "./key-table.ts";

const press = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
  key,
  code: "",
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...more,
});

afterEach(() => {
  setOwnKeys({});
  changeSettings({ enter: "sends" });
});

it("[E181] writes a press as the table does, on any layout", () => {
  expect(strokeOf(press("k", { ctrlKey: true }))).toBe("Mod+K");
  expect(strokeOf(press("K", { metaKey: true, shiftKey: true }))).toBe("Mod+Shift+K");
  expect(strokeOf(press("?", { shiftKey: true }))).toBe("?");
  // Shift makes the sign on some keyboards.
  expect(strokeOf(press("/", { ctrlKey: true, shiftKey: true, code: "Digit7" }))).toBe("Mod+/");
  expect(strokeOf(press("Dead", { altKey: true, code: "KeyN" }))).toBe("Alt+N");
  expect(strokeOf(press("л", { ctrlKey: true, code: "KeyK" }))).toBe("Mod+K");
  // Where the letter is another key, the letter counts.
  expect(strokeOf(press("n", { altKey: true, code: "KeyL" }))).toBe("Alt+N");
  expect(strokeOf(press("Tab", { shiftKey: true }))).toBe("Shift+Tab");
  expect(strokeOf(press(" "))).toBe("Space");
});

it("[E181] finds the action of a press at its place, with keys of two parts", () => {
  expect(keyAt("page", press("k", { ctrlKey: true }))).toBe("palette");
  expect(keyAt("composer", press("k", { ctrlKey: true }))).toBeUndefined();
  expect(keyAt("page", press("c"))).toBeUndefined();
  expect(keyAt("page", press("c"), "G")).toBe("tab.changes");
  expect(keyAt("page", press("$", { shiftKey: true }), "G")).toBe("tab.cost");
  // Keys that do not go on from the first are taken by themselves.
  expect(keyAt("page", press("/"), "G")).toBe("composer.focus");
  expect(beginsKeys("G")).toBe(true);
  expect(beginsKeys("C")).toBe(false);
  expect(keyAt("changes", press("J", { shiftKey: true }))).toBe("file.next");
});

it("[E182] uses the person's keys in the place of the defaults, and none where they chose none", () => {
  setOwnKeys({ palette: ["Mod+P"], "session.new": [] });
  expect(isKey("palette", press("p", { ctrlKey: true }))).toBe(true);
  expect(isKey("palette", press("k", { ctrlKey: true }))).toBe(false);
  expect(keysOf("session.new")).toEqual([]);
  expect(hintOf("session.new")).toBe("");
  expect(capsOf("Mod+Shift+P")).toEqual([capsOf("Mod")[0], "Shift", "P"]);
  expect(capsOf("Mod++")).toEqual([capsOf("Mod")[0], "+"]);
});

it("[E182] sends with Ctrl+Enter where Enter adds a line", () => {
  changeSettings({ enter: "breaks" });
  expect(keyAt("composer", press("Enter"))).toBe("message.newline");
  expect(keyAt("composer", press("Enter", { ctrlKey: true }))).toBe("message.send");
});
