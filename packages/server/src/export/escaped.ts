// Text in a page: never markup, and nothing in it unseen.

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const UNSEEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** Bidirectional and invisible marks are shown: what is read is what is there. */
export const escaped = (text: string): string =>
  text
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!)
    .replaceAll(UNSEEN, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
