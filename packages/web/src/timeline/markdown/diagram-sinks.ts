// Mermaid writes markup into the page while it measures a diagram, which the page's policy (Trusted Types, no inline styles)
// forbids everywhere. For the time of one drawing, and for nothing else, what it writes is let through a filter, and its
// styles go in as constructed sheets. What a reader sees afterwards is an image, in which nothing can run.

interface Policy {
  createHTML(markup: string): unknown;
}
interface PolicyFactory {
  createPolicy(name: string, rules: { createHTML: (markup: string) => string }): Policy;
}

/** Mermaid draws shapes and text; whatever could load or run something has no place in it. */
const FORBIDDEN =
  /<\s*(?:script|iframe|object|embed|link|meta|base|form|img|image|video|audio|source|use|animate|set)\b|\son[a-z]+\s*=|javascript:/iu;

let policy: Policy | undefined;
const allowed = (markup: string): unknown => {
  const types = (globalThis as { trustedTypes?: PolicyFactory }).trustedTypes;
  if (types === undefined) return FORBIDDEN.test(markup) ? "" : markup;
  policy ??= types.createPolicy("quarterdeck-diagram", {
    createHTML: (given) => (FORBIDDEN.test(given) ? "" : given),
  });
  return policy.createHTML(markup);
};

export interface Drawn<T> {
  readonly value: T;
  /** The styles that were written meanwhile. */
  readonly css: string;
}

let turn: Promise<unknown> = Promise.resolve();

/** One drawing at a time. */
export const withDiagramSinks = <T>(draw: () => Promise<T>): Promise<Drawn<T>> => {
  const next = turn.then(() => drawOnce(draw));
  turn = next.catch(() => {});
  return next;
};

const drawOnce = async <T>(draw: () => Promise<T>): Promise<Drawn<T>> => {
  const html = Object.getOwnPropertyDescriptor(Element.prototype, "innerHTML")!;
  const attribute = Object.getOwnPropertyDescriptor(Element.prototype, "setAttribute")!;
  const setAttribute = attribute.value as (this: Element, name: string, value: string) => void;
  const sheets: CSSStyleSheet[] = [];
  let css = "";
  const adopt = (text: string): void => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    sheets.push(sheet);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    css += text;
  };
  Object.defineProperty(Element.prototype, "innerHTML", {
    ...html,
    set(this: Element, markup: unknown) {
      if (this instanceof HTMLStyleElement || this instanceof SVGStyleElement) adopt(String(markup));
      else html.set!.call(this, allowed(String(markup)));
    },
  });
  Object.defineProperty(Element.prototype, "setAttribute", {
    ...attribute,
    value(this: Element, name: string, value: string) {
      if (name === "style" && (this instanceof SVGElement || this instanceof HTMLElement)) this.style.cssText = value;
      else setAttribute.call(this, name, value);
    },
  });
  try {
    return { value: await draw(), css };
  } finally {
    Object.defineProperty(Element.prototype, "innerHTML", html);
    Object.defineProperty(Element.prototype, "setAttribute", attribute);
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => !sheets.includes(sheet));
  }
};
