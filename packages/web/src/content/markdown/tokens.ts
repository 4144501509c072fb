// Turns Markdown into tokens, with marked's lexer and three changes. Raw HTML is text, math is recognized, and the
// lexer does not get text that would make it slow. The lexer's work on emphasis is quadratic in its marks, so text with
// too many marks is shown unchanged.

import {
  getDefaults,
  Lexer,
  Tokenizer,
  type MarkedOptions,
  type Token,
  type TokenizerExtensionFunction,
  type Tokens,
} from "marked";

export interface MathToken {
  readonly type: "math";
  readonly raw: string;
  readonly tex: string;
  readonly display: boolean;
}

/** `[^1]: Words`, and the lines that follow until the next one. */
const FOOTNOTE = /^\[\^([^\]\s^]{1,40})\]:[ \t]*([^\n]*(?:\n(?!\[\^|[ \t]*\n|[ \t]*$)[^\n]+)*)(?:\n+|$)/;

export interface NoteToken {
  readonly type: "footnote" | "noteref";
  readonly raw: string;
  readonly label: string;
  readonly tokens?: Token[];
}

const footnote: TokenizerExtensionFunction = function (source) {
  const match = FOOTNOTE.exec(source);
  if (match === null) return undefined;
  const token = { type: "footnote", raw: match[0], label: match[1]!, tokens: [] };
  this.lexer.inline(match[2]!, token.tokens);
  return token;
};

const noteref: TokenizerExtensionFunction = (source) => {
  const match = /^\[\^([^\]\s^]{1,40})\](?!:)/.exec(source);
  return match === null ? undefined : { type: "noteref", raw: match[0], label: match[1]! };
};

/** Never markup: text in angle brackets is shown as the model wrote it. */
class TextOnly extends Tokenizer {
  override html(): undefined {
    return undefined;
  }
  override tag(): undefined {
    return undefined;
  }
}

/** Only the lexer: the build drops the rest of marked (vite.config.ts). */
const options: MarkedOptions = {
  ...getDefaults(),
  tokenizer: new TextOnly(),
  extensions: {
    renderers: {},
    childTokens: {},
    startBlock: [(source) => firstOf(source, "$$", "\\[", "[^")],
    block: [
      footnote,
      (source) =>
        mathAt(source, "$$", "$$", true, /^[ \t]*(?:\n|$)/) ?? mathAt(source, "\\[", "\\]", true, /^[ \t]*(?:\n|$)/),
    ],
    startInline: [(source) => firstOf(source, "$", "\\(", "[^")],
    inline: [
      noteref,
      (source) => mathAt(source, "$$", "$$", true) ?? mathAt(source, "\\(", "\\)", false) ?? dollarMath(source),
    ],
  },
};

const firstOf = (source: string, ...marks: readonly string[]): number | undefined => {
  const found = marks.map((mark) => source.indexOf(mark)).filter((at) => at !== -1);
  return found.length === 0 ? undefined : Math.min(...found);
};

/** Longer than any formula. */
const LONGEST_MATH = 4_000;

const mathAt = (
  source: string,
  open: string,
  close: string,
  display: boolean,
  after?: RegExp,
): MathToken | undefined => {
  if (!source.startsWith(open)) return undefined;
  const within = source.slice(0, LONGEST_MATH);
  const end = within.indexOf(close, open.length);
  if (end === -1) return undefined;
  const tex = within.slice(open.length, end);
  const rest = source.slice(end + close.length, end + close.length + 80);
  if (tex.trim() === "" || tex.includes("\n\n") || (after !== undefined && !after.test(rest))) return undefined;
  return { type: "math", raw: source.slice(0, end + close.length), tex: tex.trim(), display };
};

/** "$x$", but not "$5 and $10": no space inside the marks, no digit after them, one line. */
const dollarMath = (source: string): MathToken | undefined => {
  if (source[0] !== "$" || source[1] === "$" || source[1] === undefined || /\s/.test(source[1])) return undefined;
  const line = source.slice(1, LONGEST_MATH);
  const end = line.search(/[$\n]/);
  if (end <= 0 || line[end] === "\n" || /\s/.test(line[end - 1]!) || /\d/.test(line[end + 1] ?? "")) return undefined;
  if (line[end - 1] === "\\") return undefined;
  return { type: "math", raw: source.slice(0, end + 2), tex: line.slice(0, end), display: false };
};

/** `isOpen`: the text is still being streamed, so unfinished markup is closed for now. */
export const markdownTokens = (text: string, isOpen: boolean): readonly Token[] => {
  if (!isCalm(text)) return [plain(text)];
  try {
    return Lexer.lex(isOpen ? heal(text) : text, options);
  } catch {
    // Nested deeper than the lexer's recursion allows.
    return [plain(text)];
  }
};

const plain = (text: string): Tokens.Text => ({ type: "text", raw: text, text });

let heal = (text: string): string => text;
/** Until this is loaded, unfinished markup is shown as it is. */
export const loadHealing = async (): Promise<void> => {
  const { default: remend } = await import("remend");
  heal = (text) => remend(text, { links: true, images: false, setextHeadings: true });
};
/** What remend inserts for an incomplete link address. */
export const UNFINISHED_LINK = "streamdown:incomplete-link";

const LONGEST = 24_000;
const MOST_MARKS = 400;
const DEEPEST = 24;

/** Whether the lexer will be quick. Counts emphasis marks in each stretch that the lexer handles as one. */
export const isCalm = (text: string): boolean => {
  if (text.length > LONGEST) return false;
  let marks = 0;
  for (const line of text.split("\n")) {
    const start = /^[\s>]*(?:[-*+]|\d{1,9}[.)])?\s/.exec(line);
    if (line.trim() === "" || start !== null || line.startsWith("|")) marks = 0;
    let depth = 0;
    let isStart = true;
    for (const char of line) {
      if (char === "*" || char === "_" || char === "~" || char === "[") marks++;
      if (isStart && (char === ">" || char === "-" || char === "+" || char === "*")) depth++;
      else if (char !== " ") isStart = false;
    }
    if (marks > MOST_MARKS || depth > DEEPEST) return false;
  }
  return true;
};

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00A0" };

/** The lexer keeps entities unchanged. */
export const decodeEntities = (text: string): string =>
  text.includes("&")
    ? text.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-z]{2,6}));/g, (whole, decimal, hex, name) => {
        if (typeof name === "string") return ENTITIES[name] ?? whole;
        const code = decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal);
        return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : whole;
      })
    : text;
