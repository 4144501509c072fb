// The page behind an open drawer is inert. So the focus moves into the drawer, and back when the drawer closes.

import { useEffect, type RefObject } from "react";

export const useDrawerFocus = (open: boolean, drawer: RefObject<HTMLElement | null>): void =>
  useEffect(() => {
    if (!open) return undefined;
    const before = document.activeElement;
    drawer.current?.querySelector<HTMLElement>("a[href]")?.focus({ preventScroll: true });
    return () => {
      const { activeElement } = document;
      // A link in the drawer leads elsewhere: then that page has the focus.
      if (activeElement !== document.body && drawer.current?.contains(activeElement) !== true) return;
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, [open, drawer]);
