// Full-text search: the search page if this page has one, otherwise the field above the list of sessions.

import { go, parseRoute, searchHref } from "../store/route.ts";

export const openSearch = (words: string): void => {
  const href = searchHref(words);
  if (parseRoute(href).screen !== "home") go(href);
  else inRail(words);
};

const inRail = (words: string): void => {
  const field = document.querySelector<HTMLInputElement>(".rail-find input");
  if (field === null) return;
  // On a phone, and beside an open workbench, the list is behind a button.
  if (field.closest("[inert]") !== null)
    document.querySelector<HTMLElement>(".menu-button, .rail-strip .strip-menu")?.click();
  requestAnimationFrame(() => {
    field.focus();
    field.select();
    if (words !== "") document.execCommand("insertText", false, words);
  });
};
