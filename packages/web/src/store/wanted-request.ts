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
export const useRequestSlot = (): HTMLElement | undefined => useWish(({ slot }) => slot);

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
    document.querySelector<HTMLElement>('.ask [tabindex="0"], .ask button')?.focus({ preventScroll: true });
    // By the next frame the list knows how high the row has become.
    requestAnimationFrame(() => document.querySelector(".ask")?.scrollIntoView({ block: "nearest" }));
  });
};

/** For the row of a request: where its card goes, if it is wanted there. A row that leaves the page gives it back to the dock. */
export const useRowSlot = (id: string | undefined): { isHere: boolean; slot: RefObject<HTMLDivElement | null> } => {
  const isHere = useWish((now) => id !== undefined && now.inRow && now.id === id);
  const slot = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!isHere || slot.current === null) return undefined;
    set({ ...wish, slot: slot.current });
    return () => {
      if (wish.inRow && wish.id === id) wantRequest(id);
    };
  }, [isHere, id]);
  return { isHere, slot };
};
