// The hunks of `structuredPatch`: a line diff by longest common subsequence, three lines of context.
export interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

const CONTEXT = 3;
/**
 * Above this many cells, the middle is replaced as a whole. Quadratic time is acceptable for source files, not for
 * dumps.
 */
const MAX_CELLS = 4_000_000;

export const structuredPatch = (before: string, after: string): readonly Hunk[] => {
  const operations = diffLines(linesOf(before), linesOf(after));
  const changed = operations.flatMap(({ sign }, at) => (sign === " " ? [] : [at]));
  if (changed.length === 0) return [];
  const groups: (readonly [number, number])[] = [];
  let from = changed[0]!;
  let to = from;
  for (const at of changed.slice(1)) {
    if (at - to > 2 * CONTEXT) {
      groups.push([from, to]);
      from = at;
    }
    to = at;
  }
  groups.push([from, to]);
  return groups.map(([first, last]) => hunkOf(operations, first, last, after));
};

interface Operation {
  readonly sign: " " | "-" | "+";
  readonly line: string;
}

const hunkOf = (operations: readonly Operation[], first: number, last: number, after: string): Hunk => {
  const start = Math.max(0, first - CONTEXT);
  const end = Math.min(operations.length, last + CONTEXT + 1);
  const before = operations.slice(0, start);
  const inside = operations.slice(start, end);
  const oldLines = inside.filter(({ sign }) => sign !== "+").length;
  const newLines = inside.filter(({ sign }) => sign !== "-").length;
  const lines = inside.map(({ sign, line }) => `${sign}${line}`);
  const reachesEnd = end === operations.length && after !== "" && !after.endsWith("\n");
  return {
    oldStart: before.filter(({ sign }) => sign !== "+").length + 1,
    oldLines,
    newStart: before.filter(({ sign }) => sign !== "-").length + 1,
    newLines,
    lines: reachesEnd ? [...lines, "\\ No newline at end of file"] : lines,
  };
};

const linesOf = (text: string): readonly string[] => {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
};

const diffLines = (a: readonly string[], b: readonly string[]): readonly Operation[] => {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const same = (line: string): Operation => ({ sign: " ", line });
  return [
    ...a.slice(0, head).map(same),
    ...diffMiddle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...a.slice(a.length - tail).map(same),
  ];
};

const diffMiddle = (a: readonly string[], b: readonly string[]): readonly Operation[] => {
  const replaced = (): readonly Operation[] => [
    ...a.map((line): Operation => ({ sign: "-", line })),
    ...b.map((line): Operation => ({ sign: "+", line })),
  ];
  if (a.length === 0 || b.length === 0 || a.length * b.length > MAX_CELLS) return replaced();
  const width = b.length + 1;
  const table = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      table[i * width + j] =
        a[i] === b[j]
          ? table[(i + 1) * width + j + 1]! + 1
          : Math.max(table[(i + 1) * width + j]!, table[i * width + j + 1]!);
    }
  }
  const operations: Operation[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      operations.push({ sign: " ", line: a[i]! });
      i++;
      j++;
    } else if (j >= b.length || (i < a.length && table[(i + 1) * width + j]! >= table[i * width + j + 1]!)) {
      operations.push({ sign: "-", line: a[i++]! });
    } else {
      operations.push({ sign: "+", line: b[j++]! });
    }
  }
  return operations;
};
