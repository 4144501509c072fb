// A diagram's source into the address of an image. Loaded with Mermaid when the first diagram is met.

import mermaid from "mermaid";
import { withDiagramSinks } from "./diagram-sinks.ts";

let last = 0;

export const drawDiagram = async (source: string, dark: boolean): Promise<string> => {
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
  });
  const host = document.createElement("div");
  host.className = "diagram-host";
  host.ariaHidden = "true";
  document.body.append(host);
  try {
    const { value, css } = await withDiagramSinks(() => mermaid.render(`diagram-${++last}`, source, host));
    return URL.createObjectURL(new Blob([imageOf(value.svg, css)], { type: "image/svg+xml" }));
  } finally {
    host.remove();
  }
};

/** The drawing as a document of its own: with its styles and a size. */
const imageOf = (markup: string, css: string): string => {
  const svg = markup.replace(/<br\s*>/gu, "<br/>");
  const box = /viewBox="([-\d.]+) ([-\d.]+) ([\d.]+) ([\d.]+)"/u.exec(svg);
  const size = box === null ? "" : ` width="${Math.ceil(Number(box[3]))}" height="${Math.ceil(Number(box[4]))}"`;
  const style = `<style>${css.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</style>`;
  return svg
    .replace(/^<svg([^>]*?) width="[^"]*"/u, "<svg$1")
    .replace(/^<svg([^>]*?) height="[^"]*"/u, "<svg$1")
    .replace(/^<svg([^>]*)>/u, `<svg$1${size}>${style}`)
    .replace(/xmlns="[^"]*"/u, 'xmlns="http://www.w3.org/2000/svg"');
};
