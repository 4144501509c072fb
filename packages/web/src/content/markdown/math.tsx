// Formulas as the browser's own MathML: KaTeX parses the TeX, and its tree becomes elements. No markup from text, no
// stylesheet, no fonts. KaTeX is loaded for the first formula. Until then, and if it cannot parse a formula, the TeX is
// shown.

import { createElement, use, Suspense, type ReactNode } from "react";

interface MathNode {
  readonly type?: string;
  readonly text?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly children?: readonly MathNode[];
}
type RenderTree = (tex: string, options: object) => MathNode;

let loading: Promise<RenderTree> | undefined;
const katex = (): Promise<RenderTree> =>
  (loading ??= import("katex").then((module) => {
    // Undocumented, but the only access to KaTeX's tree: its other functions return markup in a string.
    const { ["__renderToDomTree"]: renderTree } = module.default as unknown as Record<string, RenderTree | undefined>;
    if (renderTree === undefined) throw new Error("This KaTeX has no tree.");
    return renderTree;
  }));

export interface FormulaProps {
  readonly tex: string;
  readonly display: boolean;
}

export const Formula = (props: FormulaProps) => (
  <Suspense fallback={<code className="math-source">{props.tex}</code>}>
    <Rendered {...props} />
  </Suspense>
);

const Rendered = ({ tex, display }: FormulaProps) => {
  const tree = treeOf(use(katex()), tex, display);
  if (tree === undefined) return <code className="math-source">{tex}</code>;
  return <span className={display ? "math math-display" : "math"}>{tree}</span>;
};

const treeOf = (render: RenderTree, tex: string, display: boolean): ReactNode => {
  try {
    const tree = render(tex, {
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
