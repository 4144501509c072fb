// What a person cannot see in a text, in words: hidden characters, and words that mix alphabets. Pure.

import { mixedWordsOf, piecesOf } from "@quarterdeck/client/content";
import { WORDS } from "./words.ts";

/** `isEdited`: the text stands in a field, which shows no marks. */
export const oddTextWarnings = (text: string, isEdited = false): readonly string[] => {
  const hidden = piecesOf(text)
    .filter((piece) => piece.kind === "mark" && piece.label.startsWith("U+"))
    .reduce((sum, piece) => sum + Array.from(piece.text).length, 0);
  const mixed = mixedWordsOf(text);
  return [
    ...(hidden > 0 ? [isEdited ? WORDS.hiddenInFields(hidden) : WORDS.hidden(hidden)] : []),
    ...(mixed.length > 0 ? [WORDS.mixed(mixed.slice(0, 3).join(", "))] : []),
  ];
};
