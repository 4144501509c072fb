// What the parts of a session share: its log and its process. Each part has one job (prompts, answers, waiting). Only
// the session starts and ends the process.

import type { HostSubtype, RequestOf, ResponseOf, StdinMessage } from "@quarterdeck/protocol";
import type { Actor, Event, Fact, Fold, PolicyMark, Streamed } from "@quarterdeck/session";
import type { RequestOptions } from "./pending-requests.ts";
import type { TimeLimits } from "./time-limits.ts";

/** A slash command can run skills in subfolders, which take long to find. So it needs the whole reading. */
export type FolderReading = "quick" | "whole";

export interface SessionParts {
  readonly fold: Fold;
  /** The process has answered `initialize` and is not closing. */
  readonly isReady: boolean;
  readonly isLive: boolean;
  readonly limits: Required<TimeLimits>;
  record(fact: Fact): Promise<Event>;
  /** What goes out is a fact first; a line that this CLI would die of is refused before. */
  send(message: StdinMessage, by?: Actor, policy?: PolicyMark): Promise<void>;
  /** Whether this CLI reads such a line. */
  reads(message: StdinMessage): boolean;
  request<S extends HostSubtype>(request: RequestOf<S>, options?: RequestOptions): Promise<ResponseOf<S>>;
  subscribe(listener: (event: Event | Streamed) => void): () => void;
  /** The process loads settings of its folder. */
  readonly heedsFolder: boolean;
  /** Throws `folder-changed` if the process would run something of its folder that nobody has trusted. */
  mustHoldFolder(reading?: FolderReading): Promise<void>;
  /** Throws `budget-reached` if no prompt may be taken now. */
  mustAfford(): void;
  /** Called before a prompt is written to the process. It never rejects. */
  beforePrompt(uuid: string, checked: Promise<unknown>): Promise<void>;
  onError(error: unknown): void;
}
