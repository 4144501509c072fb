// Sentences of the shared packages about rules, in the language of the page: reasons, risks, problems and warnings. They come from
// the server in English. A sentence that the language does not have stays English.

import { english } from "./en/sentences.ts";
import { inLanguage } from "./language.ts";

const { texts } = inLanguage("sentences", english);

const escaped = (text: string): string => text.replaceAll(/[$()*+./?[\\\]^|]/gu, String.raw`\$&`);

/** Sentences with names in them. */
const patterns = Object.entries(texts)
  .filter(([key]) => key.includes("{1}"))
  .map(([key, text]) => ({ pattern: new RegExp(`^${escaped(key).replaceAll(/\{\d\}/gu, "(.+?)")}$`, "su"), text }));

export const sentence = (words: string): string => {
  if (Object.hasOwn(texts, words)) return texts[words]!;
  for (const { pattern, text } of patterns) {
    const names = pattern.exec(words);
    if (names !== null) return text.replaceAll(/\{(\d)\}/gu, (_, at: string) => names[Number(at)] ?? "");
  }
  return words;
};
