import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "@quarterdeck/test-kit/scratch-folder";
import { describe, expect, it } from "vitest";
import { contentsOf, git, put } from "./checkpoints.fixture.ts";
import { FolderSnapshots } from "./folder-snapshots.ts";
import type { SnapshotLimits } from "./folder-snapshots.ts";
import { restoreFiles } from "./restore-files.ts";
import type { RestoredEntry } from "./journal.ts";
import { changesBetween, EMPTY_TREE, entriesAt, readBlobs } from "./tree-diff.ts";

const place = (limits: Partial<SnapshotLimits> = {}, path = process.env["PATH"]) => {
  const root = scratchFolder();
  const [folder, data] = [join(root, "work"), join(root, "data")];
  for (const each of [folder, data]) mkdirSync(each);
  const directory = join(data, "snapshots", "git");
  const snapshots = new FolderSnapshots({ directory, folder, own: data, path, limits });
  /** Restores the whole folder, as a rewind would. */
  const restore = async (tree: string) => {
    const now = await snapshots.take();
    const changes = await changesBetween(snapshots.git, now.tree, tree, { renames: false, namesOnly: true });
    const entries: RestoredEntry[] = changes.map(({ path: name, before, after }) => ({
      path: name,
      ...(before !== undefined && { from: before }),
      ...(after !== undefined && { to: after }),
    }));
    return restoreFiles(folder, entries, (oids) => readBlobs(snapshots.git, oids));
  };
  const pathsIn = async (tree: string): Promise<string[]> =>
    (await changesBetween(snapshots.git, EMPTY_TREE, tree, { namesOnly: true })).map(({ path: name }) => name);
  return { root, folder, data, snapshots, restore, pathsIn };
};

describe("a snapshot", () => {
  it("[C2] runs nothing of the folder, keeps bytes as they are, and leaves the user's repository alone (S69)", async () => {
    const { root, folder, snapshots, restore } = place();
    const canary = join(root, "canary");
    git(folder, "init", "-q");
    put(folder, {
      ".gitattributes":
        "* text=auto eol=crlf ident\n*.evil filter=evil diff=evil\n*.utf working-tree-encoding=UTF-16\n",
      "crlf.txt": "a\r\nb\n$Id$\r\n",
      "x.evil": "evil\n",
      "y.utf": "plain\n",
    });
    for (const [key, value] of [
      ["core.fsmonitor", `touch ${canary}; false`],
      ["filter.evil.clean", `touch ${canary}; cat`],
      ["filter.evil.smudge", `touch ${canary}; cat`],
      ["filter.evil.required", "true"],
      ["diff.evil.command", `touch ${canary}`],
      ["core.autocrlf", "true"],
      ["core.hooksPath", folder],
    ] as const)
      git(folder, "config", key, value);
    put(folder, { "post-index-change": `#!/bin/sh\ntouch ${canary}\n` });
    chmodSync(join(folder, "post-index-change"), 0o755);
    git(folder, "-c", "filter.evil.clean=cat", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=", "add", "x.evil");
    rmSync(canary, { force: true });
    const before = contentsOf(folder);
    const own = execFileSync("find", [join(folder, ".git"), "-type", "f", "-printf", "%p %T@ %s\n"]).toString();
    const { tree } = await snapshots.take();
    for (const name of Object.keys(before)) writeFileSync(join(folder, name), "changed\n");
    expect((await restore(tree)).left).toEqual([]);
    expect(contentsOf(folder)).toEqual(before);
    expect(statSync(join(folder, "post-index-change")).mode & 0o111).not.toBe(0);
    expect(existsSync(canary)).toBe(false);
    expect(execFileSync("find", [join(folder, ".git"), "-type", "f", "-printf", "%p %T@ %s\n"]).toString()).toBe(own);
  });

  it("[C3] leaves out what is ignored, large, unreadable, special or another repository, and says so", async () => {
    const { folder, data, snapshots, pathsIn } = place({ fileBytes: 1000 });
    git(folder, "init", "-q");
    put(folder, {
      ".gitignore": "*.log\ndist/\n",
      "a.txt": "a\n",
      "b.log": "b\n",
      "dist/kept.js": "tracked\n",
      "node_modules/x/index.js": "x\n",
      "node_modules/y/kept.js": "y\n",
      "large.bin": "x".repeat(2000),
      "inner/file.txt": "inner\n",
      'sub dir/ü \\ "q" \n.txt': "odd\n",
    });
    git(folder, "add", "-f", "dist/kept.js", "node_modules/y/kept.js", "a.txt");
    git(join(folder, "inner"), "init", "-q");
    git(join(folder, "inner"), "add", ".");
    git(join(folder, "inner"), "commit", "-q", "-m", "x");
    execFileSync("mkfifo", [join(folder, "pipe")]);
    symlinkSync("/etc/passwd", join(folder, "link"));
    const { tree, leftOut } = await snapshots.take();
    expect(await pathsIn(tree)).toEqual([
      ".gitignore",
      "a.txt",
      "dist/kept.js",
      "link",
      "node_modules/y/kept.js",
      'sub dir/ü \\ "q" \n.txt',
    ]);
    expect(leftOut).toMatchObject({ large: ["large.bin"], repositories: ["inner"] });
    expect(await snapshots.ignored()).toEqual(["b.log", "node_modules/x/"]);
    const link = (await entriesAt(snapshots.git, tree, ["link"])).get("link")!;
    expect((await readBlobs(snapshots.git, [link.oid])).get(link.oid)!.toString()).toBe("/etc/passwd");
    // A file that grows too large stays as it was recorded, and is named.
    put(folder, { "a.txt": "y".repeat(2000) });
    const later = await snapshots.take();
    expect(later.tree).toBe(tree);
    expect(later.leftOut.large.toSorted()).toEqual(["a.txt", "large.bin"]);
    expect(existsSync(data)).toBe(true);
  });

  it("[C3] finds every kind of change, also right after another, and an unchanged folder is the same tree", async () => {
    const { folder, snapshots, pathsIn } = place();
    put(folder, { a: "1\n", "d/x": "x\n", "e/y": "y\n" });
    const first = await snapshots.take();
    expect((await snapshots.take()).tree).toBe(first.tree);
    // The same size in the same instant.
    put(folder, { a: "2\n" });
    const second = await snapshots.take();
    expect(second.tree).not.toBe(first.tree);
    put(folder, { a: "1\n" });
    expect((await snapshots.take()).tree).toBe(first.tree);
    // A folder becomes a file, a file becomes a folder, a folder becomes a link.
    rmSync(join(folder, "d"), { recursive: true });
    put(folder, { d: "file\n" });
    rmSync(join(folder, "a"));
    put(folder, { "a/b": "inside\n" });
    rmSync(join(folder, "e"), { recursive: true });
    symlinkSync("a", join(folder, "e"));
    expect(await pathsIn((await snapshots.take()).tree)).toEqual(["a/b", "d", "e"]);
  });

  it("[C7] says what is wrong: no git, no folder, a folder that is too large", async () => {
    const problem = (promise: Promise<unknown>): Promise<unknown> =>
      promise.then(
        () => "none",
        (error: unknown) => (error as { problem?: unknown }).problem,
      );
    expect(await problem(place({}, "/nonexistent").snapshots.take())).toBe("no-git");
    const gone = place();
    await gone.snapshots.take();
    renameSync(gone.folder, `${gone.folder}-moved`);
    expect(await problem(gone.snapshots.take())).toBe("no-folder");
    // A link to another folder is not the folder.
    symlinkSync(`${gone.folder}-moved`, gone.folder);
    expect(await problem(gone.snapshots.take())).toBe("no-folder");
    rmSync(gone.folder);
    renameSync(`${gone.folder}-moved`, gone.folder);
    expect(await problem(gone.snapshots.take())).toBe("none");
    const large = place({ files: 2 });
    put(large.folder, { a: "", b: "", c: "" });
    expect(await problem(large.snapshots.take())).toBe("too-large");
    const heavy = place({ totalBytes: 10 });
    put(heavy.folder, { a: "x".repeat(11) });
    expect(await problem(heavy.snapshots.take())).toBe("too-large");
  });
});

describe("restoring", () => {
  it("[C6] brings back folders, links and modes, and never follows a link out of the folder (S70)", async () => {
    const { root, folder, snapshots, restore } = place();
    put(folder, { "d/x": "x\n", "e/y": "y\n", run: "#!/bin/sh\n", plain: "p\n" });
    chmodSync(join(folder, "run"), 0o755);
    symlinkSync("d/x", join(folder, "link"));
    const { tree } = await snapshots.take();
    const outside = join(root, "outside");
    put(outside, { x: "theirs\n" });
    // A folder becomes a link that leads out; others change their kind.
    rmSync(join(folder, "d"), { recursive: true });
    symlinkSync(outside, join(folder, "d"));
    rmSync(join(folder, "link"));
    put(folder, { link: "a file now\n" });
    rmSync(join(folder, "e"), { recursive: true });
    put(folder, { e: "a file now\n" });
    chmodSync(join(folder, "run"), 0o644);
    rmSync(join(folder, "plain"));
    put(folder, { "plain/inner": "a folder now\n" });
    expect((await restore(tree)).left).toEqual([]);
    expect(contentsOf(folder)).toEqual({ "d/x": "x\n", "e/y": "y\n", run: "#!/bin/sh\n", plain: "p\n" });
    expect(readlinkSync(join(folder, "link"))).toBe("d/x");
    expect(statSync(join(folder, "run")).mode & 0o111).toBe(0o111);
    expect(contentsOf(outside)).toEqual({ x: "theirs\n" });
  });

  it("[C6] leaves alone what is in the way, and restores the rest (S70)", async () => {
    const { root, folder, snapshots } = place();
    put(folder, { "d/x": "x\n", pipe: "was a file\n", swapped: "s\n", changed: "c\n", fine: "1\n" });
    const { tree } = await snapshots.take();
    const entries = await entriesAt(snapshots.git, tree, ["pipe", "swapped", "changed", "fine"]);
    const x = (await entriesAt(snapshots.git, tree, ["d/x"])).get("d/x")!;
    put(folder, { fine: "2\n" });
    const now = (await entriesAt(snapshots.git, (await snapshots.take()).tree, ["fine"])).get("fine")!;
    for (const name of ["pipe", "swapped"]) rmSync(join(folder, name));
    execFileSync("mkfifo", [join(folder, "pipe")]);
    put(root, { elsewhere: "s\n" });
    symlinkSync(join(root, "elsewhere"), join(folder, "swapped"));
    put(folder, { changed: "by a person\n" });
    // As if the folder had been swapped for a link after the snapshot.
    rmSync(join(folder, "d"), { recursive: true });
    mkdirSync(join(root, "out"));
    symlinkSync(join(root, "out"), join(folder, "d"));
    const wanted: RestoredEntry[] = [
      { path: "d/x", to: x },
      { path: "../elsewhere", to: x },
      { path: ".git/config", to: x },
      ...["pipe", "swapped", "changed"].map((path) => ({ path, from: entries.get(path)!, to: x })),
      { path: "fine", from: now, to: entries.get("fine")! },
    ];
    const { done, left } = await restoreFiles(folder, wanted, (oids) => readBlobs(snapshots.git, oids));
    expect(done.map(({ path }) => path)).toEqual(["fine"]);
    expect(left.map(({ path }) => path)).toEqual(["d/x", "../elsewhere", ".git/config", "pipe", "swapped", "changed"]);
    expect(contentsOf(join(root, "out"))).toEqual({});
    expect(readFileSync(join(root, "elsewhere"), "utf8")).toBe("s\n");
    expect(lstatSync(join(folder, "pipe")).isFIFO()).toBe(true);
    expect(contentsOf(folder)).toEqual({ changed: "by a person\n", fine: "1\n" });
  });
});
