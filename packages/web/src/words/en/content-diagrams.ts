// Diagrams of Mermaid.

export const english = {
  cannot: (problem: string) => `Can't draw this diagram: ${problem}`,
  diagram: "Diagram",
  source: (source: string) => `Diagram. Source: ${source}`,
  zoom: "Zoom",
  zoomOut: "Zoom out",
  zoomIn: "Zoom in",
  fit: "Fit",
  toFit: ": fit",
  characters: (most: string) => `It is longer than ${most} characters.`,
  lines: (most: string) => `It has more than ${most} lines.`,
  large: "It is too large to be drawn here.",
  several: "Several diagrams here are too large.",
  slow: "It took too long.",
  notLoaded: "The diagram renderer failed to load.",
};
