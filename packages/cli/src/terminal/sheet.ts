// Where text goes on the terminal: sections with empty lines between them, indentation, and texts that grow. Only one text grows
// at a time, and what arrives meanwhile waits until it is complete. It knows nothing of sessions.

import { FlowingText } from "./flowing-text.ts";
import { cellWidthOf, clip } from "./terminal.ts";
import type { Paint } from "./terminal.ts";
import { oneLine } from "./tool-lines.ts";

/** Sections are separated by an empty line. Texts and titles are also separated from each other. */
export type Section = "title" | "text" | "tools" | "note" | "list" | "end";
export type Style = Parameters<Paint>[0];

export interface SheetOptions {
  readonly write: (text: string) => void;
  readonly paint: Paint;
  readonly width: number;
  /** The column where the screen wraps lines. Default: never. */
  readonly columns?: number;
}

/** Longer lines of prose are hard to read. */
const MOST_TEXT_CELLS = 100;
export const INDENT = "  ";
export const INNER = "    ";

export class Sheet {
  readonly #options: SheetOptions;
  readonly #beforeSection: (section: Section) => void;
  #section: Section | undefined;
  /** The text that grows, or that grew last. */
  #growing: { readonly id: string; readonly text: string } | undefined;
  #flow: FlowingText | undefined;
  #later: (() => void)[] = [];

  constructor(options: SheetOptions, beforeSection: (section: Section) => void) {
    this.#options = options;
    this.#beforeSection = beforeSection;
  }

  get section(): Section | undefined {
    return this.#section;
  }
  /** Read each time, because a terminal may be resized. */
  get width(): number {
    return this.#options.width;
  }

  begin(section: Section): void {
    this.#beforeSection(section);
    if (this.#section !== undefined && (this.#section !== section || section === "text" || section === "title")) {
      this.#options.write("\n");
    }
    this.#section = section;
  }

  line(text: string): void {
    this.#options.write(`${text.trimEnd()}\n`);
  }

  /** A whole text. */
  text(text: string, style?: Style, first?: string): void {
    const flow = this.#newFlow(style, first);
    flow.push(text);
    flow.end();
  }

  title(text: string, about: string): void {
    this.begin("title");
    this.line(INDENT + this.#options.paint("bold", text));
    this.text(about, "dim");
  }

  chapter(number: number, total: number, text: string): void {
    const { paint } = this.#options;
    this.complete();
    this.begin("title");
    const count = ` ${number}/${total}  `;
    const label = `${count}${clip(oneLine(text), this.width - count.length - 3)} `;
    const rule = "━".repeat(this.width - cellWidthOf(label) - 2);
    this.line(paint("cyan", "━━") + paint(["cyan", "bold"], label) + paint("cyan", rule));
  }

  /** Runs the step now, or when the growing text is complete. */
  whenFree(step: () => void): void {
    if (this.isFree) step();
    else this.#later.push(step);
  }

  get isFree(): boolean {
    return this.#flow === undefined;
  }
  /** The text that grows now. */
  get growing(): string | undefined {
    return this.#flow && this.#growing?.id;
  }

  /** What is written of a text that has this id now. Empty if the text has changed. */
  writtenOf(id: string, text: string): string {
    return this.#growing?.id === id && text.startsWith(this.#growing.text) ? this.#growing.text : "";
  }

  /** Writes what the text has gained. Another text does not begin before this one is complete. */
  grow(id: string, text: string, style?: Style): void {
    if (this.#flow === undefined) {
      const isKnown = this.#growing?.id === id;
      if (isKnown && this.#growing?.text === text) return;
      this.begin("text");
      this.#flow = this.#newFlow(style);
      if (!isKnown) this.#growing = { id, text: "" };
    }
    if (this.#growing?.id !== id || !text.startsWith(this.#growing.text)) return;
    this.#flow.push(text.slice(this.#growing.text.length));
    this.#growing = { id, text };
  }

  /** Ends the growing text, then runs what waited. */
  complete(): void {
    this.#flow?.end();
    this.#flow = undefined;
    const steps = this.#later;
    this.#later = [];
    for (const step of steps) step();
  }

  #newFlow(style?: Style, first?: string): FlowingText {
    const { write, paint, columns = Infinity } = this.#options;
    return new FlowingText(write, {
      paint,
      width: Math.min(this.width, MOST_TEXT_CELLS),
      columns,
      indent: INDENT,
      ...(style !== undefined && { style }),
      ...(first !== undefined && { first }),
    });
  }
}
