// What a diagram may contain: shapes, text and colors. Everything that is not on a list is removed. What is left cannot
// run, load, link or animate anything, in the page or in the picture, with or without the page's policy.

export const SVG = "http://www.w3.org/2000/svg";
const HTML = "http://www.w3.org/1999/xhtml";

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Shapes and text. No `use`: nested, it draws without end. No `foreignObject`: it contains HTML. */
const SHAPES = words(
  "svg g defs symbol marker path rect circle ellipse line polyline polygon text tspan textPath title desc " +
    "linearGradient radialGradient stop clipPath mask pattern filter feBlend feColorMatrix feComponentTransfer feComposite " +
    "feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feMerge feMergeNode feMorphology feOffset feTile",
);
/** Elements with which Mermaid measures text. They are not part of the picture. */
const MEASURES = words("body div span p br b i em strong code sub sup small canvas");

const ATTRIBUTES = words(
  "alignment-baseline amplitude aria-describedby aria-hidden aria-label aria-labelledby aria-roledescription baseline-shift " +
    "class clip-path clip-rule clipPathUnits clippathunits color color-interpolation-filters cx cy d dir direction display " +
    "dominant-baseline dx dy exponent fill fill-opacity fill-rule filter filterUnits filterunits flood-color flood-opacity " +
    "font-family font-size font-style font-weight fr fx fy gradientTransform gradienttransform gradientUnits gradientunits " +
    "height id in in2 intercept k1 k2 k3 k4 lang lengthAdjust lengthadjust letter-spacing marker-end marker-mid marker-start " +
    "markerHeight markerheight markerUnits markerunits markerWidth markerwidth mask maskContentUnits maskcontentunits maskUnits " +
    "maskunits method mode name offset opacity operator orient overflow paint-order pathLength pathlength patternContentUnits " +
    "patterncontentunits patternTransform patterntransform patternUnits patternunits points preserveAspectRatio " +
    "preserveaspectratio primitiveUnits primitiveunits r radius refX refx refY refy result role rotate rx ry shape-rendering " +
    "slope spacing spreadMethod spreadmethod startOffset startoffset stdDeviation stddeviation stop-color stop-opacity stroke " +
    "stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity stroke-width tableValues " +
    "tablevalues text-anchor text-decoration text-rendering textLength textlength title transform transform-origin type " +
    "unicode-bidi values vector-effect version viewBox viewbox visibility width word-spacing writing-mode x x1 x2 xml:space " +
    "xmlns xmlns:xlink y y1 y2",
);

export const isAllowedElement = (namespace: string | null, name: string): boolean =>
  namespace === SVG ? SHAPES.has(name) : (namespace === HTML || namespace === null) && MEASURES.has(name.toLowerCase());

/** For `style` see `cleanStyle`. */
export const isAllowedAttribute = (name: string, value: string): boolean => {
  if (name === "href" || name === "xlink:href") return /^#[\w:.-]*$/u.test(value);
  return (ATTRIBUTES.has(name) || /^data-[\w-]+$/u.test(name)) && isLocal(value);
};

/** Whether a value of CSS or of an attribute refers to nothing outside the drawing. */
export const isLocal = (value: string): boolean => {
  const inside = value.replaceAll(/url\(\s*(["']?)#[^"'()\s\\]*\1\s*\)/giu, "");
  if (!/url|image|src|element|paint|import|expression|binding|behavior|script|\\/iu.test(inside)) return true;
  return !/\\|(?:url|image-set|image|src|element|paint|expression|cross-fade)\s*\(|@import|-moz-binding|behavior\s*:|script\s*:/iu.test(
    inside,
  );
};

/** Removes non-local values from a style, and keeps the rest. */
export const cleanStyle = (style: CSSStyleDeclaration): void => {
  for (const name of [...style]) if (!isLocal(style.getPropertyValue(name))) style.removeProperty(name);
  // A shorthand with `var()` has no single values to check.
  if (!isLocal(style.cssText)) style.cssText = "";
};

/** A sheet that has style rules, `@media` and `@keyframes`. Made by `replaceSync`, which ignores `@import`. */
export const cleanSheet = (text: string): CSSStyleSheet => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  cleanRules(sheet);
  return sheet;
};
export const textOfSheet = (sheet: CSSStyleSheet): string => [...sheet.cssRules].map((rule) => rule.cssText).join("\n");

const cleanRules = (group: CSSStyleSheet | CSSGroupingRule | CSSKeyframesRule | CSSStyleRule): void => {
  for (let at = group.cssRules.length - 1; at >= 0; at--) {
    const rule = group.cssRules[at];
    if (rule instanceof CSSKeyframeRule) cleanStyle(rule.style);
    else if (rule instanceof CSSStyleRule) {
      cleanStyle(rule.style);
      cleanRules(rule);
    } else if (rule instanceof CSSMediaRule || rule instanceof CSSKeyframesRule) cleanRules(rule);
    else if (group instanceof CSSKeyframesRule) group.deleteRule((rule as CSSKeyframeRule).keyText);
    else group.deleteRule(at);
  }
};

/** Removes what is not on the lists. A link keeps its content. For the root itself, only attributes are removed. */
export const cleanTree = (root: Element | DocumentFragment): void => {
  for (const child of [...root.children]) {
    if (child.localName === "a") {
      const kept = root.ownerDocument.createElementNS(SVG, "g");
      kept.append(...child.childNodes);
      child.replaceWith(kept);
      cleanTree(kept);
    } else if (!isAllowedElement(child.namespaceURI, child.localName)) child.remove();
    else cleanTree(child);
  }
  if ("attributes" in root) cleanAttributes(root);
  for (const node of [...root.childNodes]) {
    // Comments and processing instructions: `<?xml-stylesheet?>` would load a file.
    if (node.nodeType !== 1 && node.nodeType !== 3) node.remove();
  }
};

const cleanAttributes = (element: Element): void => {
  for (const { name, value } of [...element.attributes]) {
    if (name !== "style" && !isAllowedAttribute(name, value)) element.removeAttribute(name);
  }
  if ("style" in element && element.hasAttribute("style")) cleanStyle((element as SVGElement).style);
};
