// Wraps text at words as it arrives in pieces. Written text is never changed, so nothing flickers. It shows the
// Markdown that can be read from left to right: emphasis, code, headings, lists, quotes, fences. A table waits until
// its last row has arrived.

import { broken, cellWidthOf, clip, printable } from "./terminal.ts";
import type { Paint } from "./terminal.ts";

type Style = Parameters<Paint>[0];

export interface FlowOptions {
  readonly paint: Paint;
  readonly width: number;
  /** The column where the screen wraps lines. Default: never. */
  readonly columns?: number;
  /** Before every line. */
  readonly indent: string;
  /** Before the first line, instead of the indent. */
  readonly first?: string;
  readonly style?: Style;
}

const FENCE = "```";
/** Marks that switch a style on or off. A single star counts only at the edge of a word. */
const MARKS = /(\*\*|(?<![\w*])\*(?=[^\s*])|(?<=[^\s*])\*(?![\w*])|`)/;

export class FlowingText {
  readonly #write: (text: string) => void;
  readonly #options: FlowOptions;
  #hasBegun = false;
  /** Used cells of the line. Nothing of a line is written before its first word. */
  #column = 0;
  #word = "";
  #spaces = "";
  #inFence = false;
  /** Before the lines that continue a list entry or a quote. */
  #hanging = "";
  #isHeading = false;
  #isBold = false;
  #isItalic = false;
  #isCode = false;
  /** The rows of a table so far, and the row that is arriving. */
  #rows: string[] = [];
  #row: string | undefined;

  constructor(write: (text: string) => void, options: FlowOptions) {
    this.#write = write;
    this.#options = options;
  }

  push(text: string): void {
    for (const char of printable(text)) {
      if (this.#row !== undefined) this.#row = char === "\n" ? this.#endRow(this.#row) : this.#row + char;
      else if (char === "\n") this.#endLine();
      else if (char === " " || char === "\t") {
        this.#endWord();
        this.#spaces += char === "\t" ? "  " : " ";
      } else if (char === "|" && this.#isAtStart() && !this.#inFence) this.#row = char;
      else this.#word += char;
    }
  }

  end(): void {
    if (this.#row !== undefined) this.#row = this.#endRow(this.#row);
    this.#endTable();
    this.#endWord();
    if (this.#column > 0) this.#endLine();
  }

  #isAtStart(): boolean {
    return this.#column === 0 && this.#word === "";
  }

  #endLine(): void {
    this.#endWord();
    this.#endTable();
    this.#write("\n");
    this.#column = 0;
    this.#spaces = "";
    this.#hanging = "";
    this.#isHeading = false;
  }

  #endWord(): void {
    const word = this.#word;
    if (word === "") return;
    this.#word = "";
    this.#endTable();
    const parts = this.#column === 0 ? this.#firstWord(word) : this.#styled(word);
    const cells = cellWidthOf(parts);
    const isFull = this.#column + this.#spaces.length + cells > this.#options.width;
    if (this.#column > 0 && isFull && !this.#inFence) {
      this.#write("\n");
      this.#spaces = this.#hanging;
      this.#column = 0;
    }
    const before = this.#column === 0 ? this.#indent() : "";
    if (this.#column + cellWidthOf(before) + cellWidthOf(this.#spaces) + cells > this.#room)
      return this.#writeBroken(before, parts);
    this.#write(before + this.#spaces + parts);
    this.#column += cellWidthOf(before) + cellWidthOf(this.#spaces) + cells;
    this.#spaces = "";
  }

  /** The last column stays free. */
  get #room(): number {
    return (this.#options.columns ?? Number.POSITIVE_INFINITY) - 1;
  }

  /**
   * A row that the screen itself wraps has no indent and could look like a line of ours. So the text is broken before
   * that.
   */
  #writeBroken(before: string, parts: string): void {
    const { indent } = this.#options;
    const room = Math.max(10, this.#room - cellWidthOf(indent));
    let lead = before + (cellWidthOf(this.#spaces) > room - 10 ? " ".repeat(room - 10) : this.#spaces);
    if (this.#column > 0 && this.#room - this.#column - cellWidthOf(lead) < 10) {
      lead = `\n${indent}`;
      this.#column = 0;
    }
    const pieces = broken(parts, this.#room - this.#column - cellWidthOf(lead), room);
    this.#write(lead + pieces.join(`\n${indent}`));
    const last = cellWidthOf(pieces.at(-1)!);
    this.#column = pieces.length > 1 ? cellWidthOf(indent) + last : this.#column + cellWidthOf(lead) + last;
    this.#spaces = "";
  }

  #indent(): string {
    const { first, indent } = this.#options;
    const isFirst = !this.#hasBegun;
    this.#hasBegun = true;
    return isFirst ? (first ?? indent) : indent;
  }

  /** The first word of a line determines the kind of line. */
  #firstWord(word: string): string {
    const { paint } = this.#options;
    if (word.startsWith(FENCE)) {
      this.#inFence = !this.#inFence;
      return paint("dim", word);
    }
    if (this.#inFence) return this.#styled(word);
    if (/^#{1,6}$/.test(word)) this.#isHeading = true;
    else if (/^(?:[-*+•]|\d{1,3}[.)])$/.test(word)) {
      this.#hanging = " ".repeat(this.#spaces.length + word.length + 1);
      return word === "*" ? "-" : word;
    } else if (word === ">") {
      this.#hanging = `${paint("dim", "│")} `;
      return paint("dim", "│");
    }
    return this.#styled(word);
  }

  #styled(word: string): string {
    const { paint } = this.#options;
    if (this.#inFence) return paint("cyan", word);
    return word
      .split(MARKS)
      .map((part, at) => (at % 2 === 1 ? this.#switch(part) : paint(this.#looks(), part)))
      .join("");
  }

  #switch(mark: string): string {
    if (mark === "`") this.#isCode = !this.#isCode;
    // In code, a star is a star.
    else if (this.#isCode) return this.#options.paint("cyan", mark);
    else if (mark === "**") this.#isBold = !this.#isBold;
    else this.#isItalic = !this.#isItalic;
    return "";
  }

  #looks(): Style {
    if (this.#isCode) return "cyan";
    if (this.#isBold || this.#isHeading) return "bold";
    return this.#isItalic ? "italic" : (this.#options.style ?? "none");
  }

  #endRow(row: string): undefined {
    this.#rows.push(row);
    return undefined;
  }

  #endTable(): void {
    if (this.#rows.length === 0) return;
    const { paint, width } = this.#options;
    const rows = this.#rows.map(cellsOfRow);
    this.#rows = [];
    const widths = rows.reduce<number[]>((all, row) => {
      if (!isRuler(row)) row.forEach((cell, at) => (all[at] = Math.max(all[at] ?? 3, cellWidthOf(cell))));
      return all;
    }, []);
    rows.forEach((row, at) => {
      const cells = widths.map((size, column) =>
        isRuler(row) ? "─".repeat(size) : `${row[column] ?? ""}${" ".repeat(size - cellWidthOf(row[column] ?? ""))}`,
      );
      const indent = this.#indent();
      const line = clip(cells.join(isRuler(row) ? "─┼─" : " │ ").trimEnd(), width - cellWidthOf(indent));
      const style: Style = isRuler(row)
        ? "dim"
        : at === 0 && rows[1] !== undefined && isRuler(rows[1])
          ? "bold"
          : "none";
      this.#write(`${indent}${paint(style, line)}\n`);
    });
  }
}

const cellsOfRow = (row: string): string[] =>
  row
    .trim()
    .replaceAll(/^\||\|$/g, "")
    .split("|")
    .map((cell) => cell.trim().replaceAll(/\*\*|`/g, ""));
const isRuler = (row: readonly string[]): boolean => row.every((cell) => /^:?-+:?$/.test(cell));
