// Browser notifications for what is new in the list, if the person turned them on. Loaded after the first screen.

import type { SessionSummary } from "@quarterdeck/client";
import { hasFinished, isRunning } from "@quarterdeck/client/content";
import { useEffect, useRef } from "react";
import { askedWords, sessionTitleOf, waitingLine, withoutMarkup } from "../words/session-words.ts";
import { notify } from "../parts/notify.ts";
import { readKept } from "../store/kept.ts";
import { currentSettings } from "../store/settings.ts";
import { go, hrefOf } from "../store/route.ts";
import { WORDS } from "./words.ts";

export interface Call {
  readonly tag: string;
  readonly session: string;
  readonly title: string;
  readonly body: string;
}

/** Notifications for the news between two states of the list. */
export const callsBetween = (
  before: readonly SessionSummary[],
  after: readonly SessionSummary[],
  which: "waiting" | "all",
): readonly Call[] => {
  const known = new Map(before.map((summary) => [summary.id, summary]));
  return after.flatMap((summary): Call[] => {
    const old = known.get(summary.id);
    const fresh = summary.waiting.filter(({ id }) => old?.waiting.every((waiting) => waiting.id !== id) ?? true);
    const about = { session: summary.id, title: sessionTitleOf(summary) };
    if (fresh.length > 0) return [{ ...about, tag: fresh[0]!.id, body: bodyOf(fresh) }];
    const ended =
      old !== undefined && isRunning(old.phase) && !isRunning(summary.phase) && summary.waiting.length === 0;
    if (which !== "all" || !ended) return [];
    const body = hasFinished(summary.phase)
      ? withoutMarkup(summary.lastText ?? "") || WORDS.done
      : summary.phase === "died"
        ? WORDS.died
        : WORDS.failed;
    return [{ ...about, tag: `${summary.id} ended`, body }];
  });
};

/** What needs an answer, and its subject without the name of the tool. */
const bodyOf = (waiting: SessionSummary["waiting"]): string =>
  WORDS.asked(waitingLine(waiting), askedWords(waiting[0]!));

export interface CallsProps {
  readonly sessions: readonly SessionSummary[];
  readonly openId: string | undefined;
}

export const Calls = ({ sessions, openId }: CallsProps) => {
  const before = useRef<readonly SessionSummary[]>(undefined);
  useEffect(() => {
    const old = before.current;
    before.current = sessions;
    const { notify: when } = currentSettings();
    // Pushed notifications say the same, and are withdrawn.
    if ((readKept("worker") as { push?: unknown } | undefined)?.push === true) return;
    if (old === undefined || when === "off" || !("Notification" in window) || Notification.permission !== "granted")
      return;
    for (const call of callsBetween(old, sessions, when)) {
      if (document.visibilityState === "visible" && document.hasFocus() && call.session === openId) continue;
      const shown = notify(call.title, { body: call.body, tag: call.tag });
      shown?.addEventListener("click", () => {
        window.focus();
        go(hrefOf(call.session));
        shown.close();
      });
    }
  }, [sessions, openId]);
  return null;
};
