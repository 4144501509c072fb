// Runs in the frame that draws diagrams: gets a source, and answers with a self-contained SVG. See draw-diagram.ts for
// the page's side, and diagram-guard.ts for what the frame allows.

import { guardDocument } from "./diagram-guard.ts";
import { installClock, withinSize } from "./diagram-limits.ts";

export interface DrawRequest {
  readonly id: number;
  readonly source: string;
  readonly dark: boolean;
}
export type DrawAnswer = { readonly id: number } & ({ readonly svg: string } | { readonly problem: string });

const guard = guardDocument();
const clock = installClock();
const mermaidLoaded = import("mermaid");

const draw = async ({ id, source, dark }: DrawRequest): Promise<string> => {
  const { default: mermaid } = await mermaidLoaded;
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    theme: dark ? "dark" : "neutral",
    htmlLabels: false,
    flowchart: { htmlLabels: false, useMaxWidth: false },
    sequence: { useMaxWidth: false },
    fontFamily: "system-ui, sans-serif",
    suppressErrorRendering: true,
    maxTextSize: 20_000,
    maxEdges: 400,
    // Settings that a source may not change.
    secure:
      "secure securityLevel startOnLoad maxTextSize maxEdges suppressErrorRendering htmlLabels themeCSS fontFamily altFontFamily dompurifyConfig".split(
        " ",
      ),
  });
  const host = document.createElement("div");
  document.body.append(host);
  try {
    // Formulas would be HTML, which the picture cannot contain, so their source is shown.
    const { svg } = await mermaid.render(`diagram-${id}`, source.replaceAll("$$", "$"), host);
    return withinSize(pictureOf(guard.parse(svg), guard.takeStyles() + ownStyles(dark)));
  } finally {
    guard.takeStyles();
    host.remove();
  }
};

/**
 * Without HTML labels, section names of a journey would have the color of their box, and the line of an edge would show
 * through its label.
 */
const ownStyles = (dark: boolean): string =>
  `text[class*="section-type-"]{fill:${dark ? "#ccc" : "#333"}!important}.edgeLabel rect{opacity:1!important}`;

/** The drawing as a separate document, with its styles and a size. */
const pictureOf = (svg: Element, css: string): string => {
  if (svg.localName !== "svg") throw new Error("Nothing was drawn.");
  const [, , width, height] = (svg.getAttribute("viewBox") ?? "").split(/[\s,]+/u).map(Number);
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  if (Number.isFinite(width) && Number.isFinite(height)) {
    svg.setAttribute("width", String(Math.ceil(width!)));
    svg.setAttribute("height", String(Math.ceil(height!)));
  }
  const style = svg.ownerDocument.createElementNS("http://www.w3.org/2000/svg", "style");
  style.textContent = css;
  svg.prepend(style);
  return new XMLSerializer().serializeToString(svg);
};

addEventListener(
  "message",
  ({ ports: [port] }) => {
    port!.addEventListener("message", ({ data }: MessageEvent<DrawRequest>) => {
      clock
        .during(() => draw(data))
        .then(
          (svg) => port!.postMessage({ id: data.id, svg } satisfies DrawAnswer),
          (error: unknown) =>
            port!.postMessage({
              id: data.id,
              problem: (error instanceof Error ? error.message : String(error)).split("\n")[0]!.replace(/:$/u, "."),
            } satisfies DrawAnswer),
        );
    });
    port!.start();
  },
  { once: true },
);
