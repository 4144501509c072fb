// Whoever closes what had the focus goes on where they were, or at the composer if that is gone. Called before anything of the
// part takes the focus itself.

import { useEffect } from "react";

export const useFocusBack = (): void =>
  useEffect(() => {
    const before = document.activeElement;
    return () => {
      // The part has left the page by now. Focus that moved elsewhere stays there.
      if (document.activeElement !== document.body) return;
      const place = before?.isConnected === true ? before : composer();
      if (place instanceof HTMLElement) place.focus({ preventScroll: true });
    };
  }, []);

/** On a phone it would bring up the keyboard. */
const composer = (): Element | null =>
  matchMedia("(pointer: fine)").matches ? document.querySelector("#composer") : null;
