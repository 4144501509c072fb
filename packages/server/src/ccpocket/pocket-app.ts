// One app, as the handlers of its messages see it.

import type { Client, SessionSummary } from "@quarterdeck/client";
import type { GitSight } from "../files/shared-git.ts";
import type { FollowedSession } from "./followed-session.ts";
import type { PocketMessage } from "./translate.ts";

export interface PocketApp {
  readonly client: Client;
  /** The state that the app's device sees now. */
  readonly sight: () => GitSight;
  /** By session. */
  readonly followed: ReadonlyMap<string, FollowedSession>;
  send(message: PocketMessage): void;
  /** Uploads a picture that came in a frame, and returns its name for a prompt. */
  keepImage(bytes: Buffer): Promise<string>;
  /** Messages that the app understands in addition to the usual ones. */
  understands(messages: readonly string[]): void;
  follow(id: string): FollowedSession;
  /** The session of a message. Later messages without a session mean it, too. */
  meant(sessionId: string | undefined): string;
  /** The session has a process now, and this app follows it. */
  began(session: SessionSummary, about: Readonly<Record<string, unknown>>): void;
  tellSessions(): Promise<void>;
  tellProjects(): Promise<void>;
}
