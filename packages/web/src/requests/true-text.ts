// Text as it really is: what is allowed must be what was read. Characters that cannot be seen, that turn the direction of
// what follows, or that only look like a space become marks; joined again, the pieces are the text, character for
// character. Linear in the text.

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

/** Control, format, unassigned, private use, lone surrogates, spaces that are no space, variation selectors, fillers. */
const MARKED =
  // oxlint-disable-next-line no-misleading-character-class -- they are meant one by one
  /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u;

export const piecesOf = (text: string): Piece[] => {
  const pieces: Piece[] = [];
  const lines = text.split("\n");
  lines.forEach((line, at) => {
    // Spaces at the end of a line are part of what is allowed.
    const end = lengthWithoutTail(line);
    addLine(pieces, line.slice(0, end));
    if (end < line.length) pieces.push(tailOf(line.slice(end)));
    if (at < lines.length - 1) addText(pieces, "\n");
  });
  return pieces;
};

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
  const flush = (): void => {
    addText(pieces, plain);
    if (run !== "") pieces.push(markOf(run));
    plain = run = "";
  };
  for (const character of line) {
    if (!MARKED.test(character) || character === "\t") {
      if (run !== "") flush();
      plain += character;
    } else {
      if (run !== "" && character !== runOf) flush();
      runOf = character;
      run += character;
    }
  }
  flush();
};

/** The same character several times is one mark. */
const markOf = (run: string): Piece => {
  const code = run.codePointAt(0)!;
  const times = run.length / String.fromCodePoint(code).length;
  const label = `U+${code.toString(16).toUpperCase().padStart(4, "0")}${times > 1 ? ` ×${times}` : ""}`;
  return { kind: "mark", text: run, label, about: NAMES[code] ?? "a character that cannot be seen" };
};

const lengthWithoutTail = (line: string): number => {
  let end = line.length;
  while (end > 0 && (line[end - 1] === " " || line[end - 1] === "\t")) end--;
  // A line of spaces alone is an indented blank one.
  return end === 0 ? line.length : end;
};

const tailOf = (spaces: string): Piece => ({
  kind: "mark",
  text: spaces,
  label: spaces.length > 3 ? `␣ ×${spaces.length}` : "␣".repeat(spaces.length),
  about: "space at the end of a line",
});

const SCRIPTS: readonly (readonly [string, RegExp])[] = [
  ["Latin", /\p{Script=Latin}/u],
  ["Cyrillic", /\p{Script=Cyrillic}/u],
  ["Greek", /[\p{Script=Greek}--[\u00b5\u03bc]]/v],
  ["Armenian", /\p{Script=Armenian}/u],
  ["Cherokee", /\p{Script=Cherokee}/u],
  ["Coptic", /\p{Script=Coptic}/u],
];

/** Words in which alphabets are mixed that look alike: `раypal` with a Cyrillic р and а. */
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

/** What a reader should be told before the text itself. */
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

export const byteLength = (text: string): number => new TextEncoder().encode(text).length;
