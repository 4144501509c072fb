// A command in a row is what ran: characters that turn the direction of what follows, or that cannot be seen, are named in it.
// Spaces at the ends of lines are marked only in a request's card, which is where it is decided on.

import { isHidden } from "@quarterdeck/client/content";

export const visible = (text: string): string =>
  text.replaceAll(/[^\n\t -~]/gu, (character) =>
    isHidden(character) ? `‹U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}›` : character,
  );
