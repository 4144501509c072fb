import type { english } from "../en/content-diagrams.ts";
import type { Translation } from "../translation.ts";

export const japanese: Translation<typeof english> = {
  cannot: (problem) => `この図を描画できません: ${problem}`,
  diagram: "図",
  source: (source) => `図。ソース: ${source}`,
  zoom: "ズーム",
  zoomOut: "縮小",
  zoomIn: "拡大",
  fit: "幅に合わせる",
  toFit: ": 幅に合わせる",
  characters: (most) => `${most} 文字を超えています。`,
  lines: (most) => `${most} 行を超えています。`,
  large: "大きすぎるため、ここでは描画できません。",
  several: "ここには大きすぎる図がいくつもあります。",
  slow: "時間がかかりすぎました。",
  notLoaded: "図の描画プログラムを読み込めませんでした。",
};
