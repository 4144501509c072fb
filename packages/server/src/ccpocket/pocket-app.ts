// One app, as what it asks for sees it.

import type { Client, SessionSummary } from "@quarterdeck/client";
import type { GitSight } from "../files/shared-git.ts";
import type { FollowedSession } from "./followed-session.ts";
import type { PocketMessage } from "./translate.ts";

export interface PocketApp {
  readonly client: Client;
  /** What the app's device sees now. */
  readonly sight: () => GitSight;
  /** By session. */
  readonly followed: ReadonlyMap<string, FollowedSession>;
  send(message: PocketMessage): void;
  /** A picture that came in a frame, by the name that a prompt gives it. */
  keepImage(bytes: Buffer): Promise<string>;
  follow(id: string): FollowedSession;
  /** The session that a message means, and from now on those that name none. */
  meant(sessionId: string | undefined): string;
  /** It has a process now, and this app looks at it. */
  began(session: SessionSummary, about: Readonly<Record<string, unknown>>): void;
  tellSessions(): Promise<void>;
  tellProjects(): Promise<void>;
}
