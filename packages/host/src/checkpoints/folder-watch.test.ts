import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "@quarterdeck/test-kit/scratch-folder";
import { describe, expect, it } from "vitest";
import { roundsOf } from "@quarterdeck/test-kit/how-much";
import { git, put } from "./checkpoints.fixture.ts";
import { FolderSnapshots } from "./folder-snapshots.ts";
import type { WatchLimits } from "./folder-watch.ts";

const place = () => {
  const root = scratchFolder();
  const [folder, data] = [join(root, "work"), join(root, "data")];
  for (const each of [folder, data]) mkdirSync(each);
  /** On a busy machine an event may come late. */
  const open = (name: string, watch: false | Partial<WatchLimits> = { flushMs: 60_000 }) =>
    new FolderSnapshots({ directory: join(data, name, "git"), folder, own: data, path: process.env["PATH"], watch });
  return { root, folder, open };
};

/** A fixed sequence for each seed. */
const dice = (seed: number) => {
  let state = seed;
  return (sides: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * sides);
  };
};

const NAMES = ["a", "b", "c.txt", "d.txt", "e.log", "dist", "node_modules", ".hidden"] as const;
const CONTENTS = ["", "one\n", "two\n", "a longer text\n".repeat(20)] as const;

const folders = (root: string): string[] => {
  const found = [root];
  for (let at = 0; at < found.length; at++)
    for (const entry of readdirSync(found[at]!, { withFileTypes: true }))
      if (entry.isDirectory() && entry.name !== ".git") found.push(join(found[at]!, entry.name));
  return found;
};

/** One change of any kind. What is not possible there is left out. */
const change = (root: string, roll: (sides: number) => number): void => {
  const all = folders(root);
  const pick = (): string => join(all[roll(all.length)]!, NAMES[roll(NAMES.length)]!);
  const [path, other] = [pick(), pick()];
  try {
    switch (roll(10)) {
      case 0:
      case 1:
      case 2:
        return writeFileSync(path, CONTENTS[roll(CONTENTS.length)]!);
      case 3:
        return appendFileSync(path, "more\n");
      case 4:
        return void mkdirSync(join(path, "deep", "er"), { recursive: true });
      case 5:
        return rmSync(path, { recursive: true, force: true });
      case 6:
        return renameSync(path, other);
      case 7:
        return chmodSync(path, 0o755);
      case 8:
        return symlinkSync("c.txt", path);
      default:
        return roll(4) === 0
          ? writeFileSync(join(root, ".gitignore"), ["dist/\n", "*.log\n", ""][roll(3)]!)
          : linkSync(path, other);
    }
  } catch {
    // For example a file where a folder is.
  }
};

describe.runIf(process.platform === "linux")("[C11] a snapshot that looks only where something changed", () => {
  it("has the same tree as a snapshot that reads every file, whatever changed", async () => {
    for (const seed of [20, 32].slice(0, roundsOf(2))) {
      const { folder, open } = place();
      git(folder, "init", "-q");
      put(folder, { "a/b/c.txt": "one\n", "d.txt": "two\n", ".gitignore": "dist/\n", "node_modules/kept.js": "x\n" });
      git(folder, "add", "-f", "node_modules/kept.js", "d.txt");
      const [quick, thorough] = [open("quick"), open("thorough", false)];
      await quick.take();
      expect(await quick.watched()).toBe(true);
      const roll = dice(seed);
      for (let round = 0; round < 25; round++) {
        for (let times = roll(4); times >= 0; times--) change(folder, roll);
        const [seen, all] = [await quick.take(), await thorough.take()];
        expect(seen.tree, `seed ${seed}, round ${round}`).toBe(all.tree);
        expect(seen.leftOut).toEqual(all.leftOut);
      }
      await quick.close();
    }
  });

  it("asks git nothing if nothing changed, and still sees what comes after", async () => {
    const { folder, open } = place();
    put(folder, { "a/b.txt": "one\n" });
    const snapshots = open("asked");
    await snapshots.take();
    expect(await snapshots.watched()).toBe(true);
    const first = await snapshots.take();
    const asked: string[] = [];
    const run = snapshots.git.run.bind(snapshots.git);
    snapshots.git.run = (args, options) => {
      asked.push(args.join(" "));
      return run(args, options);
    };
    expect(await snapshots.take()).toBe(first);
    expect(asked).toEqual([]);
    writeFileSync(join(folder, "a/b.txt"), "two\n");
    expect((await snapshots.take()).tree).not.toBe(first.tree);
    expect(asked[0]).toMatch(/^diff-files .* -- a\/b\.txt$/);
    // A thorough one trusts nobody.
    asked.length = 0;
    await snapshots.take({ thorough: true });
    expect(asked[0]).toMatch(/^diff-files .*--ignore-submodules=all$/);
    await snapshots.close();
  });

  it("works without watches in a folder with too many directories, or after another folder replaced it", async () => {
    const { root, folder, open } = place();
    put(folder, { "a/b/c/d.txt": "one\n", "e/f.txt": "two\n" });
    const few = open("few", { directories: 3 });
    const first = await few.take();
    expect(await few.watched()).toBe(false);
    writeFileSync(join(folder, "e/f.txt"), "three\n");
    expect((await few.take()).tree).not.toBe(first.tree);

    const moved = open("moved");
    await moved.take();
    expect(await moved.watched()).toBe(true);
    const before = await moved.take();
    renameSync(folder, join(root, "elsewhere"));
    mkdirSync(folder);
    writeFileSync(join(folder, "other.txt"), "another folder\n");
    const after = await moved.take();
    expect(after.tree).not.toBe(before.tree);
    expect(existsSync(join(folder, "a"))).toBe(false);
    await few.close();
    await moved.close();
  });
});
