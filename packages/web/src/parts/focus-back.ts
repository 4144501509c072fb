// Whoever closes what had the focus goes on where they were. Before anything of the part takes the focus itself.

import { useEffect } from "react";

export const useFocusBack = (): void =>
  useEffect(() => {
    const before = document.activeElement;
    return () => {
      // The part is out of the page by now; focus that somebody has put elsewhere stays there.
      if (document.activeElement === document.body && before instanceof HTMLElement)
        before.focus({ preventScroll: true });
    };
  }, []);
