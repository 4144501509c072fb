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

let live: Policy | undefined;
let inert: Policy | undefined;
const policies = (): { live: Policy; inert: Policy } => {
  const types = (globalThis as { trustedTypes?: PolicyFactory }).trustedTypes;
  const make = (name: string, createHTML: (markup: string) => string): Policy =>
    types === undefined ? { createHTML } : types.createPolicy(name, { createHTML });
  live ??= make("quarterdeck-diagram", (markup) => (FORBIDDEN.test(markup) ? "" : markup));
  // Into a document that is never shown: nothing loads or runs there.
  inert ??= make("quarterdeck-diagram-inert", (markup) => markup);
  return { live, inert };
};

/** Styles on elements are inline styles to the policy, unless they are set one by one. They wait under another name. */
const HELD = "data-held-style";
const hold = (markup: string): string => markup.replaceAll(' style="', ` ${HELD}="`);
const release = (root: ParentNode): void => {
  for (const element of root.querySelectorAll<HTMLElement | SVGElement>(`[${HELD}]`)) {
    element.style.cssText = element.getAttribute(HELD) ?? "";
    element.removeAttribute(HELD);
  }
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node.nodeValue?.includes(` ${HELD}="`) === true)
      node.nodeValue = node.nodeValue.replaceAll(` ${HELD}="`, ' style="');
  }
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
  const { live: liveMarkup, inert: inertMarkup } = policies();
  const sheets: CSSStyleSheet[] = [];
  let css = "";
  const adopt = (text: string): void => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    sheets.push(sheet);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    css += text;
  };
  /** In place of style elements, which the policy refuses even when they are empty. */
  const styles = new WeakSet<Element>();
  const restore = [
    override(Document.prototype, "createElement", (create) => ({
      ...create,
      value(this: Document, name: string, options?: ElementCreationOptions) {
        if (name !== "style") return (create.value as typeof this.createElement).call(this, name, options);
        const style = this.createElementNS("http://www.w3.org/2000/svg", "desc");
        styles.add(style);
        return style;
      },
    })),
    override(Element.prototype, "innerHTML", (html) => ({
      ...html,
      set(this: Element, markup: unknown) {
        if (styles.has(this)) {
          adopt(String(markup));
          return;
        }
        html.set!.call(this, liveMarkup.createHTML(hold(String(markup))));
        release(this);
      },
    })),
    override(Element.prototype, "setAttribute", (attribute) => ({
      ...attribute,
      value(this: Element, name: string, value: string) {
        if (name === "style" && (this instanceof SVGElement || this instanceof HTMLElement)) this.style.cssText = value;
        else (attribute.value as typeof this.setAttribute).call(this, name, value);
      },
    })),
    override(DOMParser.prototype, "parseFromString", (parse) => ({
      ...parse,
      value(this: DOMParser, markup: unknown, type: DOMParserSupportedType) {
        // Handlers would be refused one by one; whoever parses this takes them out anyway.
        const held = inertMarkup.createHTML(hold(String(markup)).replace(/\son[a-z]+\s*=/giu, " data-dropped="));
        const parsed = (parse.value as (markup: unknown, type: string) => Document).call(this, held, type);
        release(parsed);
        return parsed;
      },
    })),
  ];
  try {
    return { value: await draw(), css };
  } finally {
    for (const undo of restore) undo();
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => !sheets.includes(sheet));
  }
};

const override = (
  prototype: object,
  name: string,
  by: (own: PropertyDescriptor) => PropertyDescriptor,
): (() => void) => {
  const own = Object.getOwnPropertyDescriptor(prototype, name)!;
  Object.defineProperty(prototype, name, by(own));
  return () => Object.defineProperty(prototype, name, own);
};
