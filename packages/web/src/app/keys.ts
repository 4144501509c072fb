// Keys of the whole page. A handler that uses a key calls `preventDefault`, and this module then ignores it. Which keys mean
// what is in keys/key-table.ts; a key without a function here runs an action of the palette, which is then loaded.

import type { Client, SessionView } from "@quarterdeck/client";
import { useEffect, useRef } from "react";
import { escapeAction } from "../composer/escape.ts";
import { beginsKeys, keyAt, strokeOf, type KeyId } from "../keys/key-table.ts";
import { isTyping } from "../parts/is-typing.ts";
import { toastError } from "../parts/toast.tsx";
import { focusCard, offerToCard } from "../store/wanted-request.ts";

export interface PageKeys {
  readonly client: Client;
  readonly view: SessionView | undefined;
  readonly running: () => boolean;
  /** Opens a tab of the workbench. Returns false without a session. */
  readonly tab: (id: string) => boolean;
  /** Done at once, without loading anything. */
  readonly run: Readonly<Partial<Record<KeyId, () => void>>>;
}

const hasOpenMenu = (): boolean => document.querySelector(":popover-open, dialog[open]") !== null;

/** Rail, conversation, requests, composer, workbench: F6 moves the focus from one to the next. */
const PANES = [".rail-strip", ".rail", ".flow", ".requests-slot", "#composer", ".bench"];
const nextPane = (back: boolean): void => {
  // An open request is one press away, and the composer one press back.
  if (!back && document.activeElement?.closest(".requests-slot") == null && focusCard()) return;
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

const OWN: PageKeys["run"] = {
  "pane.next": () => nextPane(false),
  "pane.previous": () => nextPane(true),
  "composer.focus": () => document.querySelector<HTMLElement>("#composer")?.focus(),
};

/** How long the page waits for the key after G. */
const CHORD_MS = 1500;

export const usePageKeys = (keys: PageKeys): void => {
  const latest = useRef(keys);
  const chord = useRef({ stroke: "", at: -CHORD_MS });
  latest.current = keys;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing) return;
      const { client, view, running, tab, run } = latest.current;
      const { stroke: before, at } = chord.current;
      const stroke = strokeOf(event);
      const id = keyAt("page", event, event.timeStamp - at < CHORD_MS ? before : undefined);
      chord.current = { stroke: "", at: -CHORD_MS };
      if (id === "session.stop") {
        const request = event.target instanceof Element && event.target.closest(".ask, .requests-slot") !== null;
        const action = escapeAction({ menu: hasOpenMenu(), request, text: false, running: running() });
        if (action !== "interrupt") return;
        // An open request is denied before the turn is stopped.
        if ((document.querySelector<HTMLTextAreaElement>("#composer")?.value ?? "") === "" && offerToCard(event))
          return;
        event.preventDefault();
        run[id]?.();
        return;
      }
      // In a text field, a plain letter is text.
      if (hasOpenMenu() || (/^(?:Shift\+)?.$/u.test(stroke) && isTyping(event.target))) return;
      if (id === undefined) {
        if (event.timeStamp - at >= CHORD_MS && offerToCard(event)) return;
        if (beginsKeys(stroke)) chord.current = { stroke, at: event.timeStamp };
        return;
      }
      // The conversation itself handles the key that finds text in it.
      if (id === "find.rows") return;
      if (id.startsWith("tab.") && !tab(id.slice(4))) return;
      event.preventDefault();
      if (id.startsWith("tab.")) return;
      const own = run[id] ?? OWN[id];
      if (own !== undefined) own();
      else import("../actions/action-list.ts").then(({ runAction }) => runAction(id, client, view)).catch(toastError);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
};
