// Text in an HTML page: never markup, and no invisible characters.

import { readableText } from "@quarterdeck/session";

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Bidirectional and invisible characters are shown as marks. */
export const escaped = (text: string): string =>
  readableText(text.replaceAll("\r\n", "\n")).replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!);
