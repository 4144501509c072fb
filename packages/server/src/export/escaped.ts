// Text in a page: never markup, and nothing in it unseen.

import { readableText } from "@quarterdeck/session";

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Bidirectional and invisible marks are shown: what is read is what is there. */
export const escaped = (text: string): string =>
  readableText(text.replaceAll("\r\n", "\n")).replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!);
