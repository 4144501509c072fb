// What a list keeps in its place: its end, or the first visible entry. All other positions follow from that. While a person
// scrolls, the page may differ from the sums by some pixels (`#drift`), so scrolling is not disturbed.

import { innerAnchorOf, movedWithin, type InnerAnchor } from "./list-anchor.ts";
import { ListLayout, type ListRange } from "./list-layout.ts";

/** How much is rendered above and below the window, as a share of it. */
const BEYOND = 0.5;
const AT_END = 4;

/** The rendered range, and its first entry. */
export interface ShownRange extends ListRange {
  readonly first: string | undefined;
}

const covers = (outer: ListRange, inner: ListRange): boolean => outer.from <= inner.from && outer.to >= inner.to;
/** This many extra entries may stay rendered before they are removed. */
const SLACK = 6;

interface Elements {
  readonly scroller: HTMLElement;
  readonly above: HTMLElement;
  readonly below: HTMLElement;
}

/** What keeps its place, and how much the page differs from the sums while a person scrolls. */
export class ListPlace {
  readonly layout = new ListLayout();
  rendered: ListRange = { from: 0, to: 0 };
  scrolls = false;
  follows = true;
  mayFollow = true;
  #anchor: { key: string; index: number; inset: number; inner?: InnerAnchor } | undefined;
  /** The rendered entries, in order. */
  flow: Element | null = null;
  /** How much lower the flow is than the sums say. */
  #drift = 0;
  /** The offset of the flow's start, below the content before it. */
  #lead = 0;
  #top = 0;
  #height = 0;
  #lastTop = 0;
  /** The person has left the end by wheel or key, and the list has not moved since. */
  #isReleased = false;

  follow(): void {
    this.follows = true;
    this.#isReleased = false;
    this.#anchor = undefined;
  }

  hold(key: string, inset: number): void {
    this.follows = false;
    this.scrolls = false;
    this.#anchor = { key, index: this.layout.indexOf(key), inset };
  }

  release(scroller: HTMLElement): void {
    if (!this.follows || scroller.scrollHeight <= scroller.clientHeight + 1) return;
    this.follows = false;
    this.#isReleased = true;
    this.#lastTop = scroller.scrollTop;
    this.#read(scroller);
    this.#anchorHere();
  }

  onScroll(scroller: HTMLElement): void {
    this.scrolls = true;
    const before = this.#lastTop;
    const isResized = scroller.clientHeight !== this.#height;
    this.#read(scroller);
    this.#lastTop = scroller.scrollTop;
    const left = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;
    // The browser reports our own scrolling one frame later. If the wheel was turned in between, that must not undo the release.
    const isOwn = this.#isReleased && scroller.scrollTop === before;
    if (!isOwn) this.#isReleased = false;
    if (left <= AT_END && this.mayFollow && !isOwn) this.follows = true;
    // The end moved down because the list grew. Nobody scrolled. The same holds if the window grew (the composer shrank) and the
    // browser moved it to the end.
    else if (scroller.scrollTop < before - 1 && !isResized) this.follows = false;
    if (!this.follows) this.#anchorHere();
  }

  #read(scroller: HTMLElement): void {
    this.#height = scroller.clientHeight;
    this.#top = scroller.scrollTop - this.#lead - this.#drift;
  }

  #anchorHere(): void {
    const index = this.layout.indexAt(this.#top);
    const key = this.layout.keyAt(index);
    if (key === undefined) return;
    const inset = this.layout.offsetOf(index) - this.#top;
    const entry = this.#elementAt(index);
    const inner =
      entry === undefined || inset >= 0 ? undefined : innerAnchorOf(entry, entry.getBoundingClientRect().top - inset);
    this.#anchor = { key, index, inset, ...(inner !== undefined && { inner }) };
  }

  #elementAt(index: number): Element | undefined {
    const element = this.flow?.children[index - this.rendered.from];
    return element instanceof HTMLElement && element.dataset["key"] === this.layout.keyAt(index) ? element : undefined;
  }

  /** Where the window should start, in the sums. */
  #goal(): number {
    const { layout } = this;
    if (this.follows) return Math.max(0, layout.total - this.#height);
    const anchor = this.#anchor;
    if (anchor === undefined) return this.#top;
    const found = layout.indexOf(anchor.key);
    const index = found === -1 ? Math.min(anchor.index, layout.count - 1) : found;
    if (index < 0) return 0;
    this.#anchor = { ...anchor, key: layout.keyAt(index)!, index };
    const entry = anchor.inner === undefined ? undefined : this.#elementAt(index);
    const within = entry === undefined ? 0 : movedWithin(entry, anchor.inner!);
    return layout.offsetOf(index) - anchor.inset + within;
  }

  settle({ scroller, above, below }: Elements): void {
    const { layout, rendered } = this;
    this.#height = scroller.clientHeight;
    this.#lead = above.offsetTop;
    const goal = this.#goal();
    const from = layout.offsetOf(rendered.from);
    if (this.scrolls && !this.follows) {
      // Visible entries stay where they are. The spacer above takes the difference.
      this.#drift = scroller.scrollTop - this.#lead - goal;
      if (from + this.#drift < 0) this.#drift = 0;
    } else this.#drift = 0;
    setHeight(above, Math.max(0, from + this.#drift));
    setHeight(below, Math.max(0, layout.total - layout.offsetOf(rendered.to)));
    const top = this.follows ? scroller.scrollHeight : goal + this.#lead + this.#drift;
    if (Math.abs(scroller.scrollTop - top) > 0.5 && (this.#drift === 0 || !this.scrolls)) scroller.scrollTop = top;
    this.#lastTop = scroller.scrollTop;
    this.#top = scroller.scrollTop - this.#lead - this.#drift;
  }

  /** Uses the current heights of rendered entries. Other sums would ask for different entries after each render. */
  measureShown(): void {
    for (const element of this.flow?.children ?? []) {
      const { key } = (element as HTMLElement).dataset;
      if (key !== undefined) this.layout.measure(key, element.getBoundingClientRect().height);
    }
  }

  /** The range to render. It stays the same while it is enough and not too much. */
  next(now: ShownRange): ShownRange {
    const { rendered, layout } = this;
    const reach = Math.max(240, this.#height * BEYOND);
    const wanted = this.#within(reach);
    const isEnough = covers(rendered, this.#within(reach / 3));
    const isMuch = rendered.from < wanted.from - SLACK || rendered.to > wanted.to + SLACK;
    const { from, to } = isEnough && !isMuch ? rendered : wanted;
    const first = layout.keyAt(from);
    return now.from === from && now.to === to && now.first === first ? now : { from, to, first };
  }

  #within(reach: number): ListRange {
    return this.layout.rangeIn(this.#top - reach, this.#top + this.#height + reach);
  }

  lastSeen(): string | undefined {
    return this.layout.keyAt(this.layout.indexAt(this.#top + this.#height));
  }
}

const setHeight = (element: HTMLElement, height: number): void => {
  const text = `${height}px`;
  if (element.style.height !== text) element.style.height = text;
};
