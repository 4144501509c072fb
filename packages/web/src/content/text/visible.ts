// A command in a row shows what ran: characters that change the text direction, or that are invisible, are named.
// Spaces at the ends of lines are marked only in a request's card, where a person decides.

import { isHidden } from "@quarterdeck/client/content";

export const visible = (text: string): string =>
  text.replaceAll(/[^\n\t -~]/gu, (character) =>
    isHidden(character) ? `‹U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}›` : character,
  );

/** In prose, only characters that change the order of letters are named: right-to-left text needs the others. */
export const inOrder = (text: string): string =>
  text.replaceAll(/[\u202A-\u202E]/gu, (character) => visible(character));
