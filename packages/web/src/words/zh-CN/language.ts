import type { english } from "../en/language.ts";

export const chinese: typeof english = {
  label: "语言",
  system: "跟随浏览器",
};
