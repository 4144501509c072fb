import type { english } from "../en/content-diagrams.ts";
import type { Translation } from "../translation.ts";

export const chinese: Translation<typeof english> = {
  cannot: (problem) => `无法绘制此图表：${problem}`,
  diagram: "图表",
  source: (source) => `图表。源代码：${source}`,
  zoom: "缩放",
  zoomOut: "缩小",
  zoomIn: "放大",
  fit: "适应宽度",
  toFit: "：适应宽度",
  characters: (most) => `超过 ${most} 个字符。`,
  lines: (most) => `超过 ${most} 行。`,
  large: "太大，无法在此绘制。",
  several: "此处有多个图表太大。",
  slow: "耗时过长。",
  notLoaded: "图表渲染器加载失败。",
};
