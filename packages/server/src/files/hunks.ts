// Line differences in the form of `structuredPatch`, read from a git patch or found between two texts. Two texts that
// have little in common become one hunk: the shortest difference would cost more than it shows.

import { hunkPlaceOf } from "@quarterdeck/host";

export interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** Each line begins with a space, `+` or `-`. */
  readonly lines: string[];
}

const CONTEXT = 3;
/** With more edits than this, the shortest difference is not searched. */
const MOST_EDITS = 1000;

type Step = " " | "+" | "-";

/** The hunks that turn `before` into `after`. */
export const hunksBetween = (before: string, after: string): Hunk[] => {
  if (before === after) return [];
  const [old, now] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const middle = stepsBetween(old.slice(start, old.length - end), now.slice(start, now.length - end));
  const steps: Step[] = [...same(start), ...middle, ...same(end)];
  return group(steps, old, now);
};

const same = (count: number): Step[] => Array.from({ length: count }, () => " ");

/** A last line without a line end counts as a line. An empty rest after the last line end does not. */
const linesOf = (text: string): string[] => {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
};

/** Myers' greedy algorithm: the furthest reach on each diagonal for each number of edits, then back along the path. */
const stepsBetween = (old: readonly string[], now: readonly string[]): Step[] => {
  const most = Math.min(old.length + now.length, MOST_EDITS);
  const zero = most + 1;
  const reach = new Int32Array(2 * most + 3);
  /** For each number of edits, what was reached before, on the diagonals from -edits - 1 to edits + 1. */
  const trail: Int32Array[] = [];
  for (let edits = 0; edits <= most; edits++) {
    trail.push(reach.slice(zero - edits - 1, zero + edits + 2));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const [left, right] = [reach[zero + diagonal - 1]!, reach[zero + diagonal + 1]!];
      let x = goesDown(edits, diagonal, left, right) ? right : left + 1;
      while (x < old.length && x - diagonal < now.length && old[x] === now[x - diagonal]) x++;
      reach[zero + diagonal] = x;
      if (x >= old.length && x - diagonal >= now.length) return wayBack(trail, old.length, now.length);
    }
  }
  return [...old.map((): Step => "-"), ...now.map((): Step => "+")];
};

const goesDown = (edits: number, diagonal: number, left: number, right: number): boolean =>
  diagonal === -edits || (diagonal !== edits && left < right);

const wayBack = (trail: readonly Int32Array[], endX: number, endY: number): Step[] => {
  const steps: Step[] = [];
  let [x, y] = [endX, endY];
  for (let edits = trail.length - 1; edits >= 0; edits--) {
    const diagonal = x - y;
    const [left, right] = [trail[edits]![diagonal + edits]!, trail[edits]![diagonal + edits + 2]!];
    const isDown = goesDown(edits, diagonal, left, right);
    const fromX = isDown ? right : left;
    const fromY = fromX - (isDown ? diagonal + 1 : diagonal - 1);
    for (; x > fromX && y > fromY; x--, y--) steps.push(" ");
    if (edits > 0) steps.push(isDown ? "+" : "-");
    [x, y] = [fromX, fromY];
  }
  return steps.toReversed();
};

const group = (steps: readonly Step[], old: readonly string[], now: readonly string[]): Hunk[] => {
  const hunks: Hunk[] = [];
  let [oldAt, newAt] = [0, 0];
  let open: { oldStart: number; newStart: number; lines: string[]; quiet: number } | undefined;
  const close = (): void => {
    if (open === undefined) return;
    const lines = open.lines.slice(0, open.lines.length - Math.max(0, open.quiet - CONTEXT));
    const oldLines = lines.filter((line) => !line.startsWith("+")).length;
    const newLines = lines.filter((line) => !line.startsWith("-")).length;
    // Like diff: if a side has no lines, its start is the line before.
    const oldStart = oldLines === 0 ? open.oldStart : open.oldStart + 1;
    const newStart = newLines === 0 ? open.newStart : open.newStart + 1;
    hunks.push({ oldStart, oldLines, newStart, newLines, lines });
    open = undefined;
  };
  for (const step of steps) {
    if (step !== " " && open === undefined) {
      const back = Math.min(CONTEXT, oldAt);
      const context = old.slice(oldAt - back, oldAt).map((line) => ` ${line}`);
      open = { oldStart: oldAt - back, newStart: newAt - back, lines: context, quiet: 0 };
    }
    if (open !== undefined) {
      open.lines.push(step + (step === "+" ? now[newAt]! : old[oldAt]!));
      open.quiet = step === " " ? open.quiet + 1 : 0;
      if (open.quiet > 2 * CONTEXT) close();
    }
    if (step !== "+") oldAt++;
    if (step !== "-") newAt++;
  }
  close();
  return hunks;
};

/** For a patch of one file. */
export const hunksOfPatch = (patch: string, mostLines: number): { hunks: Hunk[]; truncated: boolean } => {
  const hunks: Hunk[] = [];
  /** Lines of the hunk that are still to come. The lines after them may look like anything. */
  let [oldLeft, newLeft] = [0, 0];
  let room = mostLines;
  for (const line of patch.split("\n")) {
    const header = oldLeft + newLeft === 0 ? hunkPlaceOf(line) : undefined;
    if (header !== undefined) {
      hunks.push({ ...header, lines: [] });
      [oldLeft, newLeft] = [header.oldLines, header.newLines];
    } else if (oldLeft + newLeft > 0 && /^[ +-]/.test(line)) {
      if (room-- <= 0) return { hunks, truncated: true };
      hunks.at(-1)!.lines.push(line);
      if (!line.startsWith("+")) oldLeft--;
      if (!line.startsWith("-")) newLeft--;
    }
  }
  return { hunks, truncated: false };
};

/** The first lines. The last hunk may have fewer lines than its counts say, and so tells where it ends. */
export const firstLines = <D extends { readonly hunks: readonly Hunk[]; readonly truncated: boolean }>(
  diff: D,
  mostLines: number,
): D => {
  const hunks: Hunk[] = [];
  let room = mostLines;
  for (const hunk of diff.hunks) {
    if (room <= 0) return { ...diff, hunks, truncated: true };
    hunks.push({ ...hunk, lines: hunk.lines.slice(0, room) });
    room -= hunk.lines.length;
  }
  return { ...diff, hunks, truncated: diff.truncated || room < 0 };
};
