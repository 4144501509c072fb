// Shows text as it really is, because a person must see exactly what they allow. Invisible characters, characters that change
// the text direction, and characters that look like a space become marks. The joined pieces are the exact text. The page
// and the terminal share this file. Linear in the text.

export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "mark"; readonly text: string; readonly label: string; readonly about: string };

const NAMES: Readonly<Record<number, string>> = {
  0x00: "NUL",
  0x07: "bell",
  0x08: "backspace",
  0x09: "tab",
  0x0b: "vertical tab",
  0x0c: "form feed",
  0x0d: "carriage return",
  0x1b: "escape",
  0x7f: "delete",
  0x85: "next line",
  0xa0: "no-break space",
  0xad: "soft hyphen",
  0x061c: "Arabic letter mark",
  0x200b: "zero width space",
  0x200c: "zero width non-joiner",
  0x200d: "zero width joiner",
  0x200e: "left-to-right mark",
  0x200f: "right-to-left mark",
  0x2028: "line separator",
  0x2029: "paragraph separator",
  0x202a: "left-to-right embedding",
  0x202b: "right-to-left embedding",
  0x202c: "pop directional formatting",
  0x202d: "left-to-right override",
  0x202e: "right-to-left override",
  0x2060: "word joiner",
  0x2066: "left-to-right isolate",
  0x2067: "right-to-left isolate",
  0x2068: "first strong isolate",
  0x2069: "pop directional isolate",
  0x3000: "ideographic space",
  0xfeff: "byte order mark",
};

/**
 * By property, so that a new version of Unicode needs no change here. C: control, format, unassigned, private use and
 * lone surrogates. Z: separators except the space. Also everything that fonts draw as nothing. The single characters
 * have a visible category and an empty glyph: object replacement, blank braille, null notehead, blank hieroglyphs,
 * Khitan filler.
 */
const HIDDEN =
  /[[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\p{Variation_Selector}\u2800\ufffc\u{1d159}\u{13441}\u{13442}\u{16fe4}]--[ ]]/v;
const COMBINING = /\p{M}/u;
/** Accents for any script. Other marks belong to one script, and many are invisible in another. */
const SHARED_MARK = /\p{Script=Inherited}/u;

/** Their category also hides tab and newline, but `piecesOf` shows them unchanged. */
export const isHidden = (character: string): boolean => HIDDEN.test(character);

/** A combining mark without a letter, or on an ASCII letter with which its script cannot combine. */
const isStray = (character: string, before: string): boolean =>
  COMBINING.test(character) &&
  (before === "" || before === " " || before === "\t" || (before < "\x7f" && !SHARED_MARK.test(character)));

export const piecesOf = (text: string): Piece[] => {
  const pieces: Piece[] = [];
  const lines = text.split("\n");
  lines.forEach((line, at) => {
    // Spaces at the end of a line are part of the text, so they get marks.
    const end = lengthWithoutTail(line);
    addLine(pieces, line.slice(0, end));
    if (end < line.length) for (const run of line.slice(end).match(TAILS) ?? []) pieces.push(tailOf(run));
    if (at < lines.length - 1) addText(pieces, "\n");
  });
  return pieces;
};

const TAILS = / +|\t+/gu;

const addText = (pieces: Piece[], text: string): void => {
  const last = pieces.at(-1);
  if (text === "") return;
  if (last?.kind === "text") pieces[pieces.length - 1] = { kind: "text", text: last.text + text };
  else pieces.push({ kind: "text", text });
};

const addLine = (pieces: Piece[], line: string): void => {
  let plain = "";
  let run = "";
  let runOf = "";
  let before = "";
  const flush = (): void => {
    addText(pieces, plain);
    if (run !== "") pieces.push(markOf(run));
    plain = run = "";
  };
  for (const character of line) {
    // A fast path for most characters.
    const code = character.charCodeAt(0);
    const isPlain = (code >= 0x20 && code < 0x7f) || code === 0x09;
    const isMarked = !isPlain && (isHidden(character) || isStray(character, before));
    if (!isMarked) {
      if (run !== "") flush();
      plain += character;
    } else {
      if (run !== "" && character !== runOf) flush();
      runOf = character;
      run += character;
    }
    // A letter keeps all its accents. A stray accent has none.
    if (isMarked) before = "";
    else if (isPlain || !COMBINING.test(character)) before = character;
  }
  flush();
};

/** The same character several times is one mark. */
const markOf = (run: string): Piece => {
  const code = run.codePointAt(0)!;
  const times = run.length / String.fromCodePoint(code).length;
  return {
    kind: "mark",
    text: run,
    label: timesOf(codeLabel(code), times),
    about:
      NAMES[code] ?? (COMBINING.test(run) ? "a combining mark without its letter" : "a character that cannot be seen"),
  };
};

const codeLabel = (code: number): string => `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
const timesOf = (label: string, times: number): string => (times > 1 ? `${label} ×${times}` : label);

const lengthWithoutTail = (line: string): number => {
  let end = line.length;
  while (end > 0 && (line[end - 1] === " " || line[end - 1] === "\t")) end--;
  // A line of only spaces is an indented blank line.
  return end === 0 ? line.length : end;
};

const tailOf = (run: string): Piece => {
  const [sign, name] = run[0] === "\t" ? ["⇥", "tab"] : ["␣", "space"];
  const label = run.length > 3 ? timesOf(sign, run.length) : sign.repeat(run.length);
  return { kind: "mark", text: run, label, about: `${name} at the end of a line` };
};

/** The label of a mark names its character, so labels alone lose nothing. */
export const charactersOf = (label: string): string => {
  const [, sign = "", code, times = "1"] = /^(U\+([0-9A-F]{4,6})|[␣⇥]+)(?: ×(\d+))?$/u.exec(label) ?? [];
  const characters =
    code === undefined
      ? sign.replaceAll("␣", " ").replaceAll("⇥", "\t")
      : String.fromCodePoint(Number.parseInt(code, 16));
  return characters.repeat(Number(times));
};

/**
 * The same as plain text: marks are in ‹ ›, and a ‹ in the text is a mark itself. So the result can be read in only one way.
 * `asMark` may add a style to a mark.
 */
export const visibleText = (text: string, asMark: (mark: string) => string = (mark) => mark): string =>
  piecesOf(text)
    .map((piece) => (piece.kind === "mark" ? asMark(`‹${piece.label}›`) : piece.text.replaceAll("‹", asMark(LITERAL))))
    .join("");
const LITERAL = `‹${codeLabel(0x2039)}›`;

/** The same on one line: a line break becomes a mark, too. */
export const visibleLine = (text: string): string => visibleText(text).replaceAll("\n", `‹${codeLabel(0x0a)}›`);

/**
 * For text that is read but not allowed, such as an export. Wide spaces stay, and so do the joiners and selectors of emoji and
 * some scripts, one after each character. All other hidden characters become marks.
 */
export const readableText = (text: string): string =>
  text.replaceAll(/[^\n\t -~]/gu, (character, at: number) =>
    !isHidden(character) || WIDE_SPACE.test(character) || isJoined(character, characterBefore(text, at))
      ? character
      : `‹${codeLabel(character.codePointAt(0)!)}›`,
  );
const WIDE_SPACE = /\p{Zs}/u;
const JOINERS: ReadonlySet<string> = new Set(["\u200c", "\u200d", "\ufe0e", "\ufe0f"]);
const JOINED = /[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}]/u;

const isJoined = (character: string, before: string): boolean =>
  JOINERS.has(character) &&
  (before === "\ufe0f" ? character === "\u200d" : before > "\x7f" && !isHidden(before) && JOINED.test(before));

const characterBefore = (text: string, at: number): string =>
  Array.from(text.slice(Math.max(0, at - 2), at)).at(-1) ?? "";

/** The text behind `visibleText`. */
export const textBehind = (visible: string): string =>
  visible.replaceAll(/‹([^›]*)›/gu, (_, label: string) => charactersOf(label));

const SCRIPTS: readonly (readonly [string, RegExp])[] = [
  ["Latin", /\p{Script=Latin}/u],
  ["Cyrillic", /\p{Script=Cyrillic}/u],
  ["Greek", /[\p{Script=Greek}--[\u00b5\u03bc]]/v],
  ["Armenian", /\p{Script=Armenian}/u],
  ["Cherokee", /\p{Script=Cherokee}/u],
  ["Coptic", /\p{Script=Coptic}/u],
];

/** Words that mix alphabets with similar letters: `раypal` with a Cyrillic р and а. */
export const mixedWordsOf = (text: string): string[] => {
  const found = new Set<string>();
  for (const [word] of text.matchAll(/[\p{L}\p{M}\p{N}_-]+/gu)) {
    if (/^[\p{ASCII}]*$/u.test(word)) continue;
    if (SCRIPTS.filter(([, script]) => script.test(word)).length > 1) found.add(word);
  }
  return [...found];
};

/** Every text of an input, however deep, and the names of its fields. */
export const textsIn = (value: unknown): string[] => {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, field]) => [key, ...textsIn(field)]);
};

/** Warnings to show before the text. */
export const warningsOf = (text: string, how = "shown as marks"): string[] => {
  const warnings: string[] = [];
  const marks = piecesOf(text).filter((piece) => piece.kind === "mark");
  const hidden = marks
    .filter(({ label }) => label.startsWith("U+"))
    .reduce((sum, { text: run }) => sum + Array.from(run).length, 0);
  if (hidden > 0) warnings.push(`${hidden} hidden character${hidden === 1 ? "" : "s"}, ${how}`);
  const words = mixedWordsOf(text);
  if (words.length > 0) warnings.push(`letters of different alphabets in one word: ${words.slice(0, 3).join(", ")}`);
  return warnings;
};

/** JSON with an escape for each invisible character: the same value for programs, harmless on a terminal. */
export const jsonText = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replaceAll(/[^\n -~]/gu, (character) =>
    isHidden(character)
      ? character.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      : character,
  );
