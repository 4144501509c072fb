import type { english } from "../en/language.ts";
import type { Translation } from "../translation.ts";

export const chinese: Translation<typeof english> = {
  label: "语言",
  system: "跟随浏览器",
};
