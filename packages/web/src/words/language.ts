// The texts in the language of the page. English is part of each module that uses it. Another language is one file, loaded before the first
// text is read; so a text never changes later.

import { isRecord } from "@quarterdeck/client/content";
import type { Catalogue, TranslatedCatalogue } from "./catalogue.ts";
import { isMarked, language, type Language } from "./chosen.ts";

export { chooseLanguage, language, languageChoice, languageFor, LANGUAGES, locale } from "./chosen.ts";
export type { Language, LanguageChoice } from "./chosen.ts";

/** Its file may be missing (offline, or another version of the page): then the page speaks English. */
const load = async (): Promise<TranslatedCatalogue | undefined> => {
  try {
    if (language === "zh-CN") return (await import("./zh-CN/catalogue.ts")).CHINESE;
    if (language === "ja") return (await import("./ja/catalogue.ts")).JAPANESE;
  } catch (error) {
    console.error("The texts of the chosen language could not be loaded.", error);
  }
  return undefined;
};
const translated = await load();

/** The language that the texts really have. */
export const spoken: Language = translated === undefined ? "en" : language;

type Texts = { readonly [name: string]: unknown };

const isTexts = (value: unknown): value is Texts => isRecord(value);

const eachOf = (texts: Texts, change: (text: unknown, name: string) => unknown): Texts =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, change(text, name)]));

const marked = (value: unknown): unknown => {
  if (typeof value === "string") return `⟦${value}⟧`;
  if (typeof value === "function")
    return (...args: unknown[]) => marked((value as (...all: unknown[]) => unknown)(...args));
  if (Array.isArray(value)) return value.map(marked);
  return isTexts(value) ? eachOf(value, marked) : value;
};

/** A text that the language does not have is English. */
export const filled = (english: unknown, own: unknown): unknown => {
  if (!isTexts(english) || !isTexts(own)) return own ?? english;
  return { ...own, ...eachOf(english, (text, name) => filled(text, own[name])) };
};

/** The texts of an area in the language of the page. */
export const inLanguage = <Area extends keyof Catalogue>(area: Area, english: Catalogue[Area]): Catalogue[Area] => {
  if (translated !== undefined) return filled(english, translated[area]) as Catalogue[Area];
  return isMarked ? (marked(english) as Catalogue[Area]) : english;
};
