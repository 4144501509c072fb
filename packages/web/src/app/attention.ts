// Tells the person that something needs them: a number in the title and on the app's icon. Notifications are in calls.ts.

import type { SessionSummary } from "@quarterdeck/client";
import { useEffect } from "react";
import { sessionTitleOf } from "../words/session-words.ts";

export const titleWith = (waiting: number, session: string | undefined): string =>
  `${waiting > 0 ? `(${waiting}) ` : ""}${session === undefined ? "Quarterdeck" : `${session} · Quarterdeck`}`;

export const useAttention = (sessions: readonly SessionSummary[], openId: string | undefined): void => {
  const waiting = sessions.reduce((sum, summary) => sum + (summary.archived ? 0 : summary.waiting.length), 0);
  const open = sessions.find((summary) => summary.id === openId);
  const title = titleWith(waiting, open === undefined ? undefined : sessionTitleOf(open));

  useEffect(() => {
    document.title = title;
  }, [title]);

  useEffect(() => {
    // Only installed pages have an icon that shows it.
    void navigator.setAppBadge?.(waiting).catch(() => undefined);
  }, [waiting]);
};
