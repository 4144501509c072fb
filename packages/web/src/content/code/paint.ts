// Colors text without an element for each word: the browser paints ranges (CSS custom highlights). Code of any length
// stays a few text nodes, and nothing moves when the colors come. If a browser lacks this, code stays plain.

import type { Stretches } from "./highlighter.ts";
import { TOKEN_CLASSES } from "./token-classes.ts";

/** A text node that shows the code from this offset. */
export interface PaintedNode {
  readonly node: Text;
  readonly at: number;
}

const canPaint = typeof CSS !== "undefined" && "highlights" in CSS;

const highlightOf = (name: string): Highlight => {
  let found = CSS.highlights.get(name);
  if (found === undefined) {
    found = new Highlight();
    CSS.highlights.set(name, found);
  }
  return found;
};

/** Paints until the returned function is called. `nodes` must be in the order of the code. */
export const paintCode = (nodes: readonly PaintedNode[], stretches: Stretches): (() => void) => {
  if (!canPaint || stretches.length === 0) return () => {};
  const painted: [Highlight, AbstractRange][] = [];
  let at = 0;
  for (let triple = 0; triple < stretches.length; triple += 3) {
    const [from, to, kind] = [stretches[triple]!, stretches[triple + 1]!, stretches[triple + 2]!];
    while (at < nodes.length && nodes[at]!.at + nodes[at]!.node.length <= from) at++;
    for (let next = at; next < nodes.length && nodes[next]!.at < to; next++) {
      const { node, at: begins } = nodes[next]!;
      const start = Math.max(0, from - begins);
      const end = Math.min(node.length, to - begins);
      if (start >= end) continue;
      const highlight = highlightOf(`code-${TOKEN_CLASSES[kind]!}`);
      const range = new StaticRange({ startContainer: node, startOffset: start, endContainer: node, endOffset: end });
      highlight.add(range);
      painted.push([highlight, range]);
    }
  }
  return () => {
    for (const [highlight, range] of painted) highlight.delete(range);
  };
};

/** Sets the ranges of one named highlight. Replaces earlier ranges. */
export const mark = (name: string, ranges: readonly AbstractRange[]): void => {
  if (!canPaint) return;
  const highlight = highlightOf(name);
  highlight.clear();
  for (const range of ranges) highlight.add(range);
  highlight.priority = 1;
};
