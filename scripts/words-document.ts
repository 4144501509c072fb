// The generated part of docs/languages.md: texts of the page that a language does not have yet.

import { readdirSync } from "node:fs";
import { withSection } from "./protocol-table.ts";

const WORDS = new URL("../packages/web/src/words/", import.meta.url);
const LANGUAGES = ["zh-CN", "ja"] as const;
/** English is a table of a shared package, with more than texts. The compiler asks for their translations. */
const SHARED = ["modes.ts", "scopes.ts"];

/** The texts of one file, if it exists. In a list, because a text may have the name `then`, which `await` would call. */
const textsIn = async (language: string, file: string): Promise<readonly unknown[]> => {
  const place = new URL(`${language}/`, WORDS);
  if (!readdirSync(place).includes(file)) return [];
  return Object.values((await import(new URL(file, place).href)) as object);
};

type Texts = Readonly<Record<string, unknown>>;
const isTexts = (value: unknown): value is Texts =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Names of the English texts that the other texts lack, such as `keys.does.palette`. */
export const missingIn = (english: unknown, other: unknown, name: string): readonly string[] => {
  if (!isTexts(english)) return other === undefined ? [name] : [];
  return Object.entries(english).flatMap(([key, text]) =>
    missingIn(text, isTexts(other) ? other[key] : undefined, `${name}.${key}`),
  );
};

const tableOf = async (): Promise<string> => {
  const rows: string[] = [];
  const files = readdirSync(new URL("en/", WORDS)).filter((file) => !SHARED.includes(file));
  for (const file of files.toSorted()) {
    const [english] = await textsIn("en", file);
    for (const language of LANGUAGES) {
      const [other] = await textsIn(language, file);
      for (const name of missingIn(english, other, file.replace(/\.ts$/u, "")))
        rows.push(`| \`${name}\` | ${language} |`);
    }
  }
  return rows.length === 0
    ? "Every text has a translation."
    : ["| text | missing in |", "| --- | --- |", ...rows].join("\n");
};

const TABLE = await tableOf();

export const wordsDocument = (current: string): string => withSection(current, "untranslated", TABLE);
