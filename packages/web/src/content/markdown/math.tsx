// Formulas as the browser's own MathML: no markup from text, no stylesheet, no fonts. KaTeX is loaded for the first
// formula. Until then, and if it cannot parse a formula, the TeX is shown.

import { use, Suspense } from "react";

type MathTree = typeof import("./math-tree.ts");

let loading: Promise<MathTree> | undefined;
const mathTree = (): Promise<MathTree> => (loading ??= import("./math-tree.ts"));

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
  const tree = use(mathTree()).mathOf(tex, display);
  if (tree === undefined) return <code className="math-source">{tex}</code>;
  return <span className={display ? "math math-display" : "math"}>{tree}</span>;
};
