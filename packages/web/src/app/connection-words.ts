// What the page says about its connection: what happened, what still works, what comes next.

import type { ConnectionState } from "@quarterdeck/client";
import { formatSpan } from "../words/format.ts";
import { WORDS } from "./words.ts";

export interface ConnectionNote {
  readonly tone: "plain" | "wait" | "bad" | "good";
  readonly title: string;
  readonly detail: string;
  readonly retry: boolean;
}

export interface ConnectionPast {
  /** The page was connected at least once since it was opened. */
  readonly wasOpen: boolean;
  /** The server announced its shutdown. */
  readonly shuttingDown: boolean;
  readonly unsent: number;
}

const kept = (unsent: number): string => (unsent === 0 ? WORDS.kept : WORDS.keptSome(unsent));

export const connectionNote = (
  state: ConnectionState,
  { wasOpen, shuttingDown, unsent }: ConnectionPast,
  now: number,
): ConnectionNote | undefined => {
  switch (state.status) {
    case "open":
    case "refused":
      return undefined;
    case "connecting":
      return wasOpen
        ? { tone: "wait", title: WORDS.again, detail: kept(unsent), retry: false }
        : { tone: "plain", title: WORDS.connecting, detail: "", retry: false };
    case "waiting": {
      const when = state.retryAt <= now ? WORDS.retrying : WORDS.retryIn(formatSpan(state.retryAt - now + 999));
      if (shuttingDown) return { tone: "wait", title: WORDS.boots, detail: `${when} ${kept(unsent)}`, retry: true };
      return {
        tone: "bad",
        title: wasOpen ? WORDS.offline : WORDS.noAnswer,
        detail: `${when} ${wasOpen ? kept(unsent) : WORDS.makeSure}`,
        retry: true,
      };
    }
    case "closed":
      return { tone: "bad", title: WORDS.cut, detail: WORDS.rejoin, retry: false };
  }
};
