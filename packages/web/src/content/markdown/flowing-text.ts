// A streamed text as parts for the list. A finished part stays the same object. Only the last part changes, and no more
// often than it can be drawn.

import type { Draft } from "@quarterdeck/client";
import { BlockSplitter, type MarkdownBlock } from "./block-splitter.ts";
import { TextParts, type TextPart } from "./text-parts.ts";

export interface OpenPart {
  readonly blocks: readonly MarkdownBlock[];
  /** The block that is being written, if any. */
  readonly open: MarkdownBlock | undefined;
}

export class FlowingText {
  readonly id: string;
  #text = "";
  #splitter = new BlockSplitter();
  #parts = new TextParts();
  #open: OpenPart = { blocks: [], open: undefined };
  readonly #listeners = new Set<() => void>();
  #onPart: (() => void) | undefined;

  constructor(draft: Pick<Draft, "id" | "text">) {
    this.id = draft.id;
    this.write(draft.text);
  }

  /** Called when a part is full, because the list then needs another entry. */
  set onPart(listener: (() => void) | undefined) {
    this.#onPart = listener;
  }

  get full(): readonly TextPart[] {
    const { all } = this.#parts;
    return all.at(-1)?.isFull === false ? all.slice(0, -1) : all;
  }

  get open(): OpenPart {
    return this.#open;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The whole text so far. */
  write(text: string): void {
    const before = this.#text;
    if (text === before) return;
    this.#text = text;
    if (!text.startsWith(before)) {
      // The text was replaced, so earlier parts are invalid.
      this.#splitter = new BlockSplitter();
      this.#parts = new TextParts();
      this.#splitter.append(text);
    } else this.#splitter.append(text.slice(before.length));
    const parts = this.full.length;
    this.#parts.take(this.#splitter.finished);
    const last = this.#parts.all.at(-1);
    const { open } = this.#splitter;
    this.#open = {
      blocks: last === undefined || last.isFull ? [] : last.blocks,
      open: open.text.trim() === "" ? undefined : open,
    };
    for (const listener of this.#listeners) listener();
    if (this.full.length !== parts) this.#onPart?.();
  }
}
