import type { english } from "../en/language.ts";
import type { Translation } from "../translation.ts";

export const japanese: Translation<typeof english> = {
  label: "言語",
  system: "ブラウザーの設定",
};
