// Output of a terminal program, as runs of text with a style. Only colors and weights (SGR) are used. All other escapes
// (moves, titles, clipboard, links) are dropped. After a carriage return the line is written again, like a progress bar
// does. One pass, so that no input makes it slow.

/** 0-15 by name, 16-255 from the color cube, or `#rrggbb`. */
export type AnsiColor = number | `#${string}`;

export interface AnsiStyle {
  readonly color?: AnsiColor;
  readonly background?: AnsiColor;
  readonly bold?: true;
  readonly dim?: true;
  readonly italic?: true;
  readonly underline?: true;
  readonly strike?: true;
  readonly inverse?: true;
}

export interface AnsiRun {
  readonly text: string;
  readonly style: AnsiStyle;
}

export type AnsiLine = readonly AnsiRun[];

const PLAIN: AnsiStyle = {};
const ESC = "\u001B";

export const hasAnsi = (text: string): boolean => text.includes(ESC) || text.includes("\r") || text.includes("\b");

/** Lines of runs. A style continues over the end of a line. */
export const readAnsi = (text: string): readonly AnsiLine[] => {
  const lines: AnsiLine[] = [];
  let line = new LineWriter();
  let style = PLAIN;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === 0x1b) {
      const escape = endOfEscape(text, at);
      if (escape.sgr !== undefined) style = styleAfter(style, escape.sgr);
      at = escape.end;
    } else if (code === 0x0a) {
      lines.push(line.runs());
      line = new LineWriter();
      at++;
    } else if (code === 0x0d) {
      line.returnToStart();
      at++;
    } else if (code === 0x08) {
      line.back();
      at++;
    } else if (code < 0x20 && code !== 0x09) at++;
    else {
      let end = at + 1;
      while (end < text.length && isPrinted(text.charCodeAt(end))) end++;
      line.write(text.slice(at, end), style);
      at = end;
    }
  }
  lines.push(line.runs());
  return lines;
};

const isPrinted = (code: number): boolean => code >= 0x20 || code === 0x09;

/** A line that a carriage return may restart. */
class LineWriter {
  #runs: { text: string; style: AnsiStyle }[] = [];
  #returned = false;

  write(text: string, style: AnsiStyle): void {
    if (this.#returned) this.#runs = [];
    this.#returned = false;
    const last = this.#runs.at(-1);
    if (last !== undefined && last.style === style) last.text += text;
    else this.#runs.push({ text, style });
  }

  returnToStart(): void {
    this.#returned = true;
  }

  back(): void {
    const last = this.#runs.at(-1);
    if (last === undefined || this.#returned) return;
    last.text = last.text.slice(0, -1);
    if (last.text === "") this.#runs.pop();
  }

  runs(): AnsiLine {
    return this.#runs;
  }
}

interface Escape {
  readonly end: number;
  readonly sgr?: string;
}

/** An unterminated escape drops at most this many characters. */
const LONGEST = 4_096;

const endOfEscape = (text: string, start: number): Escape => {
  const kind = text[start + 1];
  if (kind === "[") {
    let at = start + 2;
    while (at < text.length && at - start < LONGEST) {
      const code = text.charCodeAt(at);
      if (code >= 0x40 && code <= 0x7e) {
        return text[at] === "m" ? { end: at + 1, sgr: text.slice(start + 2, at) } : { end: at + 1 };
      }
      if (code < 0x20 || code > 0x3f) return { end: at };
      at++;
    }
    return { end: at };
  }
  if (kind === "]" || kind === "P" || kind === "^" || kind === "_" || kind === "X") {
    const limit = Math.min(text.length, start + LONGEST);
    for (let at = start + 2; at < limit; at++) {
      if (text[at] === "\u0007") return { end: at + 1 };
      if (text[at] === ESC && text[at + 1] === "\\") return { end: at + 2 };
      if (text[at] === "\n") return { end: at };
    }
    return { end: limit };
  }
  // "ESC ( B" selects a character set. Others have one character.
  return { end: start + (kind === "(" || kind === ")" ? 3 : 2) };
};

const styleAfter = (before: AnsiStyle, sgr: string): AnsiStyle => {
  if (sgr === "" || sgr === "0") return PLAIN;
  const style: Mutable<AnsiStyle> = { ...before };
  const codes = sgr.split(/[;:]/, 64).map(Number);
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at]!;
    if (code === 38 || code === 48) {
      const color = chosenColor(codes, at);
      if (color === undefined) break;
      style[code === 38 ? "color" : "background"] = color.color;
      at += color.taken;
    } else applyCode(style, code);
  }
  return style;
};

const FLAGS: Readonly<Record<number, "bold" | "dim" | "italic" | "underline" | "inverse" | "strike">> = {
  1: "bold",
  2: "dim",
  3: "italic",
  4: "underline",
  7: "inverse",
  9: "strike",
};
const UNSET: Readonly<Record<number, readonly (keyof AnsiStyle)[]>> = {
  22: ["bold", "dim"],
  23: ["italic"],
  24: ["underline"],
  27: ["inverse"],
  29: ["strike"],
  39: ["color"],
  49: ["background"],
};

const applyCode = (style: Mutable<AnsiStyle>, code: number): void => {
  const flag = FLAGS[code];
  if (flag !== undefined) style[flag] = true;
  else if (code >= 30 && code <= 37) style.color = code - 30;
  else if (code >= 90 && code <= 97) style.color = code - 82;
  else if (code >= 40 && code <= 47) style.background = code - 40;
  else if (code >= 100 && code <= 107) style.background = code - 92;
  else if (code === 0) for (const key of Object.keys(style) as (keyof AnsiStyle)[]) delete style[key];
  else for (const key of UNSET[code] ?? []) delete style[key];
};

const chosenColor = (codes: readonly number[], at: number): { color: AnsiColor; taken: number } | undefined => {
  const [kind, a, b, c] = codes.slice(at + 1, at + 5);
  if (kind === 5 && isByte(a)) return { color: a < 16 ? a : cubeColor(a), taken: 2 };
  if (kind === 2 && isByte(a) && isByte(b) && isByte(c)) return { color: hex(a, b, c), taken: 4 };
  return undefined;
};
const isByte = (value: number | undefined): value is number =>
  value !== undefined && Number.isInteger(value) && value >= 0 && value < 256;

const cubeColor = (index: number): AnsiColor => {
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return hex(grey, grey, grey);
  }
  const step = (value: number) => (value === 0 ? 0 : 55 + value * 40);
  const at = index - 16;
  return hex(step(Math.floor(at / 36)), step(Math.floor(at / 6) % 6), step(at % 6));
};
const hex = (...parts: readonly number[]): AnsiColor =>
  `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
