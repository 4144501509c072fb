import fc from "fast-check";
import { join } from "node:path";
import { scratchFolder } from "@quarterdeck/test-kit/scratch-folder";
import { describe, expect, it } from "vitest";
import { PrivateGit } from "./private-git.ts";
import { FolderSnapshots } from "./folder-snapshots.ts";
import { rawHunks, withoutHunk } from "./raw-patch.ts";
import { filePatch, writeBlob } from "./tree-diff.ts";

const store = async (): Promise<PrivateGit> => {
  const root = scratchFolder();
  const snapshots = new FolderSnapshots({
    directory: join(root, "data", "git"),
    folder: root,
    own: join(root, "data"),
    path: process.env["PATH"],
  });
  await snapshots.take();
  return snapshots.git;
};

const line = fc.constantFrom(
  "a",
  "b",
  "c",
  "",
  "\\ No newline at end of file",
  "@@ -1 +1 @@",
  "+x",
  "-y",
  "ü\xff",
  "d\r",
);
const text = fc
  .tuple(fc.array(line, { maxLength: 30 }), fc.boolean())
  .map(([lines, ends]) => lines.join("\n") + (ends && lines.length > 0 ? "\n" : ""));

describe("a hunk", () => {
  it("[C9] is reverted byte by byte: all of them together give the text that was there", async () => {
    const git = await store();
    await fc.assert(
      fc.asyncProperty(text, text, async (before, after) => {
        const [old, now] = [
          await writeBlob(git, Buffer.from(before, "latin1")),
          await writeBlob(git, Buffer.from(after, "latin1")),
        ];
        const { hunks } = rawHunks(await filePatch(git, old, now));
        let reverted: string | undefined = after;
        for (const hunk of hunks.toReversed()) reverted = reverted && withoutHunk(reverted, hunk);
        expect(after === "" ? before : reverted).toBe(before);
      }),
      { numRuns: 25, seed: 7 },
    );
  });

  it("[C9] is found where its lines are now, and refused where they are gone", () => {
    const hunk = { oldStart: 2, oldLines: 3, newStart: 2, newLines: 3, lines: [" b\n", "-c\n", "+C\n", " d\n"] };
    expect(withoutHunk("a\nb\nC\nd\n", hunk)).toBe("a\nb\nc\nd\n");
    expect(withoutHunk("new\nnew\na\nb\nC\nd\nmore", hunk)).toBe("new\nnew\na\nb\nc\nd\nmore");
    expect(withoutHunk("b\nC\nd\nx\nb\nC\nd\n", { ...hunk, newStart: 5 })).toBe("b\nC\nd\nx\nb\nc\nd\n");
    expect(withoutHunk("a\nb\nX\nd\n", hunk)).toBeUndefined();
    expect(withoutHunk("a\nb\nC\nd", hunk)).toBeUndefined();
  });
});
