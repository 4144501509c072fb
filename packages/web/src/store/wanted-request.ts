// Which request a person wants to answer, and the keys of its card. By default the oldest request comes first.

import { useSyncExternalStore } from "react";

let wanted: string | undefined;
const listeners = new Set<() => void>();
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useWantedRequest = (): string | undefined => useSyncExternalStore(subscribe, () => wanted);
export const wantRequest = (id: string | undefined): void => {
  wanted = id;
  for (const listener of listeners) listener();
};

/** Shows the card of a request, and moves the focus there. */
export const goToRequest = (id: string): void => {
  wantRequest(id);
  requestAnimationFrame(focusCard);
};

/** Returns false if no request is open. */
export const focusCard = (): boolean => {
  const card = document.querySelector<HTMLElement>(".ask");
  if (card === null) return false;
  firstFocusable(card)?.focus({ preventScroll: true });
  return true;
};

/** Where the keyboard starts in a card: at text to read, otherwise at a field, otherwise at a button. */
export const firstFocusable = (card: HTMLElement): HTMLElement | null =>
  card.querySelector<HTMLElement>('[tabindex="0"]') ??
  card.querySelector<HTMLElement>("input, textarea, select") ??
  card.querySelector<HTMLElement>("button:not(:disabled)");

/** Returns whether the card used the key. */
type CardKeys = (event: KeyboardEvent) => boolean;
let cardKeys: CardKeys | undefined;

/** The open card takes keys of the whole page until the returned function is called. */
export const takeCardKeys = (keys: CardKeys): (() => void) => {
  cardKeys = keys;
  return () => {
    if (cardKeys === keys) cardKeys = undefined;
  };
};

/** For keys outside of the card that nothing else needs: an empty composer, or no text field at all. */
export const offerToCard: CardKeys = (event) => !event.defaultPrevented && cardKeys?.(event) === true;
