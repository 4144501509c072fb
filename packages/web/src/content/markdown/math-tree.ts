// Turns TeX into MathML elements. KaTeX parses the TeX, and its tree becomes elements: no markup from text.

import katex from "katex";
import { createElement, type ReactNode } from "react";

interface MathNode {
  readonly type?: string;
  readonly text?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly children?: readonly MathNode[];
}
type RenderTree = (tex: string, options: object) => MathNode;

// Undocumented, but the only access to KaTeX's tree: its other functions return markup in a string.
const { ["__renderToDomTree"]: renderTree } = katex as unknown as Record<string, RenderTree | undefined>;

/** Undefined if it is not valid TeX for KaTeX. */
export const mathOf = (tex: string, display: boolean): ReactNode => {
  if (renderTree === undefined) throw new Error("This KaTeX has no tree.");
  try {
    const tree = renderTree(tex, {
      output: "mathml",
      displayMode: display,
      throwOnError: true,
      trust: false,
      // Otherwise it only warns on the console about unsupported input.
      strict: "ignore",
      maxExpand: 200,
    });
    const math = find(tree, "math");
    return math === undefined ? undefined : elementOf(math, 0);
  } catch {
    // Not valid TeX for KaTeX.
    return undefined;
  }
};

const find = (node: MathNode, type: string): MathNode | undefined => {
  if (node.type === type) return node;
  for (const child of node.children ?? []) {
    const found = find(child, type);
    if (found !== undefined) return found;
  }
  return undefined;
};

const ELEMENTS: ReadonlySet<string> = new Set(
  "math semantics mrow mi mn mo ms mtext mspace mfrac msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd mstyle mpadded mphantom menclose mmultiscripts merror".split(
    " ",
  ),
);
const ATTRIBUTES: ReadonlySet<string> = new Set(
  "display displaystyle scriptlevel mathvariant stretchy fence separator form lspace rspace minsize maxsize movablelimits accent accentunder linethickness width height depth voffset columnalign columnspacing rowspacing mathcolor mathbackground largeop symmetric notation".split(
    " ",
  ),
);

const elementOf = (node: MathNode, key: number): ReactNode => {
  if (node.text !== undefined) return node.text;
  const children = (node.children ?? []).map(elementOf);
  // The annotation is the TeX itself, for copying. It is not shown.
  if (node.type === undefined || !ELEMENTS.has(node.type)) return node.type === "annotation" ? null : children;
  const attributes = Object.fromEntries(Object.entries(node.attributes ?? {}).filter(([name]) => ATTRIBUTES.has(name)));
  return createElement(node.type, { key, ...attributes }, ...children);
};
