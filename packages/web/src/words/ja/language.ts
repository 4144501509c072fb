import type { english } from "../en/language.ts";

export const japanese: typeof english = {
  label: "言語",
  system: "ブラウザーの設定",
};
