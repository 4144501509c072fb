// Restores the focus when a part closes: to where it was, or to the composer if that is gone. Called before anything in
// the part takes the focus.

import { useEffect } from "react";

export const useFocusBack = (): void =>
  useEffect(() => {
    const before = document.activeElement;
    return () => {
      // The part is removed from the page by now. If the focus moved elsewhere, it stays there.
      if (document.activeElement !== document.body) return;
      const place = before?.isConnected === true ? before : composer();
      if (place instanceof HTMLElement) place.focus({ preventScroll: true });
    };
  }, []);

/** On a phone this would open the keyboard. */
const composer = (): Element | null =>
  matchMedia("(pointer: fine)").matches ? document.querySelector("#composer") : null;
