// Patches of one file as bytes, cut into hunks. A hunk has an id that is a hash of it, so that a client can name what it saw. Text is
// held as latin1, one character for each byte: a file in another encoding is staged as it is.

import { createHash } from "node:crypto";
import { hunkPlaceOf } from "@quarterdeck/host";

export interface StageableHunk {
  readonly id: string;
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** Each begins with a space, `+`, `-` or `\`. */
  readonly lines: readonly string[];
}

export interface FilePatch {
  readonly kind: "diff" | "new-file" | "deleted" | "binary" | "none";
  /** Lines before the first hunk. */
  readonly header: readonly string[];
  readonly hunks: readonly StageableHunk[];
}

/** Fixed, whatever the repository's settings say. */
export const PATCH_OPTIONS = [
  ...["--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "--no-renames", "--full-index"],
  ...["-U3", "--inter-hunk-context=0", "--src-prefix=a/", "--dst-prefix=b/", "--patch", "--no-relative"],
] as const;

export const readPatch = (bytes: Buffer): FilePatch => {
  const lines = bytes.toString("latin1").split("\n");
  if (lines.at(-1) === "") lines.pop();
  const header: string[] = [];
  const hunks: (Omit<StageableHunk, "id" | "lines"> & { lines: string[] })[] = [];
  let [oldLeft, newLeft] = [0, 0];
  for (const line of lines) {
    const last = hunks.at(-1);
    const found = oldLeft + newLeft === 0 ? hunkPlaceOf(line) : undefined;
    if (found !== undefined) {
      hunks.push({ ...found, lines: [] });
      [oldLeft, newLeft] = [found.oldLines, found.newLines];
    } else if (last === undefined) header.push(line);
    else if (line.startsWith("\\")) last.lines.push(line);
    else if (oldLeft + newLeft > 0) {
      last.lines.push(line);
      if (!line.startsWith("+")) oldLeft--;
      if (!line.startsWith("-")) newLeft--;
    }
  }
  return { kind: kindOf(header), header, hunks: hunks.map((hunk) => ({ ...hunk, id: idOf(hunk) })) };
};

const kindOf = (header: readonly string[]): FilePatch["kind"] => {
  if (header.length === 0) return "none";
  if (header.some((line) => line.startsWith("Binary files ") || line === "GIT binary patch")) return "binary";
  if (header.some((line) => line.startsWith("deleted file mode"))) return "deleted";
  return header.some((line) => line.startsWith("new file mode")) ? "new-file" : "diff";
};

const idOf = ({ oldStart, oldLines, newStart, newLines, lines }: Omit<StageableHunk, "id">): string =>
  createHash("sha256")
    .update([oldStart, oldLines, newStart, newLines, ...lines].join("\n"), "latin1")
    .digest("hex")
    .slice(0, 32);

/** The patch with some of its hunks. Their places are counted again, on the side that stays as it is. */
export const patchWith = ({ header }: FilePatch, hunks: readonly StageableHunk[], isReverse: boolean): Buffer => {
  let shift = 0;
  const parts = hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => {
    // Where nothing is on a side, the place is the line before it.
    const from = isReverse ? newStart + (newLines === 0 ? 1 : 0) : oldStart + (oldLines === 0 ? 1 : 0);
    const to = from + shift;
    const [oldAt, newAt] = isReverse ? [to, from] : [from, to];
    shift += isReverse ? oldLines - newLines : newLines - oldLines;
    const side = (at: number, count: number): string => `${count === 0 ? at - 1 : at},${count}`;
    return [`@@ -${side(oldAt, oldLines)} +${side(newAt, newLines)} @@`, ...lines].join("\n");
  });
  return Buffer.from(`${[...header, ...parts].join("\n")}\n`, "latin1");
};

/** For a person. */
export const shownLines = (lines: readonly string[]): string[] =>
  lines.filter((line) => !line.startsWith("\\")).map((line) => Buffer.from(line, "latin1").toString());
