// What the palette and the keys can do. A new action is one entry in action-list.ts; with keys, also one line in keys/key-table.ts
// under the same id.

import type { Client, SessionSummary, SessionView } from "@quarterdeck/client";
import type { IconName } from "../parts/icon.tsx";

/** What is open when an action is offered. */
export interface ActionContext {
  readonly client: Client;
  readonly view: SessionView | undefined;
  /** The open session in the list. */
  readonly summary: SessionSummary | undefined;
}

export type ActionKind = "session" | "page" | "setting";

export interface Action {
  /** Where the key table has this id, its keys run the action. */
  readonly id: string;
  readonly title: string;
  /** More words, shown and searched. */
  readonly about?: string;
  readonly kind: ActionKind;
  readonly icon?: IconName;
  /** Absent: always. */
  readonly when?: (context: ActionContext) => boolean;
  readonly run: (context: ActionContext) => void;
}
