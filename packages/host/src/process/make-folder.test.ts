import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { makeFolder } from "./make-folder.ts";

const scratch = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-folder-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
};

it("makes a folder and its parents, private to the owner", () => {
  const path = join(scratch(), "a", "b", "c");
  makeFolder(path, 0o700);
  makeFolder(path, 0o700);
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

it("accepts a link to a folder, but not a file", () => {
  const folder = scratch();
  mkdirSync(join(folder, "real"));
  symlinkSync(join(folder, "real"), join(folder, "link"));
  makeFolder(join(folder, "link"), 0o700);
  writeFileSync(join(folder, "file"), "");
  expect(() => makeFolder(join(folder, "file"), 0o700)).toThrow("EEXIST");
  expect(() => makeFolder(join(folder, "file", "below"), 0o700)).toThrow("ENOTDIR");
  symlinkSync(join(folder, "nowhere"), join(folder, "dangling"));
  expect(() => makeFolder(join(folder, "dangling"), 0o700)).toThrow("EEXIST");
});

it("returns on a file system that makes no folders", () => {
  expect(() => makeFolder("/proc/nope/deeper", 0o700)).toThrow(/ENOENT|EACCES|EPERM|EROFS/u);
});
