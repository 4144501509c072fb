// Which request a person wants to answer, and where its card is: in the dock, or in the row that asks. Without a wish the
// oldest comes first, in the dock.

import { useLayoutEffect, useRef, useSyncExternalStore, type RefObject } from "react";

interface Wish {
  readonly id: string | undefined;
  readonly inRow: boolean;
  /** Of the row, while it is on the page. */
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

/** Moves the card, and the keyboard with it. */
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
    // By the next frame the list knows how high the row has become.
    requestAnimationFrame(() => document.querySelector(".ask")?.scrollIntoView({ block: "nearest" }));
  });
};

/** Where the keyboard begins in a card: what is to be read, else what is to be filled in, else what can be pressed. */
export const firstIn = (card: HTMLElement): HTMLElement | null =>
  card.querySelector<HTMLElement>('[tabindex="0"]') ??
  card.querySelector<HTMLElement>("input, textarea, select") ??
  card.querySelector<HTMLElement>("button:not(:disabled)");

/** For the row of a request: where its card goes, if it is wanted there. A row that leaves the page gives it back to the dock. */
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
