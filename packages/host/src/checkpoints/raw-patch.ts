// A patch of one file as exact bytes, and the way back over one of its hunks. Texts are latin1: a character is a byte.

import { hunkPlaceOf } from "./hunk-place.ts";
import type { HunkPlace } from "./hunk-place.ts";

export interface RawHunk extends HunkPlace {
  /** With the sign, and with the line end unless the file ends without one. */
  readonly lines: readonly string[];
}

export const isBinaryPatch = (patch: string): boolean => /^Binary files .* differ$/m.test(patch.slice(0, 20_000));

export const rawHunks = (
  patch: string,
  mostLines = Infinity,
): { readonly hunks: readonly RawHunk[]; readonly truncated: boolean } => {
  const hunks: (Omit<RawHunk, "lines"> & { lines: string[] })[] = [];
  let [oldLeft, newLeft, room] = [0, 0, mostLines];
  for (let at = 0; at < patch.length;) {
    const end = patch.indexOf("\n", at);
    const line = patch.slice(at, end === -1 ? patch.length : end + 1);
    at += line.length;
    const header = oldLeft + newLeft === 0 ? hunkPlaceOf(line) : undefined;
    const open = hunks.at(-1);
    if (header !== undefined) {
      if (room <= 0) return { hunks, truncated: true };
      hunks.push({ ...header, lines: [] });
      [oldLeft, newLeft] = [header.oldLines, header.newLines];
    } else if (oldLeft + newLeft > 0 && /^[ +-]/.test(line)) {
      if (room-- <= 0) return { hunks, truncated: true };
      open!.lines.push(line);
      if (!line.startsWith("+")) oldLeft--;
      if (!line.startsWith("-")) newLeft--;
    } else if (line.startsWith("\\") && open !== undefined) {
      // The line before it ends the file without a line end.
      open.lines.push(open.lines.pop()!.replace(/\n$/, ""));
    }
  }
  return { hunks, truncated: false };
};

const linesIn = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/**
 * The text without what the hunk did. The hunk is looked for where it was, then further and further away, because the file may have
 * changed elsewhere since. Nothing if its lines are no longer there.
 */
export const withoutHunk = (text: string, hunk: RawHunk): string | undefined => {
  const lines = linesIn(text);
  const written = hunk.lines.filter((line) => !line.startsWith("-")).map((line) => line.slice(1));
  const earlier = hunk.lines.filter((line) => !line.startsWith("+")).map((line) => line.slice(1));
  const expected = hunk.newLines === 0 ? hunk.newStart : hunk.newStart - 1;
  const at = placeIn(lines, written, expected);
  return at === undefined
    ? undefined
    : [...lines.slice(0, at), ...earlier, ...lines.slice(at + written.length)].join("");
};

/** The place of these lines that is nearest to the expected one. */
const placeIn = (lines: readonly string[], wanted: readonly string[], expected: number): number | undefined => {
  const fits = (at: number): boolean =>
    at >= 0 && at + wanted.length <= lines.length && wanted.every((line, index) => lines[at + index] === line);
  // Without a line to compare, only the exact place is safe.
  if (wanted.length === 0) return expected <= lines.length ? expected : undefined;
  for (let off = 0; off <= lines.length; off++) {
    if (fits(expected - off)) return expected - off;
    if (fits(expected + off)) return expected + off;
  }
  return undefined;
};

/** As a client gets it. */
export const decodedHunk = ({ lines, ...place }: RawHunk) => ({
  ...place,
  lines: lines.map((line) => Buffer.from(line.replace(/\n$/, ""), "latin1").toString("utf8")),
});
