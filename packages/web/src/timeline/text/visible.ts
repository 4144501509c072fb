// A command in a row is what ran: characters that turn the direction of what follows, or that cannot be seen, are named in it.
// Less than the marks of a request's card, which is where it is decided on.

const UNSEEN = /[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;

export const visible = (text: string): string =>
  text.replaceAll(UNSEEN, (character) => `‹U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}›`);
