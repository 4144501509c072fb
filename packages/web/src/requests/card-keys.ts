// Keys of the open card. They work in the card, and outside of it where no text is typed: the page and an empty composer offer
// them (store/wanted-request.ts). A card says what it does with each key.

import { useCallback, useEffect, useRef, type KeyboardEvent as ReactKeyboardEvent } from "react";
import { keyAt, type KeyId } from "../keys/key-table.ts";
import { takeCardKeys } from "../store/wanted-request.ts";

/** Where a key was pressed. `text`: it is text there. `button`: Enter and Space belong to it. */
export type KeyPlace = "text" | "button" | "composer" | "plain";

export interface CardKey {
  readonly id: KeyId | undefined;
  /** 1 to 9, without Ctrl or Alt. */
  readonly digit: number | undefined;
  readonly place: KeyPlace;
  readonly event: KeyboardEvent;
}

const WRITTEN = /^(?:text|search|url|email|number|password|tel|date|datetime-local|time|month|week)$/u;

const keyPlaceOf = (target: EventTarget | null): KeyPlace => {
  if (!(target instanceof HTMLElement)) return "plain";
  if (target.id === "composer") return "composer";
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)
    return "text";
  if (target instanceof HTMLInputElement) return WRITTEN.test(target.type) ? "text" : "plain";
  return target.closest("button, a[href], summary") === null ? "plain" : "button";
};

const isForCard = (target: EventTarget | null): boolean =>
  target === document.body || (target instanceof Element && target.closest(".ask, .flow, #composer") !== null);

/** `onKey` returns whether it used the key. The result is for the card's own element. */
export const useCardKeys = (onKey: (key: CardKey) => boolean): ((event: ReactKeyboardEvent) => void) => {
  const latest = useRef(onKey);
  latest.current = onKey;
  const handle = useCallback((event: KeyboardEvent): boolean => {
    if (event.defaultPrevented || event.isComposing || event.repeat) return false;
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
    const digit = isPlain && /^[1-9]$/u.test(event.key) ? Number(event.key) : undefined;
    const place = keyPlaceOf(event.target);
    const id = keyAt("request", event);
    // Elsewhere on the page Enter belongs to what has the focus.
    if (id === "request.answer" && !isForCard(event.target)) return false;
    const used = latest.current({ id, digit, place, event });
    if (used) event.preventDefault();
    return used;
  }, []);
  useEffect(() => takeCardKeys(handle), [handle]);
  return useCallback((event) => void handle(event.nativeEvent), [handle]);
};
