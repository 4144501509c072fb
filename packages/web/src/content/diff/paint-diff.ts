// Colors of code in a diff. Each side is highlighted as a separate text, and painted onto the lines that show it.

import { useEffect, type RefObject } from "react";
import { highlight } from "../code/highlighter.ts";
import type { Grammar } from "../code/languages.ts";
import { paint, type PaintedNode } from "../code/paint.ts";
import type { DiffLine } from "./hunks.ts";

/** A line in the page. With two columns, the left shows the old side. */
export interface ShownLine {
  readonly line: DiffLine;
  readonly side: "old" | "new";
}

/** `shown` in page order, one entry per line. */
export const usePaintedDiff = (
  root: RefObject<HTMLElement | null>,
  shown: readonly (ShownLine | undefined)[],
  grammar: Grammar | undefined,
): void => {
  useEffect(() => {
    if (grammar === undefined || root.current === null) return undefined;
    const texts = [...root.current.querySelectorAll(".diff-line > span")];
    let gone = false;
    const undo: (() => void)[] = [];
    for (const side of ["old", "new"] as const) {
      const { code, nodes } = sideOf(side, shown, texts);
      highlight(code, grammar).then(
        (stretches) => {
          if (!gone) undo.push(paint(nodes, stretches));
        },
        // The diff stays plain.
        () => {},
      );
    }
    return () => {
      gone = true;
      for (const each of undo) each();
    };
  }, [root, shown, grammar]);
};

const sideOf = (side: "old" | "new", shown: readonly (ShownLine | undefined)[], texts: readonly Element[]) => {
  const nodes: PaintedNode[] = [];
  let code = "";
  for (const [index, entry] of shown.entries()) {
    if (entry === undefined || entry.side !== side) continue;
    let at = code.length;
    for (const node of textsIn(texts[index])) {
      nodes.push({ node, at });
      at += node.length;
    }
    code += `${entry.line.text}\n`;
  }
  return { code, nodes };
};

const textsIn = (element: Element | undefined): readonly Text[] => {
  if (element === undefined) return [];
  const found: Text[] = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) found.push(node as Text);
  return found;
};
