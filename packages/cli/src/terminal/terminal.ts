// Prepares text for a terminal. Text of others can neither move the cursor nor send a command to the terminal, only we
// set styles, and widths count visible cells. This module does not write; printer.ts does.

import { randomBytes } from "node:crypto";
import { stripVTControlCharacters, styleText } from "node:util";
import { visibleText } from "@quarterdeck/session/true-text";

export { jsonText } from "@quarterdeck/session/true-text";

type Style = Parameters<typeof styleText>[0];
export type Paint = (style: Style, text: string) => string;

/**
 * A style is a token with a key that only this process knows. Only the printer turns tokens into escape sequences. An
 * escape sequence in the text itself never reaches the terminal.
 */
const KEY = randomBytes(12).toString("hex");
const TOKEN = new RegExp(`\ufdd0${KEY}([0-9;]+)\ufdd1`, "gu");

export const paint: Paint = (style, text) =>
  text === ""
    ? ""
    : styleText(style, "\0", { validateStream: false })
        // oxlint-disable-next-line no-control-regex
        .replaceAll(/\u001b\[([0-9;]+)m/gu, `\ufdd0${KEY}$1\ufdd1`)
        .replace("\0", () => text);

/** Colors for a stream: on a TTY, unless NO_COLOR is set. FORCE_COLOR overrides both. */
export const wantsColors = (stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): boolean => {
  const forced = env["FORCE_COLOR"];
  return forced !== undefined && forced !== "" && forced !== "0"
    ? true
    : stream.isTTY === true && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb" && forced !== "0";
};

/** The bytes for the terminal. */
export const printed = (text: string, colors: boolean): string =>
  inert(text).replaceAll(TOKEN, colors ? "\u001b[$1m" : "");

/**
 * Characters that a terminal acts on, that reorder a line, or that are invisible. Emoji and some scripts need joiners.
 */
const ACTIVE = /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]--[\n\t\u200c\u200d]]/gv;

/** The text with marks for such characters. */
export const inert = (text: string): string => text.replaceAll(ACTIVE, (character) => visibleText(character));

export const widthOf = (stream: { readonly columns?: number }): number =>
  Math.min(120, Math.max(40, stream.columns ?? (Number(process.env["COLUMNS"]) || 80)));

/** Output of programs without their colors, cursor moves and bells. */
export const printable = (text: string): string =>
  // oxlint-disable-next-line no-control-regex
  stripVTControlCharacters(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");

export const cellWidthOf = (text: string): number => {
  let cells = 0;
  for (const char of text.replaceAll(TOKEN, "")) cells += cellsOfChar(char.codePointAt(0)!);
  return cells;
};

/** Symbols that terminals draw as emoji. */
const WIDE = /\p{Emoji_Presentation}/u;

/**
 * If terminals differ, counts the larger width: a line that is too long would continue in a row that others could
 * imitate.
 */
const cellsOfChar = (code: number): number => {
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return 0;
  if (code < 0x300) return 1;
  // A selector can make the character before it wide.
  if (code === 0xfe0f) return 1;
  if (code <= 0x36f || code === 0x200b || code === 0x200d || (code >= 0xfe00 && code <= 0xfe0e)) return 0;
  if (code >= 0x2300 && code < 0x2e80) return WIDE.test(String.fromCodePoint(code)) ? 2 : 1;
  return (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xa960 && code <= 0xa97f) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0x16fe0 && code <= 0x1b2ff) ||
    (code >= 0x1d300 && code <= 0x1d37f) ||
    (code >= 0x1f000 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd)
    ? 2
    : 1;
};

/** At most this many cells, with an ellipsis if something is cut. Takes text without styles. */
export const clip = (text: string, cells: number): string => {
  if (cellWidthOf(text) <= cells) return text;
  let kept = "";
  let used = 0;
  for (const char of text) {
    const width = cellsOfChar(char.codePointAt(0)!);
    if (used + width > cells - 1) break;
    kept += char;
    used += width;
  }
  return `${kept}…`;
};

/** The same for a path, where the end matters most. */
export const clipStart = (text: string, cells: number): string => {
  if (cellWidthOf(text) <= cells) return text;
  const backwards = (forwards: string): string => Array.from(forwards).toReversed().join("");
  return backwards(clip(backwards(text), cells));
};

/** The same text in pieces: the first and the others each have a max width. Styles continue over a break. */
export const broken = (text: string, first: number, rest: number): string[] => {
  const all: string[] = [];
  let piece = "";
  let used = 0;
  for (const [unit] of text.matchAll(UNITS)) {
    const width = unit.length > KEY.length ? 0 : cellsOfChar(unit.codePointAt(0)!);
    if (used > 0 && used + width > (all.length === 0 ? first : rest)) {
      all.push(piece);
      piece = "";
      used = 0;
    }
    piece += unit;
    used += width;
  }
  return [...all, piece];
};
const UNITS = new RegExp(`${TOKEN.source}|[^]`, "gu");

/** Joins words to lines of at most `width` cells. A longer word stays whole. */
export const wrapWords = (words: readonly string[], width: number, between = " "): string[] => {
  const lines: string[] = [];
  let line = "";
  for (const word of words) {
    const longer = line === "" ? word : line + between + word;
    if (line !== "" && cellWidthOf(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return line === "" ? lines : [...lines, line];
};

/** Output of a command that shows a session. */
export interface SessionOutput {
  readonly json: boolean;
  readonly write: (text: string) => void;
  readonly say: (text: string) => void;
  readonly paint: Paint;
  readonly width: number;
  /** The column where the terminal wraps lines. Default: never. */
  readonly columns?: number;
  /** A person can answer. */
  readonly interactive: boolean;
  readonly signal: AbortSignal;
}
