// Places an open menu below its button, or above it if there is no room below. On a phone, the style sheet places it.

import { PHONE } from "../store/media.ts";

const MARGIN = 8;

/** `leftOf` gives the wanted left edge. The menu stays inside the window. */
export const placeMenu = (
  menu: HTMLElement,
  trigger: HTMLElement,
  leftOf: (trigger: DOMRect, width: number) => number,
  gap: number,
): void => {
  if (matchMedia(PHONE).matches) {
    menu.style.removeProperty("left");
    menu.style.removeProperty("top");
    return;
  }
  const at = trigger.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = menu;
  const below = at.bottom + gap;
  const top = below + height > innerHeight - MARGIN ? Math.max(MARGIN, at.top - gap - height) : below;
  const left = Math.min(leftOf(at, width), innerWidth - MARGIN - width);
  menu.style.left = `${Math.max(MARGIN, left)}px`;
  menu.style.top = `${top}px`;
};
