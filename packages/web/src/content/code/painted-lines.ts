// Colors for lines that are drawn in parts. The whole text is read once, in the worker; each part paints its own stretch of it. A text
// that is too long is read part by part: what began above a part is then not known in it.

import { highlight } from "./highlight.ts";
import type { Stretches } from "./highlighter.ts";
import type { Grammar } from "./languages.ts";
import { paintCode, type PaintedNode } from "./paint.ts";

const LONGEST = 110_000;

/** Lines of one text, each at its place. */
export class CodeLines {
  readonly code: string;
  /** Where each line begins. */
  readonly starts: Uint32Array;

  constructor(lines: readonly string[]) {
    this.starts = new Uint32Array(lines.length);
    let at = 0;
    for (const [index, line] of lines.entries()) {
      this.starts[index] = at;
      at += line.length + 1;
    }
    this.code = lines.join("\n");
  }
}

/** A drawn line: which of the text it is. */
export interface DrawnLine {
  readonly text: CodeLines;
  readonly line: number;
}

/** Paints lines until the returned function is called. `drawn` in the order of the elements. */
export const paintLines = (
  elements: readonly Element[],
  drawn: readonly (DrawnLine | undefined)[],
  grammar: Grammar,
): (() => void) => {
  const texts = new Map<CodeLines, PaintedNode[]>();
  for (const [index, entry] of drawn.entries()) {
    const element = elements[index];
    if (entry === undefined || element === undefined) continue;
    const nodes = texts.get(entry.text) ?? [];
    texts.set(entry.text, nodes);
    let at = entry.text.starts[entry.line]!;
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      nodes.push({ node: node as Text, at });
      at += (node as Text).length;
    }
  }
  let gone = false;
  const undo: (() => void)[] = [];
  for (const [text, nodes] of texts) {
    const ordered = nodes.toSorted((a, b) => a.at - b.at);
    const last = ordered.at(-1);
    const [from, to] = [ordered[0]?.at ?? 0, last === undefined ? 0 : last.at + last.node.length];
    const isShort = text.code.length <= LONGEST;
    const begin = isShort ? 0 : from;
    highlight(isShort ? text.code : text.code.slice(from, to), grammar).then(
      (stretches) => {
        if (!gone) undo.push(paintCode(ordered, within(stretches, from - begin, to - begin, begin)));
      },
      // The lines stay plain.
      () => {},
    );
  }
  return () => {
    gone = true;
    for (const each of undo) each();
  };
};

/** The stretches from one place to another, moved by the place where their text began. */
export const within = (stretches: Stretches, from: number, to: number, moved: number): Stretches => {
  let low = 0;
  let high = stretches.length / 3;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (stretches[middle * 3 + 1]! <= from) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (end * 3 < stretches.length && stretches[end * 3]! < to) end++;
  const found = stretches.slice(low * 3, end * 3);
  if (moved > 0)
    for (let at = 0; at < found.length; at += 3) {
      found[at]! += moved;
      found[at + 1]! += moved;
    }
  return found;
};
