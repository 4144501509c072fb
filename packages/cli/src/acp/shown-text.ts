// Text as an editor gets it. Hidden characters have marks, as in exports and on a terminal. No text is longer than an
// editor can show. Text that streams is sent once, from where the last part ended.

import { readableText } from "@quarterdeck/session/true-text";
import { printable } from "../terminal/terminal.ts";

const MOST_TEXT = 200_000;
const MOST_DEPTH = 20;

/** The new part of a text that grows. */
export class GrowingText {
  /** Units of the text that were sent. */
  #sent = 0;

  next(text: string, isWhole: boolean): string {
    // Half of a character waits for its other half.
    const end = !isWhole && isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.length - 1 : text.length;
    if (end <= this.#sent) return "";
    // A mark depends on the character before it.
    const before = text.slice(Math.max(0, this.#sent - 4), this.#sent);
    const part = readableText(before + text.slice(this.#sent, end)).slice(readableText(before).length);
    this.#sent = end;
    return part;
  }
}

const isHighSurrogate = (code: number): boolean => code >= 0xd8_00 && code <= 0xdb_ff;

export const shown = (text: string): string => readableText(cut(text));

/** Output of a program, without its colors and cursor moves. */
export const shownOutput = (text: string): string => readableText(printable(cut(text)));

/** The same for every text in a value. A value that is too deep is left out. */
export const shownValue = (value: unknown, depth = 0): unknown => {
  if (typeof value === "string") return shown(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth > MOST_DEPTH) return null;
  if (Array.isArray(value)) return value.map((item) => shownValue(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [shown(key), shownValue(item, depth + 1)]));
};

const cut = (text: string): string => {
  if (text.length <= MOST_TEXT) return text;
  const end = isHighSurrogate(text.charCodeAt(MOST_TEXT - 1)) ? MOST_TEXT - 1 : MOST_TEXT;
  return `${text.slice(0, end)}\n… ${String(text.length - end)} more characters. The page shows all of them.`;
};

/** A block of text that Markdown leaves as it is. The text cannot end the block. */
export const fenced = (text: string, language = ""): string => {
  const longest = Math.max(2, ...(text.match(/`+/gu) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/u, "")}\n${fence}`;
};

/** A title: one line, with marks, not too long. */
export const shownTitle = (text: string, most = 300): string => {
  const line = readableText(text.slice(0, most * 2))
    .replaceAll(/\s+/gu, " ")
    .trim();
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`;
};
