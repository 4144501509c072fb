// A long text is split into several list entries, so that only the part near the window is in the page. A part has
// whole blocks. Like a block, a full part never changes.

import type { MarkdownBlock } from "./block-splitter.ts";

export interface TextPart {
  readonly blocks: readonly MarkdownBlock[];
  /** Nothing will be added to it. */
  readonly isFull: boolean;
}

/** About one window height of text. */
const FULL = 2_400;

/** The height of a code block is limited. */
const weightOf = (block: MarkdownBlock): number =>
  60 + (block.kind === "code" ? Math.min(block.text.length, 900) : block.text.length);

/** Parts of finished blocks. New blocks are added to `parts` in place. */
export class TextParts {
  readonly #parts: TextPart[] = [];
  #weight = 0;
  #taken = 0;

  get all(): readonly TextPart[] {
    return this.#parts;
  }

  /** `finished` has the earlier blocks and new ones. */
  take(finished: readonly MarkdownBlock[]): void {
    for (; this.#taken < finished.length; this.#taken++) {
      const block = finished[this.#taken]!;
      const last = this.#parts.at(-1);
      if (last === undefined || last.isFull) {
        this.#parts.push({ blocks: [block], isFull: false });
        this.#weight = 0;
      } else this.#parts[this.#parts.length - 1] = { blocks: [...last.blocks, block], isFull: false };
      this.#weight += weightOf(block);
      if (this.#weight >= FULL) {
        this.#parts[this.#parts.length - 1] = { blocks: this.#parts.at(-1)!.blocks, isFull: true };
      }
    }
  }
}

/** All parts of a text that is complete. */
export const textPartsOf = (blocks: readonly MarkdownBlock[]): readonly TextPart[] => {
  const parts = new TextParts();
  parts.take(blocks);
  return parts.all;
};
