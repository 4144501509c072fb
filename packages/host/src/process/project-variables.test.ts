import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openProjectVariables } from "./project-variables.ts";

let root: string;
let path: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "quarterdeck-variables-"));
  path = join(root, "data", "variables.json");
  mkdirSync(join(root, "work", "app", "src"), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));
const at = (...names: string[]): string => join(root, ...names);

describe("variables of a folder", () => {
  it("are given to sessions in it and below it, an inner folder first", () => {
    const variables = openProjectVariables(path);
    variables.set(at("work"), "DATABASE_URL", "outer");
    variables.set(at("work"), "TOKEN", "t");
    variables.set(at("work", "app"), "DATABASE_URL", "inner");
    expect(variables.of(at("work", "app", "src"))).toEqual({ DATABASE_URL: "inner", TOKEN: "t" });
    expect(variables.of(at("work"))).toEqual({ DATABASE_URL: "outer", TOKEN: "t" });
    expect(variables.of(at("workshop"))).toEqual({});
    expect(variables.of(root)).toEqual({});
  });

  it("are found through a link, and are read again at each start", () => {
    symlinkSync(at("work", "app"), at("link"));
    openProjectVariables(path).set(at("link"), "A", "1");
    const running = openProjectVariables(path);
    expect(running.of(at("work", "app"))).toEqual({ A: "1" });
    expect(openProjectVariables(path).set(at("work", "app"), "A", undefined)).toBe(true);
    expect(running.of(at("link"))).toEqual({});
    expect(running.all()).toEqual({});
  });

  it("are stored where only the owner can read them", () => {
    openProjectVariables(path).set(at("work"), "A", "1");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ [at("work")]: { A: "1" } });
  });

  it.each([
    ["A B", "1", "letters, digits"],
    ["1A", "1", "letters, digits"],
    ["A=B", "1", "letters, digits"],
    ["QUARTERDECK_SESSION", "x", "our own"],
    ["A", "a\0b", "zero character"],
    ["A", "x".repeat(100_001), "longer than"],
  ])("refuse the name %j", (name, value, why) => {
    const variables = openProjectVariables(path);
    expect(() => variables.set(at("work"), name, value)).toThrow(why);
    expect(variables.all()).toEqual({});
  });

  it.each(["[", "[]", '{"/x":5}', '{"/x":{"A":5}}', '{"/x":{"A B":"5"}}'])("say which file is wrong: %s", (text) => {
    mkdirSync(at("data"));
    writeFileSync(path, text);
    expect(() => openProjectVariables(path).of(root)).toThrow(/variables\.json cannot be read/u);
  });
});
