import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { roundsOf } from "@quarterdeck/test-kit/how-much";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { containedPaths, PathError } from "./contained-path.ts";
import { hiddenPaths } from "./hidden-paths.ts";
import type { ContainedPaths } from "./contract.ts";

const hiding = (...own: string[]) => hiddenPaths({ home: "/nowhere", env: {}, own }).fromEverybody;

let folder: string;
let root: string;
let paths: ContainedPaths;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "quarterdeck-paths-"));
  root = join(folder, "root");
  for (const name of ["root", "root/sub", "root/data", "root-beside", "outside"]) mkdirSync(join(folder, name));
  writeFileSync(join(root, "file.txt"), "inside");
  writeFileSync(join(root, "sub", "deep.txt"), "deep");
  writeFileSync(join(root, "data", "secret"), "secret");
  writeFileSync(join(folder, "outside", "file.txt"), "outside");
  writeFileSync(join(folder, "root-beside", "file.txt"), "beside");
  paths = containedPaths({ roots: [root], isHidden: hiding(join(root, "data"), join(root, "not-yet")) });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const textOf = async (path: string): Promise<string> => {
  const { handle } = await paths.open(path);
  try {
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
};
const codeOf = async (work: Promise<unknown>): Promise<string> => {
  const error: unknown = await work.then(
    () => "no error",
    (thrown: unknown) => thrown,
  );
  return error instanceof PathError ? error.code : String(error);
};

describe("[Q1] a path inside the roots", () => {
  it("is resolved, opened and listed", async () => {
    expect(await paths.resolve(join(root, "sub", "..", "file.txt"))).toBe(join(root, "file.txt"));
    expect(await textOf(join(root, "file.txt"))).toBe("inside");
    const { path, entries } = await paths.list(root);
    expect({ path, names: entries.map(({ name }) => name).toSorted() }).toEqual({
      path: root,
      names: ["file.txt", "sub"],
    });
  });

  it("may be a link to another path inside", async () => {
    symlinkSync(join(root, "sub"), join(root, "link"));
    expect(await textOf(join(root, "link", "deep.txt"))).toBe("deep");
  });

  it("may be reached through a root that is itself a link", async () => {
    symlinkSync(root, join(folder, "way-in"));
    const linked = containedPaths({ roots: [join(folder, "way-in")], isHidden: hiding() });
    expect(linked.roots).toEqual([root]);
    expect(await linked.resolve(join(folder, "way-in", "file.txt"))).toBe(join(root, "file.txt"));
    expect(await codeOf(linked.resolve(join(folder, "way-in", "none")))).toBe("not-found");
  });
});

describe("a path that leads out (S11)", () => {
  it.each([
    ["by dots", () => join(root, "..", "outside", "file.txt")],
    ["absolutely", () => join(folder, "outside", "file.txt")],
    ["to a folder with the same prefix", () => join(folder, "root-beside", "file.txt")],
    ["to a missing path", () => join(folder, "outside", "none")],
    ["to the folder above", () => folder],
    ["to the data directory", () => join(root, "data", "secret")],
    ["to the data directory itself", () => join(root, "data")],
    ["to the data directory by dots", () => join(root, "sub", "..", "data", "secret")],
  ])("is refused: %s", async (_, path) => {
    expect(await codeOf(paths.open(path()))).toBe("outside-roots");
    expect(await codeOf(paths.list(path()))).toBe("outside-roots");
    expect(await codeOf(paths.resolve(path()))).toBe("outside-roots");
  });

  it.each([
    ["to a file", "outside/file.txt"],
    ["to a folder", "outside"],
    ["to the data directory", "root/data"],
    ["to the folder above", "."],
  ])("is refused if it is a link %s", async (_, target) => {
    symlinkSync(join(folder, target), join(root, "link"));
    expect(await codeOf(paths.open(join(root, "link")))).toBe("outside-roots");
    expect(await codeOf(paths.resolve(join(root, "link", "root", "..")))).toMatch(/outside-roots|not-found/u);
  });

  it("is refused if a hidden file is created later, and never listed", async () => {
    mkdirSync(join(root, "not-yet"));
    writeFileSync(join(root, "not-yet", "x"), "x");
    expect(await codeOf(paths.open(join(root, "not-yet", "x")))).toBe("outside-roots");
    expect((await paths.list(root)).entries.map(({ name }) => name)).not.toContain("not-yet");
  });
});

describe("a path that is located", () => {
  it("[S45] is the place of a deleted file, after the links of its folders", async () => {
    symlinkSync(join(root, "sub"), join(root, "link"));
    expect(await paths.locate(join(root, "link", "deep.txt"))).toEqual({
      path: join(root, "sub/deep.txt"),
      exists: true,
    });
    expect(await paths.locate(join(root, "link", "gone", "x"))).toEqual({
      path: join(root, "sub/gone/x"),
      exists: false,
    });
    expect(await paths.locate(`${root}/gone/../file.txt`)).toEqual({ path: join(root, "file.txt"), exists: false });
  });

  it.each([
    ["by dots through a folder that does not exist", () => `${root}/gone/../../outside/file.txt`],
    ["by dots to a hidden file", () => `${root}/gone/../data/secret`],
    ["to a hidden file that does not exist", () => join(root, "data", "gone")],
    ["through a link out", () => join(root, "out", "gone")],
    ["through a link to a hidden folder", () => join(root, "in", "gone")],
  ])("[S45] is refused: %s", async (_, path) => {
    symlinkSync(join(folder, "outside"), join(root, "out"));
    symlinkSync(join(root, "data"), join(root, "in"));
    expect(await codeOf(paths.locate(path()))).toBe("outside-roots");
    // The error does not reveal whether it exists.
    expect(await codeOf(paths.resolve(path()))).toBe("outside-roots");
  });
});

describe("paths of a role below admin", () => {
  it("[S44] are those of the opened folders, which may change", async () => {
    let opened = [join(root, "sub"), join(folder, "outside")];
    const narrow = containedPaths({ roots: [root], isHidden: hiding(), within: () => opened });
    expect(narrow.roots).toEqual([join(root, "sub")]);
    expect(await narrow.resolve(join(root, "sub", "deep.txt"))).toBe(join(root, "sub/deep.txt"));
    for (const path of [root, join(root, "file.txt"), join(root, "none"), join(folder, "outside/file.txt")])
      expect([path, await codeOf(narrow.resolve(path))]).toEqual([path, "outside-roots"]);
    symlinkSync(join(root, "file.txt"), join(root, "sub", "link"));
    expect(await codeOf(narrow.open(join(root, "sub", "link")))).toBe("outside-roots");
    opened = [];
    expect(await codeOf(narrow.open(join(root, "sub", "deep.txt")))).toBe("outside-roots");
  });
});

describe("[Q1] an invalid path", () => {
  it.each([
    ["relative", "file.txt"],
    ["empty", ""],
    ["with a NUL", "/tmp\0/x"],
    ["too long", `/${"a".repeat(5000)}`],
    ["percent-encoded, which is an ordinary name", "%2fetc%2fpasswd"],
  ])("is refused: %s", async (_, path) => {
    expect(await codeOf(paths.open(path))).toBe("bad-request");
  });

  it("has different errors for missing, a folder, and a special file", async () => {
    expect(await codeOf(paths.open(join(root, "none")))).toBe("not-found");
    expect(await codeOf(paths.open(join(root, "file.txt", "x")))).toBe("not-found");
    expect(await codeOf(paths.open(join(root, "sub")))).toBe("bad-request");
    expect(await codeOf(paths.list(join(root, "file.txt")))).toBe("not-found");
    expect(await codeOf(paths.open(join(root, "%2e%2e", "outside", "file.txt")))).toBe("not-found");
  });
});

// A separate thread swaps as fast as it can while we read: a file, its folder, and both in turn.
describe("a link that is swapped while we read (S11)", () => {
  const swapper = (target: string, inside: string, outside: string): Worker =>
    new Worker(
      `const { renameSync, symlinkSync, unlinkSync } = require("node:fs");
       const { workerData: { target, inside, outside } } = require("node:worker_threads");
       for (let n = 0; ; n++) {
         symlinkSync(n % 2 === 0 ? outside : inside, target + ".new");
         renameSync(target + ".new", target);
       }`,
      { eval: true, workerData: { target, inside, outside } },
    );

  it.each([
    ["a file", "swapped", "", "root/file.txt", "outside/file.txt"],
    ["its folder", "swapped", "/file.txt", "root/inner", "outside"],
  ])("returns no byte from outside: %s", async (_, name, rest, inside, outside) => {
    mkdirSync(join(root, "inner"));
    writeFileSync(join(root, "inner", "file.txt"), "inside");
    const target = join(root, name);
    symlinkSync(join(folder, inside), target);
    const worker = swapper(target, join(folder, inside), join(folder, outside));
    const got = new Set<string>();
    const isTried = () => got.has("inside") && got.has("outside-roots");
    try {
      // A busy machine may not run the other thread at once.
      for (let n = 0; n < roundsOf(5000) || (!isTried() && n < 50_000); n++) {
        const text = await textOf(target + rest).catch((error: unknown) =>
          error instanceof PathError ? error.code : String(error),
        );
        got.add(text);
      }
    } finally {
      await worker.terminate();
    }
    expect([...got].filter((text) => !["inside", "outside-roots", "not-found"].includes(text))).toEqual([]);
    // The test saw both states. Otherwise it tested nothing.
    expect(isTried()).toBe(true);
  });

  it("returns no byte from outside if a folder and a link swap under one name", async () => {
    const target = join(root, "inner");
    mkdirSync(target);
    writeFileSync(join(target, "file.txt"), "inside");
    const worker = new Worker(
      `const { renameSync, symlinkSync, unlinkSync } = require("node:fs");
       const { workerData: { target, outside } } = require("node:worker_threads");
       for (;;) {
         renameSync(target, target + ".away");
         symlinkSync(outside, target);
         unlinkSync(target);
         renameSync(target + ".away", target);
       }`,
      { eval: true, workerData: { target, outside: join(folder, "outside") } },
    );
    const got = new Set<string>();
    try {
      for (let n = 0; n < roundsOf(5000); n++)
        got.add(await textOf(join(target, "file.txt")).catch((error: PathError) => error.code));
    } finally {
      await worker.terminate();
    }
    expect([...got].filter((text) => !["inside", "outside-roots", "not-found"].includes(text))).toEqual([]);
    expect(got.has("inside")).toBe(true);
  });

  it("returns no byte from outside if the folder is moved away between check and read", async () => {
    const listing = paths.list(join(root, "sub"));
    renameSync(join(root, "sub"), join(folder, "moved"));
    symlinkSync(join(folder, "outside"), join(root, "sub"));
    const names = await listing.then(
      ({ entries }) => entries.map((entry) => entry.name),
      (error: unknown) => (error as PathError).code,
    );
    expect(["outside-roots", "not-found", ["deep.txt"]]).toContainEqual(names);
    unlinkSync(join(root, "sub"));
  });
});
