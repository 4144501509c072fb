// Splits a model's text into blocks while it is being streamed. A block is finished only when no later text can change
// it, so a finished block never changes. The result depends only on the text, not on how it arrived in pieces. Each
// line is read once. This file knows where blocks end, not what they mean.

export interface MarkdownBlock {
  /** `code` is one fence, including its first line. */
  readonly kind: "prose" | "code";
  readonly text: string;
}

interface Fence {
  readonly mark: string;
  readonly length: number;
  /** The block is only this fence. */
  readonly whole: boolean;
  readonly inList: boolean;
}

/** A `<details>` that is longer ends like any other block. */
const LONG_DETAILS = 16_384;

/** A list may be endless. Above this size it is split between two items. */
const LONG_LIST = 8_192;

type Verdict = "begins" | "goes-on" | "unknown";

export class BlockSplitter {
  readonly #finished: MarkdownBlock[] = [];
  /** Only the open block: finished blocks must not hold the whole earlier text. */
  #text = "";
  /** Start of the next line to read. */
  #lineAt = 0;
  #fence: Fence | undefined;
  #isCode = false;
  #isEmpty = true;
  #inList = false;
  #afterBlank = false;
  /** How many `<details>` are open. The block ends with the last one. */
  #details = 0;
  /** The text so far needs no blank line to end: a heading, a closed fence. */
  #isComplete = false;

  /** Blocks that will not change. */
  get finished(): readonly MarkdownBlock[] {
    return this.#finished;
  }

  /** The block that is still being written. */
  get open(): MarkdownBlock {
    return { kind: this.#isCode ? "code" : "prose", text: this.#text };
  }

  append(more: string): void {
    this.#text += more;
    for (;;) {
      const end = this.#text.indexOf("\n", this.#lineAt);
      const isWhole = end !== -1;
      const line = this.#text.slice(this.#lineAt, isWhole ? end : undefined);
      // A fence inside a list ends with its item.
      if (this.#fence?.inList === true && line !== "" && indentOf(line) === 0) this.#fence = undefined;
      if (this.#fence === undefined && !this.#isEmpty) {
        const verdict = this.#verdictOn(line, isWhole);
        if (verdict === "unknown") return;
        if (verdict === "begins") this.#finish();
      }
      if (!isWhole) return;
      this.#take(line);
      this.#lineAt += line.length + 1;
    }
  }

  #finish(): void {
    this.#finished.push({ kind: this.#isCode ? "code" : "prose", text: this.#text.slice(0, this.#lineAt) });
    this.#text = this.#text.slice(this.#lineAt);
    this.#lineAt = 0;
    this.#isCode = false;
    this.#isEmpty = true;
    this.#inList = false;
    this.#afterBlank = false;
    this.#isComplete = false;
    this.#details = 0;
  }

  /**
   * Whether a block begins with this line. For an unfinished line, only what will still be true when it is finished.
   */
  #verdictOn(line: string, isWhole: boolean): Verdict {
    const indent = indentOf(line);
    if (indent === line.length) return isWhole ? "goes-on" : "unknown";
    if (this.#isComplete) return "begins";
    if (this.#details > 0 && this.#lineAt <= LONG_DETAILS) return "goes-on";
    if (indent > 0) return "goes-on";
    const isLong = this.#lineAt > LONG_LIST;
    if (this.#afterBlank) {
      if (!this.#inList) return "begins";
      const item = isItem(line, isWhole);
      if (item === undefined) return "unknown";
      return item && !isLong ? "goes-on" : "begins";
    }
    if (this.#inList && isLong) {
      const item = isItem(line, isWhole);
      if (item !== false) return item === undefined ? "unknown" : "begins";
    }
    return interrupts(line, isWhole);
  }

  #take(line: string): void {
    if (this.#fence !== undefined) {
      this.#afterBlank = indentOf(line) === line.length;
      if (!closes(line, this.#fence)) return;
      this.#isComplete = this.#fence.whole;
      this.#fence = undefined;
      return;
    }
    if (indentOf(line) === line.length) {
      this.#afterBlank = !this.#isEmpty;
      return;
    }
    const isFirst = this.#isEmpty;
    this.#isEmpty = false;
    this.#afterBlank = false;
    this.#isComplete = this.#details === 0 && /^#{1,6}(?:[ \t]|$)/.test(line);
    if (this.#details > 0 || (isFirst && DETAILS.test(line))) {
      this.#details = Math.max(0, this.#details + countOf(line, "<details") - countOf(line, "</details"));
      this.#isComplete = this.#details === 0;
    }
    if (!this.#inList && isItem(line.slice(Math.min(indentOf(line), 3)), true) === true) this.#inList = true;
    const fence = fenceOf(line, this.#inList);
    if (fence === undefined) return;
    const whole = isFirst && fence.at === 0;
    this.#fence = { mark: fence.mark, length: fence.length, whole, inList: this.#inList };
    this.#isCode = whole;
  }
}

/** A part that a reader can fold. */
export const DETAILS = /^<details(?: open)?>/i;

const countOf = (line: string, mark: string): number => line.toLowerCase().split(mark).length - 1;

/** All blocks of a finished text. */
export const blocksOf = (text: string): readonly MarkdownBlock[] => {
  const splitter = new BlockSplitter();
  splitter.append(text);
  const { finished, open } = splitter;
  return open.text === "" ? finished : [...finished, open];
};

const indentOf = (line: string): number => {
  let at = 0;
  while (line[at] === " " || line[at] === "\t" || line[at] === "\r") at++;
  return at;
};

/** Whether a line without indent is a list item. `undefined` while its mark may still continue. */
const isItem = (line: string, isWhole: boolean): boolean | undefined => {
  let at = 0;
  while (at < 9 && isDigit(line[at])) at++;
  if (at > 0) {
    if (at === line.length && !isWhole) return undefined;
    if (line[at] !== "." && line[at] !== ")") return false;
  } else if (line[0] !== "-" && line[0] !== "*" && line[0] !== "+") return false;
  const after = line[at + 1];
  if (after === undefined) return isWhole ? true : undefined;
  return after === " " || after === "\t" || after === "\r";
};
const isDigit = (char: string | undefined): boolean => char !== undefined && char >= "0" && char <= "9";

/** Headings and fences need no blank line before them. */
const interrupts = (line: string, isWhole: boolean): Verdict => {
  if (line[0] === "#") {
    let at = 1;
    while (at < 7 && line[at] === "#") at++;
    if (at > 6) return "goes-on";
    if (at === line.length) return isWhole ? "begins" : "unknown";
    return line[at] === " " || line[at] === "\t" || line[at] === "\r" ? "begins" : "goes-on";
  }
  if (line[0] === "`" || line[0] === "~") {
    if (isWhole) return fenceOf(line, false) === undefined ? "goes-on" : "begins";
    const mark = line[0];
    return line.slice(0, 3) === mark.repeat(Math.min(line.length, 3)) ? "unknown" : "goes-on";
  }
  return "goes-on";
};

const fenceOf = (line: string, inList: boolean): { mark: string; length: number; at: number } | undefined => {
  let at = indentOf(line);
  if (at > 3 && !inList) return undefined;
  // Item marks may come before it: "- ```".
  if (inList) {
    for (let item = markAt(line, at); item !== null; item = markAt(line, at)) at += item[0].length;
  }
  const mark = line[at];
  if (mark !== "`" && mark !== "~") return undefined;
  let end = at;
  while (line[end] === mark) end++;
  if (end - at < 3 || (mark === "`" && line.includes("`", end))) return undefined;
  return { mark, length: end - at, at };
};

const markAt = (line: string, at: number): RegExpExecArray | null =>
  /^(?:[-*+]|\d{1,9}[.)])[ \t]+/.exec(line.slice(at, at + 40));

const closes = (line: string, fence: Fence): boolean => {
  const at = indentOf(line);
  if (fence.whole && at > 3) return false;
  let end = at;
  while (line[end] === fence.mark) end++;
  return end - at >= fence.length && indentOf(line.slice(end)) === line.length - end;
};
