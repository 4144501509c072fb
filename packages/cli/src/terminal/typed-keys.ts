// What a person types at a terminal, as keys, text and pasted blocks. A pasted block never submits anything: its newlines are part of one
// prompt. readline gets the rest.

import { PassThrough } from "node:stream";
import { StringDecoder } from "node:string_decoder";

const PASTE = "\u001b[200~";
const PASTED = "\u001b[201~";
/** A longer block is cut. The server takes no longer prompt. */
const MOST_PASTED = 1_000_000;
// oxlint-disable-next-line no-control-regex
const KEYS = /\u001b\[[0-9;]*[~A-Za-z]|\u001bO.|[^]/gu;

/** Not the Esc key, which is one character. */
// oxlint-disable-next-line no-control-regex
const CUT = /\u001b\[[0-9;]*$/u;

export interface KeyInput {
  readonly isTTY?: boolean;
  readonly isRaw?: boolean;
  setRawMode?(raw: boolean): unknown;
  on(event: "data", listener: (chunk: Buffer) => void): unknown;
  on(event: "end", listener: () => void): unknown;
  off(event: "data", listener: (chunk: Buffer) => void): unknown;
  off(event: "end", listener: () => void): unknown;
  pause(): unknown;
  resume(): unknown;
}

export interface TypedKeysOptions {
  readonly input: KeyInput;
  readonly onPaste: (text: string) => void;
  readonly suspend: () => void;
  /** A key goes to readline. */
  readonly onTyped: (key: string) => void;
}

export class TypedKeys {
  readonly #options: TypedKeysOptions;
  readonly #decoder = new StringDecoder("utf8");
  /** For readline. */
  readonly lines = new PassThrough();
  #held = "";
  #pasted: string | undefined;
  /** Set while a person picks from a list. */
  onKey: ((key: string) => void) | undefined;
  readonly #onData = (chunk: Buffer): void => this.#take(this.#decoder.write(chunk));
  readonly #onEnd = (): void => void this.lines.end();

  constructor(options: TypedKeysOptions) {
    this.#options = options;
    const { input } = options;
    input.setRawMode?.(true);
    input.on("data", this.#onData);
    input.on("end", this.#onEnd);
    // An earlier keyboard may have paused it.
    input.resume();
  }

  close(): void {
    const { input } = this.#options;
    input.off("data", this.#onData);
    input.off("end", this.#onEnd);
    input.setRawMode?.(false);
    input.pause();
  }

  #take(added: string): void {
    let text = this.#held + added;
    this.#held = "";
    while (text !== "") {
      if (this.#pasted !== undefined) {
        const end = text.indexOf(PASTED);
        const safe = end === -1 ? Math.max(0, text.length - PASTED.length + 1) : end;
        this.#pasted = (this.#pasted + text.slice(0, safe)).slice(0, MOST_PASTED);
        if (end === -1) {
          this.#held = text.slice(safe);
          return;
        }
        const pasted = this.#pasted;
        this.#pasted = undefined;
        text = text.slice(end + PASTED.length);
        this.#options.onPaste(plainText(pasted));
        continue;
      }
      const start = text.indexOf(PASTE);
      if (start === -1) {
        // A slow connection may cut a sequence. The rest of a cut mark would be typed keys.
        const whole = text.replace(CUT, "");
        this.#held = text.slice(whole.length);
        return this.#pass(whole);
      }
      this.#pass(text.slice(0, start));
      this.#pasted = "";
      text = text.slice(start + PASTE.length);
    }
  }

  #pass(text: string): void {
    for (const [key] of text.matchAll(KEYS)) {
      if (key === "\u001a") this.#options.suspend();
      else if (this.onKey !== undefined) this.onKey(key);
      else {
        this.#options.onTyped(key);
        this.lines.write(key);
      }
    }
  }
}

/** Without characters that act on a terminal. */
const plainText = (text: string): string =>
  text
    .replaceAll(/\r\n?/gu, "\n")
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/gu, "");
