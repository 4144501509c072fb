// Which request a person wants to answer, and where its card is: in the dock, or in the row that asks. By default the
// oldest comes first, in the dock.

import { useLayoutEffect, useRef, useSyncExternalStore, type RefObject } from "react";

interface Wish {
  readonly id: string | undefined;
  readonly inRow: boolean;
  /** The row's element, while it is on the page. */
  readonly slot: HTMLElement | undefined;
}

const DOCK: Wish = { id: undefined, inRow: false, slot: undefined };
let wish = DOCK;
const listeners = new Set<() => void>();

const set = (next: Wish): void => {
  wish = next;
  for (const listener of listeners) listener();
};
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
const useWish = <T>(part: (wish: Wish) => T): T => useSyncExternalStore(subscribe, () => part(wish));

export const useWantedRequest = (): string | undefined => useWish(({ id }) => id);
/** Where the card of a request goes, if not to the dock. */
export const useRequestSlot = (request: string | undefined): HTMLElement | undefined =>
  useWish(({ id, slot }) => (id !== undefined && id === request ? slot : undefined));

export const wantRequest = (id: string | undefined): void => set({ ...DOCK, id });

/** Moves the card, and the focus with it. */
export const answerInRow = (id: string): void => {
  set({ id, inRow: true, slot: undefined });
  focusCard();
};
export const answerInDock = (id: string): void => {
  wantRequest(id);
  focusCard();
};
const focusCard = (): void => {
  requestAnimationFrame(() => {
    const card = document.querySelector<HTMLElement>(".ask");
    if (card !== null) firstIn(card)?.focus({ preventScroll: true });
    // In the next frame, the list knows the new height of the row.
    requestAnimationFrame(() => document.querySelector(".ask")?.scrollIntoView({ block: "nearest" }));
  });
};

/** Where the keyboard starts in a card: at text to read, otherwise at a field, otherwise at a button. */
export const firstIn = (card: HTMLElement): HTMLElement | null =>
  card.querySelector<HTMLElement>('[tabindex="0"]') ??
  card.querySelector<HTMLElement>("input, textarea, select") ??
  card.querySelector<HTMLElement>("button:not(:disabled)");

/**
 * For the row of a request: where its card goes, if the person wants it there. If the row is removed from the page, the
 * card returns to the dock.
 */
export const useRowSlot = (id: string | undefined): { isHere: boolean; slot: RefObject<HTMLDivElement | null> } => {
  const isHere = useWish((now) => id !== undefined && now.inRow && now.id === id);
  const slot = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = slot.current;
    if (!isHere || element === null) return undefined;
    set({ ...wish, slot: element });
    return () => {
      if (!wish.inRow || wish.id !== id) return;
      const { activeElement } = document;
      wantRequest(id);
      // A person who was typing in the card continues in the dock.
      if (activeElement instanceof HTMLElement && element.contains(activeElement))
        requestAnimationFrame(() => activeElement.focus({ preventScroll: true }));
    };
  }, [isHere, id]);
  return { isHere, slot };
};
