// What the page says about its connection: what happened, what still works, what comes next.

import type { ConnectionState } from "@quarterdeck/client";
import { formatSpan } from "../words/format.ts";

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

const kept = (unsent: number): string =>
  unsent === 0
    ? "Messages are sent when you are back online."
    : `${unsent === 1 ? "1 message is" : `${unsent} messages are`} waiting. Messages are sent when you are back online.`;

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
        ? { tone: "wait", title: "Reconnecting", detail: kept(unsent), retry: false }
        : { tone: "plain", title: "Connecting", detail: "", retry: false };
    case "waiting": {
      const when = state.retryAt <= now ? "Retrying now." : `Retrying in ${formatSpan(state.retryAt - now + 999)}.`;
      if (shuttingDown)
        return { tone: "wait", title: "The server is restarting", detail: `${when} ${kept(unsent)}`, retry: true };
      return {
        tone: "bad",
        title: wasOpen ? "Offline" : "The server isn't responding",
        detail: `${when} ${wasOpen ? kept(unsent) : "Make sure that “npx quarterdeck serve” is running on that machine."}`,
        retry: true,
      };
    }
    case "closed":
      return { tone: "bad", title: "Disconnected", detail: "Reload the page to reconnect.", retry: false };
  }
};
