// How much drafts grew since the last frame: a few at most. Uses a new array each time instead of a map that is
// cleared: V8 links each cleared table to the next, and a collection copies all of them. See
// docs/decisions/0007-what-a-delta-allocates.md.

import type { DraftGrowth } from "@quarterdeck/session";

export class GrownDrafts {
  #list: { -readonly [K in keyof DraftGrowth]: DraftGrowth[K] }[] = [];

  get list(): readonly DraftGrowth[] {
    return this.#list;
  }

  add({ draft, from, text }: DraftGrowth): void {
    const grown = this.#list.find((one) => one.draft.id === draft.id);
    if (grown === undefined) this.#list.push({ draft, from, text });
    else grown.text += text;
  }

  keep(isKept: (id: string) => boolean): void {
    if (this.#list.length > 0) this.#list = this.#list.filter(({ draft }) => isKept(draft.id));
  }

  clear(): void {
    this.#list = [];
  }
}
