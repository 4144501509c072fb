// Names of characters that cannot be seen, in the language of the page.

import { WORDS } from "../mark-words.ts";

/** `about` is the English name of the character. */
export const aboutMark = ({ text, about }: { readonly text: string; readonly about: string }): string =>
  WORDS.names[keyOf(text)] ?? about;

const keyOf = (text: string): string => {
  if (text.startsWith(" ")) return "space";
  if (text.startsWith("\t")) return "tab";
  const code = `U+${text.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
  if (Object.hasOwn(WORDS.names, code)) return code;
  return /^\p{M}/u.test(text) ? "combining" : "other";
};
