// Mermaid writes to its document while it measures a diagram. Its document is an otherwise empty frame. This file
// defines what the frame allows: elements, attributes and styles of clean-svg.ts. Everything that would load something
// is removed. The page's policy (Trusted Types, no inline styles) applies here too. The names of its policies are in
// the server's reply.ts.

import {
  cleanSheet,
  cleanStyle,
  cleanTree,
  isAllowedAttribute,
  isAllowedElement,
  isLocal,
  SVG,
  textOfSheet,
} from "./clean-svg.ts";

interface Policy {
  createHTML(markup: string): unknown;
}
interface PolicyFactory {
  createPolicy(name: string, rules: { createHTML: (markup: string) => string }): Policy;
}

/**
 * For documents that are never shown, in which nothing loads or runs. Their content is cleaned before it leaves them.
 */
const inertPolicy = (): Policy => {
  const createHTML = (markup: string): string => markup;
  const types = (globalThis as { trustedTypes?: PolicyFactory }).trustedTypes;
  return types === undefined ? { createHTML } : types.createPolicy("quarterdeck-diagram-inert", { createHTML });
};

/** The page's policy treats a style in markup as an inline style. So it is renamed first, and set as a style later. */
const HELD = "data-held-style";
const hold = (markup: string): string => markup.replaceAll(/(?<=[\s/"'])style(?=\s*=)/giu, HELD);
const release = (root: ParentNode): void => {
  for (const element of root.querySelectorAll<HTMLElement | SVGElement>(`[${HELD}]`)) {
    element.style.cssText = element.getAttribute(HELD) ?? "";
    element.removeAttribute(HELD);
  }
  // If it was text about styles, restore it.
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node.nodeValue?.includes(HELD) === true) node.nodeValue = node.nodeValue.replaceAll(HELD, "style");
  }
};

export interface Guard {
  /** The styles that were written since the last call. */
  readonly takeStyles: () => string;
  /** Parses markup in a document in which nothing loads, and cleans it. */
  readonly parse: (markup: string) => Element;
}

const LOADERS = "fetch XMLHttpRequest WebSocket EventSource Worker SharedWorker Image Audio open".split(" ");

/** For the life of the frame. Call it before anything is drawn. */
export const guardDocument = (): Guard => {
  const policy = inertPolicy();
  const inert = document.implementation.createHTMLDocument("");
  let sheets: CSSStyleSheet[] = [];
  /** Placeholders for style elements, which the policy refuses even if they are empty. */
  const styles = new WeakSet<Element>();
  const nothing = (from: Document): Element => from.createElementNS(SVG, "desc");
  const html = Object.getOwnPropertyDescriptor(Element.prototype, "innerHTML")!;

  /** The children that this markup would give an element. */
  const childrenOf = (like: Element, markup: string): DocumentFragment => {
    const context = inert.createElementNS(like.namespaceURI, like.localName);
    html.set!.call(context, policy.createHTML(hold(markup)));
    release(context);
    const fragment = inert.createDocumentFragment();
    fragment.append(...context.childNodes);
    cleanTree(fragment);
    return fragment;
  };

  for (const name of LOADERS) {
    Object.defineProperty(globalThis, name, {
      // Called, or used with `new`.
      value: function () {
        throw new Error("A diagram may not load anything.");
      },
    });
  }
  Object.defineProperty(navigator, "sendBeacon", { value: () => false });

  change(
    Document.prototype,
    "createElement",
    (create: Document["createElement"]) =>
      function (this: Document, name: string) {
        if (name === "style" && this === document) {
          const style = nothing(this);
          styles.add(style);
          return style;
        }
        return this !== document || isAllowedElement(null, name) ? create.call(this, name) : nothing(this);
      },
  );
  change(
    Document.prototype,
    "createElementNS",
    (create: Document["createElementNS"]) =>
      function (this: Document, namespace: string | null, name: string) {
        if (this !== document) return create.call(this, namespace, name);
        const local = name.replace(/^\w+:/u, "");
        // The content of a link is drawn, but its target is dropped. A `switch` would prefer HTML, which is missing.
        if (local === "a" || local === "switch") return create.call(this, SVG, "g");
        return isAllowedElement(namespace, local) ? create.call(this, namespace, name) : nothing(this);
      },
  );
  Object.defineProperty(Element.prototype, "innerHTML", {
    ...html,
    set(this: Element, markup: unknown) {
      if (styles.has(this)) {
        const sheet = cleanSheet(String(markup));
        sheets.push(sheet);
        document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
      } else this.replaceChildren(document.importNode(childrenOf(this, String(markup)), true));
    },
  });
  for (const [prototype, name] of [
    [Element.prototype, "outerHTML"],
    [Element.prototype, "insertAdjacentHTML"],
    [Range.prototype, "createContextualFragment"],
    [Document.prototype, "write"],
    [Document.prototype, "writeln"],
  ] as const) {
    const own = Object.getOwnPropertyDescriptor(prototype, name)!;
    const refuse = (): never => {
      throw new Error("A diagram is drawn without this.");
    };
    Object.defineProperty(prototype, name, own.get === undefined ? { value: refuse } : { ...own, set: refuse });
  }
  change(
    Element.prototype,
    "setAttribute",
    (set: Element["setAttribute"]) =>
      function (this: Element, name: string, value: unknown) {
        if (name === "style" && "style" in this) (this as SVGElement).style.cssText = String(value);
        else if (isAllowedAttribute(name, String(value))) set.call(this, name, String(value));
      },
  );
  change(
    Element.prototype,
    "setAttributeNS",
    (set: Element["setAttributeNS"]) =>
      function (this: Element, namespace: string | null, name: string, value: unknown) {
        if (isAllowedAttribute(name, String(value))) set.call(this, namespace, name, String(value));
      },
  );
  // Nodes of other documents, such as a parser's, were not created by the methods above.
  for (const [prototype, names] of [
    [Node.prototype, "appendChild insertBefore replaceChild"],
    [Element.prototype, "append prepend before after replaceWith replaceChildren insertAdjacentElement"],
    [DocumentFragment.prototype, "append prepend replaceChildren"],
    [Document.prototype, "importNode adoptNode"],
  ] as const) {
    for (const name of names.split(" ")) {
      change(
        prototype,
        name,
        (insert: (...given: unknown[]) => unknown) =>
          function (this: Node, ...given: unknown[]) {
            const isOurs = this === document || this.ownerDocument === document;
            return insert.apply(this, isOurs ? given.map(cleaned) : given);
          },
      );
    }
  }
  const cleaned = (given: unknown): unknown => {
    if (!(given instanceof Node) || given.ownerDocument === document) return given;
    if (given.nodeType === 11) cleanTree(given as DocumentFragment);
    else if (given.nodeType === 1) {
      if (!isAllowedElement((given as Element).namespaceURI, (given as Element).localName)) return nothing(document);
      cleanTree(given as Element);
    }
    return given;
  };

  const cssText = Object.getOwnPropertyDescriptor(CSSStyleDeclaration.prototype, "cssText")!;
  Object.defineProperty(CSSStyleDeclaration.prototype, "cssText", {
    ...cssText,
    set(this: CSSStyleDeclaration, text: unknown) {
      // In a document that loads nothing.
      const aside = inert.createElement("p").style;
      cssText.set!.call(aside, String(text));
      cleanStyle(aside);
      cssText.set!.call(this, aside.cssText);
    },
  });
  change(
    CSSStyleDeclaration.prototype,
    "setProperty",
    (set: CSSStyleDeclaration["setProperty"]) =>
      function (this: CSSStyleDeclaration, name: string, value: string | null, priority?: string) {
        if (isLocal(String(value))) set.call(this, name, value, priority);
      },
  );
  for (const prototype of [HTMLElement.prototype, SVGElement.prototype]) {
    const style = Object.getOwnPropertyDescriptor(prototype, "style")!;
    Object.defineProperty(prototype, "style", {
      ...style,
      set(this: HTMLElement, text: string) {
        this.style.cssText = text;
      },
    });
  }

  // Mermaid's own filter parses markup like this. Event handlers would be refused one by one, and the filter removes
  // them anyway.
  change(
    DOMParser.prototype,
    "parseFromString",
    (parse: (markup: unknown, type: DOMParserSupportedType) => Document) =>
      function (this: DOMParser, markup: unknown, type: DOMParserSupportedType) {
        const text = hold(String(markup)).replace(/\son[a-z]+\s*=/giu, " data-dropped=");
        const parsed = parse.call(this, policy.createHTML(text), type);
        release(parsed);
        return parsed;
      },
  );

  return {
    takeStyles: () => {
      const text = sheets.map(textOfSheet).join("\n");
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => !sheets.includes(sheet));
      sheets = [];
      return text;
    },
    parse: (markup) => {
      const found = childrenOf(inert.createElementNS("http://www.w3.org/1999/xhtml", "div"), markup);
      return found.firstElementChild ?? nothing(inert);
    },
  };
};

/** Replaces a method of a prototype. */
const change = (prototype: object, name: string, by: (own: never) => unknown): void => {
  const own = Object.getOwnPropertyDescriptor(prototype, name)!;
  Object.defineProperty(prototype, name, { ...own, value: by(own.value as never) });
};
