// Keys of the whole page. A handler that uses a key calls `preventDefault`, and this module then ignores it.

import { useEffect, useRef } from "react";
import { escapeAction } from "../composer/escape.ts";
import { isTyping } from "../parts/is-typing.ts";

export interface PageKeys {
  readonly search: () => void;
  /** The key after G: whether it means a tab of the workbench. */
  readonly tab: (key: string) => boolean;
  readonly newSession: () => void;
  readonly step: (by: 1 | -1) => void;
  readonly help: () => void;
  readonly interrupt: () => void;
  readonly running: () => boolean;
}

const hasOpenMenu = (): boolean => document.querySelector(":popover-open, dialog[open]") !== null;

/** Rail, conversation, requests, composer, workbench: F6 goes round, as in any program with panes. */
const PANES = [".rail-strip", ".rail", ".flow", ".requests-slot", "#composer", ".bench"];
const nextPane = (back: boolean): void => {
  const panes = PANES.flatMap((selector) => {
    const pane = document.querySelector<HTMLElement>(selector);
    if (pane === null || pane.closest("[inert]") !== null || pane.offsetParent === null) return [];
    // A pane without a focusable element is skipped, for example a dock without a request.
    const inside = pane.matches("textarea")
      ? pane
      : pane.querySelector<HTMLElement>('a[href], button:not(:disabled), [tabindex="0"]');
    return inside === null ? [] : [{ pane, inside }];
  });
  const at = panes.findIndex(({ pane }) => pane.contains(document.activeElement));
  panes[(at + (back ? -1 : 1) + panes.length) % panes.length]?.inside.focus();
};

/** So long the page waits for the key after G. */
const CHORD_MS = 1500;

export const usePageKeys = (keys: PageKeys): void => {
  const latest = useRef(keys);
  const chord = useRef(0);
  latest.current = keys;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing) return;
      const { search, tab, newSession, step, help, interrupt, running } = latest.current;
      const isChord = event.timeStamp - chord.current < CHORD_MS;
      chord.current = 0;
      const mod = event.ctrlKey || event.metaKey;
      const use = (run: () => void): void => {
        event.preventDefault();
        run();
      };
      if (event.key === "Escape") {
        const request = event.target instanceof Element && event.target.closest(".ask, .requests-slot") !== null;
        const action = escapeAction({ menu: hasOpenMenu(), request, text: false, running: running() });
        if (action === "interrupt") use(interrupt);
        return;
      }
      if (hasOpenMenu()) return;
      if (event.key === "F6") use(() => nextPane(event.shiftKey));
      else if (mod && !event.altKey && event.key.toLowerCase() === "k") use(search);
      else if (event.altKey && !mod && event.code === "KeyN") use(newSession);
      else if (event.altKey && !mod && event.key === "ArrowDown") use(() => step(1));
      else if (event.altKey && !mod && event.key === "ArrowUp") use(() => step(-1));
      else if (!mod && !event.altKey && !isTyping(event.target)) {
        if (isChord && tab(event.key)) {
          event.preventDefault();
          return;
        }
        if (event.key.toLowerCase() === "g") chord.current = event.timeStamp;
        if (event.key === "?") use(help);
        if (event.key === "/") use(() => document.querySelector<HTMLElement>("#composer")?.focus());
      }
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
};
