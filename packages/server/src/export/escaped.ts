// Text in a page: never markup, and nothing in it unseen.

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const UNSEEN =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class -- control characters are what it looks for, one by one
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\u{13430}-\u{1345f}\u{16fe4}\u{1d159}\u{1d173}-\u{1d17a}\u{e0000}-\u{e007f}]/gu;

/** Bidirectional and invisible marks are shown: what is read is what is there. */
export const escaped = (text: string): string =>
  text
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!)
    .replaceAll(UNSEEN, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
