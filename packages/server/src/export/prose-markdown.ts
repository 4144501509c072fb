// Text as Markdown that is safe to open in any viewer. It loads nothing: images and raw HTML stay text. A link stays a
// link only if its text cannot be mistaken for another address. Otherwise both text and address are shown. Headings are
// smaller than those of the export, so that no text can start the words of another speaker. Code stays as it was
// written. If a viewer may see code where we do not, the text gets more backslashes, never fewer.

export const proseMarkdown = (prose: string): string => {
  const out: string[] = [];
  let fence: { readonly indent: number; readonly mark: string } | undefined;
  // A line left an indented code block. From there on, viewers may disagree about what is code.
  let isUnsure = false;
  const paragraph = { knowsCode: true };
  let before = "";
  for (const line of prose.split("\n")) {
    const indent = line.length - line.trimStart().length;
    if (fence !== undefined && (line.trim() === "" || indent >= fence.indent)) {
      out.push(line);
      if (closes(line, fence.mark)) fence = undefined;
      continue;
    }
    if (fence !== undefined) {
      fence = undefined;
      isUnsure = true;
    }
    const mark = isUnsure ? undefined : /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/u.exec(line)?.[1];
    if (line.trim() === "") paragraph.knowsCode = true;
    if (mark === undefined) {
      out.push(lowered(safe(line, paragraph), before));
      before = line;
    } else {
      fence = { indent, mark };
      out.push(line);
    }
  }
  // Closes an open fence. Otherwise the rest of the export would be code.
  if (fence !== undefined) out.push(" ".repeat(fence.indent) + fence.mark);
  return out.join("\n");
};

/** Depth of the export's own headings. */
const OWN_DEPTH = 3;

/** Makes a heading smaller. Escapes a line that would turn the line before it into a heading. */
const lowered = (line: string, before: string): string =>
  /[^\s>]/u.test(before) && /^[\s>]*(?:=+|-+)\s*$/u.test(line)
    ? line.replace(/[=-]/u, "\\$&")
    : line.replace(
        /^([\s>*+\-\d.)]*)(#{1,6})(?=\s|$)/u,
        (_, start: string, marks: string) => start + "#".repeat(Math.min(6, marks.length + OWN_DEPTH)),
      );

const closes = (line: string, mark: string): boolean => {
  const text = line.trim();
  return /^ {0,3}\S/u.test(line) && text.length >= mark.length && text === mark[0]!.repeat(text.length);
};

/** A title or a name. */
export const safeLine = (line: string): string => safe(line, { knowsCode: true });

/**
 * One line outside a code block. Backticks mark code, as long as all earlier backticks of the paragraph had their match
 * in the same line and table cell. Reads each character once.
 */
const safe = (line: string, paragraph: { knowsCode: boolean }): string =>
  line
    .split("|")
    .map((cell) => safeCell(cell, paragraph))
    .join("|");

const safeCell = (line: string, paragraph: { knowsCode: boolean }): string => {
  let out = "";
  /** Where the text of a link may begin. */
  let open: number | undefined;
  const codeAt = codeIn(line);
  for (let at = 0; at < line.length; at++) {
    const character = line[at]!;
    const next = line[at + 1];
    if (character === "\\") {
      out += character + (next ?? "");
      at++;
    } else if (character === "`") {
      const { end, isClosed } = codeAt(at);
      if (!isClosed) paragraph.knowsCode = false;
      const upTo = paragraph.knowsCode ? end : at + 1;
      out += line.slice(at, upTo);
      at = upTo - 1;
    } else if (character === "<" && next !== undefined && /[a-z/!?]/iu.test(next)) {
      AUTOLINK.lastIndex = at;
      out += AUTOLINK.test(line) ? "<" : "\\<";
    } else if (character === "!" && next === "[") {
      out += "!\\[";
      open = undefined;
      at++;
    } else if (character === "[") {
      open = at + 1;
      out += character;
    } else if (character === "]") {
      const isDefinition = next === ":" && (open === undefined || /^[\s>*+\-\d.)]*\[$/u.test(line.slice(0, open)));
      if (isDefinition) out += "]\\";
      else if (next === "(" && !isOrdinary(open === undefined ? undefined : line.slice(open, at), line, at + 1))
        out += "]\\";
      else out += character;
      open = undefined;
    } else out += character;
  }
  return out;
};

const AUTOLINK = /<https?:\/\/[^\s<>@\\]{1,2000}>/uy;
const TARGET = /\(((?:https?:\/\/[\w.:-]+|mailto:)[\w~!$&'*+,;=:@%/?#.-]{0,2000})\)/uy;

const isOrdinary = (words: string | undefined, line: string, at: number): boolean => {
  TARGET.lastIndex = at;
  const target = TARGET.exec(line)?.[1];
  if (words === undefined || target === undefined) return false;
  if (/^https?:\/\/[^/?#]*@/u.test(target)) return false;
  return (
    words === target ||
    (/^[\p{L}\p{N} ,;!?'"()*_+=%#-]+$/u.test(words) && words.normalize("NFKC") === words && !/localhost/iu.test(words))
  );
};

/** What the backticks at a place open, up to a run of the same length. */
const codeIn = (line: string): ((at: number) => { readonly end: number; readonly isClosed: boolean }) => {
  const ends = new Map<number, number>();
  const found = new Map<number, { end: number; isClosed: boolean }>();
  for (const { index, 0: run } of [...line.matchAll(/`+/gu)].toReversed()) {
    const end = ends.get(run.length);
    found.set(index, { end: end ?? index + run.length, isClosed: end !== undefined });
    ends.set(run.length, index + run.length);
  }
  return (at) => found.get(at) ?? { end: at + 1, isClosed: false };
};
