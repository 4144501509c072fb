// Runs in the frame that draws diagrams: gets a source, and answers with a self-contained SVG. See draw-diagram.ts for
// the page's side, and diagram-guard.ts for what the frame allows.

import { guardDocument } from "./diagram-guard.ts";
import { installClock, withinDiagramSize } from "./diagram-limits.ts";

export interface DrawRequest {
  readonly id: number;
  readonly source: string;
  readonly dark: boolean;
}
export type DrawAnswer = { readonly id: number } & ({ readonly svg: string } | { readonly problem: string });

const guard = guardDocument();
const clock = installClock();
const mermaidLoaded = import("mermaid");

const FONT = 'ui-sans-serif, "Inter", system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';

/** The page's colors (styles/tokens.css). Mermaid mixes its other colors from these, so it needs plain values. */
const themeOf = (dark: boolean): Readonly<Record<string, string | boolean>> => {
  const [bg, raised, line, text, dim, sea, brass, go] = dark
    ? ["#10161d", "#161e27", "#8592a0", "#e7ebf0", "#a3afbc", "#74aefb", "#dcaa4d", "#4fc78e"]
    : ["#fffefb", "#f1eee6", "#56616e", "#1d2530", "#4a5563", "#1a5db8", "#855808", "#10693f"];
  const tints = dark ? ["#1d2b3d", "#33290f", "#14301f", "#271f42"] : ["#e3ecf8", "#f4ead6", "#def0e5", "#e9e4f8"];
  return {
    darkMode: dark,
    useGradient: false,
    dropShadow: "none",
    background: bg,
    fontFamily: FONT,
    primaryColor: tints[0]!,
    primaryTextColor: text,
    primaryBorderColor: sea,
    secondaryColor: tints[1]!,
    secondaryTextColor: text,
    secondaryBorderColor: brass,
    tertiaryColor: raised,
    tertiaryTextColor: text,
    tertiaryBorderColor: line,
    lineColor: line,
    textColor: text,
    titleColor: text,
    edgeLabelBackground: bg,
    clusterBkg: raised,
    clusterBorder: line,
    noteBkgColor: tints[1]!,
    noteTextColor: text,
    noteBorderColor: brass,
    actorBkg: tints[0]!,
    actorBorder: sea,
    actorTextColor: text,
    actorLineColor: line,
    signalColor: dim,
    signalTextColor: text,
    labelBoxBkgColor: raised,
    labelBoxBorderColor: line,
    labelTextColor: text,
    loopTextColor: text,
    activationBkgColor: tints[2]!,
    activationBorderColor: go,
    pie1: sea,
    pie2: brass,
    pie3: go,
    pieStrokeColor: bg,
    pieTitleTextColor: text,
    pieSectionTextColor: dark ? "#0b0f14" : "#ffffff",
    pieLegendTextColor: text,
  };
};

const draw = async ({ id, source, dark }: DrawRequest): Promise<string> => {
  const { default: mermaid } = await mermaidLoaded;
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    theme: "base",
    themeVariables: themeOf(dark),
    htmlLabels: false,
    flowchart: { htmlLabels: false, useMaxWidth: false },
    sequence: { useMaxWidth: false },
    fontFamily: FONT,
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
    return withinDiagramSize(pictureOf(guard.parse(svg), guard.takeStyles() + ownStyles(dark)));
  } finally {
    guard.takeStyles();
    host.remove();
  }
};

/**
 * Without HTML labels, section names of a journey would have the color of their box. The line of an edge would show
 * through its label.
 */
const ownStyles = (dark: boolean): string =>
  `text[class*="section-type-"]{fill:${dark ? "#e7ebf0" : "#1d2530"}!important}.edgeLabel rect{opacity:1!important}`;

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
