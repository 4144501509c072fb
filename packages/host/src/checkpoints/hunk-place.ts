// Where a hunk is in its two files, and the line that says so before each hunk of a unified diff:
// `@@ -oldStart,oldLines +newStart,newLines @@`.

export interface HunkPlace {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
}

const HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Undefined for any other line. A count that is left out is 1. */
export const hunkPlaceOf = (line: string): HunkPlace | undefined => {
  const found = HEADER.exec(line);
  if (found === null) return undefined;
  const [oldStart = 0, oldLines = 1, newStart = 0, newLines = 1] = found
    .slice(1)
    .map((digits) => (digits === undefined ? undefined : Number(digits)));
  return { oldStart, oldLines, newStart, newLines };
};
