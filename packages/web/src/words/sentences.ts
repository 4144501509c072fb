// Sentences of the shared packages about rules, in the language of the page: reasons, risks, problems and warnings. They come from
// the server in English. A sentence that the language does not have stays English.

import { english } from "./en/sentences.ts";
import { inLanguage } from "./language.ts";

const escaped = (text: string): string => text.replaceAll(/[$()*+./?[\\\]^|]/gu, String.raw`\$&`);

/** `texts` have the English sentence as the key. {1}, {2} and {3} stand for names, or for another sentence. */
export const sentencesIn = (texts: Readonly<Record<string, string>>): ((words: string) => string) => {
  const patterns = Object.entries(texts)
    .filter(([key]) => key.includes("{1}"))
    .map(([key, text]) => ({ pattern: new RegExp(`^${escaped(key).replaceAll(/\{\d\}/gu, "(.+?)")}$`, "su"), text }));
  const translated = (words: string): string => {
    if (Object.hasOwn(texts, words)) return texts[words]!;
    for (const { pattern, text } of patterns) {
      const names = pattern.exec(words);
      if (names !== null) return text.replaceAll(/\{(\d)\}/gu, (_, at: string) => translated(names[Number(at)] ?? ""));
    }
    return words;
  };
  return translated;
};

export const sentence = sentencesIn(inLanguage("sentences", english).texts);
