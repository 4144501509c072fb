// A card that appears under a finger must not be answered by it (S15). For half a second after the card appears, changes or
// moves, nothing in it allows anything. Only a real click or key of a person counts. A key that comes too early starts the
// half second again, so a person who continues to type answers nothing.

import { useCallback, useEffect, useRef, useState, type RefObject } from "react";

const INERT_MS = 500;
const LOOK_EVERY_MS = 100;

export interface Arming {
  readonly armed: boolean;
  /** Asked again at the click itself: between two looks the card may have moved. */
  readonly isArmed: (event: Event) => boolean;
  /** The same for a key. A key that comes too early starts the time again. */
  readonly isKeyArmed: (event: Event) => boolean;
}

export const useArming = (card: RefObject<HTMLElement | null>, request: string, face = ""): Arming => {
  const since = useRef(performance.now());
  const place = useRef("");
  // The request and its face, so that a card that changes its face starts unarmed too.
  const shown = `${request} ${face}`;
  const [armedFor, setArmedFor] = useState<string>();
  const armed = armedFor === shown;

  const look = useCallback((): boolean => {
    const box = card.current?.getBoundingClientRect();
    const now = box === undefined ? "" : `${Math.round(box.left)} ${Math.round(box.bottom)} ${Math.round(box.width)}`;
    if (now !== place.current) {
      place.current = now;
      since.current = performance.now();
    }
    return box !== undefined && performance.now() - since.current >= INERT_MS;
  }, [card]);

  useEffect(() => {
    since.current = performance.now();
    setArmedFor(undefined);
    const timer = setInterval(() => setArmedFor(look() ? shown : undefined), LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [shown, look]);

  const isArmed = useCallback((event: Event) => event.isTrusted && look(), [look]);
  const isKeyArmed = useCallback(
    (event: Event) => {
      if (isArmed(event)) return true;
      since.current = performance.now();
      return false;
    },
    [isArmed],
  );
  return { armed, isArmed, isKeyArmed };
};
