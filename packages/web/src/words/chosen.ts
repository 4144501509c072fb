// Which language the page speaks: the person's choice, else the first of the browser's languages that we have. This
// module has no texts, so that formats of times can use it too.

export const LANGUAGES = { en: "English", "zh-CN": "简体中文", ja: "日本語" } as const;
export type Language = keyof typeof LANGUAGES;
export type LanguageChoice = Language | "system";

const KEY = "quarterdeck.language";
/** English between brackets: shows what does not come from the catalogue. Nobody can choose it but a test, or a developer in the console. */
const MARKED = "marked";

const storedChoice = (): string | null => {
  try {
    return localStorage.getItem(KEY);
  } catch {
    // Storage is refused, or this is not a browser.
    return null;
  }
};

const isLanguage = (name: string | null): name is Language => name !== null && Object.hasOwn(LANGUAGES, name);

/** The language for the browser's list of languages. All kinds of Chinese get Simplified Chinese. */
export const languageFor = (preferred: readonly string[]): Language => {
  for (const tag of preferred) {
    const [name] = tag.toLowerCase().split("-");
    if (name === "zh") return "zh-CN";
    if (name === "en" || name === "ja") return name;
  }
  return "en";
};

const stored = storedChoice();
export const isMarked = stored === MARKED;
export const languageChoice: LanguageChoice = isLanguage(stored) ? stored : "system";
export const language: Language = isLanguage(stored)
  ? stored
  : languageFor(typeof navigator === "undefined" ? [] : (navigator.languages ?? []));

/** For dates and numbers: the browser's own way, unless the page speaks another language. */
export const locale: string | undefined = language === "en" ? undefined : language;

/** Texts are read when modules are loaded, so the page starts again. What is typed or open is kept as in any reload. */
export const chooseLanguage = (choice: LanguageChoice): void => {
  try {
    if (choice === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, choice);
  } catch {
    // Storage is refused: the page stays in the browser's language.
  }
  location.reload();
};
