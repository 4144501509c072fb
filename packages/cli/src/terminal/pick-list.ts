// A list from which a person picks with keys: arrows, digits, Space for several, Enter. Where own words are allowed, other characters are
// words. Pure: it reads keys and returns lines. printer.ts draws them.

import { clip } from "./terminal.ts";
import type { Paint } from "./terminal.ts";

export interface PickOptions {
  /** One line each. */
  readonly options: readonly string[];
  readonly several?: boolean;
  /** The person may answer in words instead. */
  readonly words?: boolean;
}

export type Picked =
  | { readonly kind: "options"; readonly at: readonly number[] }
  | { readonly kind: "words"; readonly text: string }
  | { readonly kind: "cancelled" };

const [UP, DOWN] = [new Set(["\u001b[A", "\u001bOA"]), new Set(["\u001b[B", "\u001bOB"])];
const ENTER = new Set(["\r", "\n"]);
const BACK = new Set(["\u007f", "\b"]);
/** Lines around the list: the question, the words and the line of the cursor. */
const AROUND = 4;

export class PickList {
  readonly #pick: PickOptions;
  readonly #chosen = new Set<number>();
  #cursor = 0;
  #typed = "";

  constructor(pick: PickOptions) {
    this.#pick = pick;
  }

  /** One key, as the terminal sends it. Undefined: the person is not done. */
  press(key: string): Picked | undefined {
    const { options, several = false, words = false } = this.#pick;
    const last = options.length - 1;
    if (UP.has(key)) this.#cursor = Math.max(0, this.#cursor - 1);
    else if (DOWN.has(key)) this.#cursor = Math.min(last, this.#cursor + 1);
    else if (ENTER.has(key)) return this.#done(several);
    else if (BACK.has(key)) this.#typed = Array.from(this.#typed).slice(0, -1).join("");
    else if (key === "\u001b") {
      if (this.#typed === "" && !words) return { kind: "cancelled" };
      this.#typed = "";
    } else if (this.#typed === "" && /^[1-9]$/u.test(key) && Number(key) <= options.length) {
      this.#cursor = Number(key) - 1;
      if (several) this.#toggle();
    } else if (this.#typed === "" && key === " ") {
      if (several) this.#toggle();
    } else if (this.#typed === "" && several && key === ",") return undefined;
    else if (words && !/\p{Cc}/u.test(key)) this.#typed += key;
    return undefined;
  }

  /** Pasted text is words, never a key. */
  paste(text: string): void {
    if (this.#pick.words === true) this.#typed += text.replaceAll(/\s+/gu, " ");
  }

  lines({ rows, columns }: { readonly rows: number; readonly columns: number }, paint: Paint): string[] {
    const { options, several = false } = this.#pick;
    const room = Math.max(1, rows - AROUND);
    const first = Math.min(Math.max(0, this.#cursor - Math.floor(room / 2)), Math.max(0, options.length - room));
    const shown = options.slice(first, first + room).map((option, index) => {
      const at = first + index;
      const mark = several ? (this.#chosen.has(at) ? "[x] " : "[ ] ") : "";
      const digit = at < 9 ? `${String(at + 1)} ` : "  ";
      const text = clip(`${at === this.#cursor ? "›" : " "} ${digit}${mark}${option}`, columns - 1);
      return at === this.#cursor && this.#typed === "" ? paint("bold", text) : text;
    });
    if (options.length > room) shown.push(paint("dim", `  ${String(this.#cursor + 1)} of ${String(options.length)}`));
    if (this.#typed !== "") shown.push(clip(`> ${this.#typed}`, columns - 1));
    return shown;
  }

  #toggle(): void {
    if (!this.#chosen.delete(this.#cursor)) this.#chosen.add(this.#cursor);
  }

  #done(several: boolean): Picked | undefined {
    if (this.#typed.trim() !== "") return { kind: "words", text: this.#typed.trim() };
    if (this.#pick.options.length === 0) return undefined;
    const isSeveral = several && this.#chosen.size > 0;
    return { kind: "options", at: isSeveral ? [...this.#chosen].toSorted((a, b) => a - b) : [this.#cursor] };
  }
}
