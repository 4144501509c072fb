// What the parts of a session's view may ask of the page around them. The timeline and the dock know this and no client
// call by name, so that one place decides how a failure is told.

import type { Event, FileContents, Method, PromptContent } from "@quarterdeck/client";
import type { Given } from "@quarterdeck/client/policy";

export interface ToastOptions {
  readonly tone?: "plain" | "good" | "bad";
  /** A button in the toast, e.g. undo. */
  readonly action?: { readonly label: string; readonly run: () => void };
}

/** Where a link points: a new object for each visit, so that the same link can be followed twice. */
export interface RowTarget {
  readonly rowId: string;
}

export interface SessionActions {
  /** Whether this device may make the call: what it may not do is not offered. */
  may<M extends Method>(method: M, params?: Given<M>): boolean;
  /** Changes a prompt that has not begun, or sends a held one. */
  editPrompt(uuid: string, content: PromptContent): Promise<void>;
  /** False where it had begun already. */
  cancelPrompt(uuid: string): Promise<boolean>;
  /** A new session with the past up to this row (all of it without one); the page goes there. */
  fork(rowId?: string): Promise<void>;
  resume(): Promise<void>;
  /** What the folder would bring along; once trusted, the session goes on with it in a new process. */
  lookAtFolder(): void;
  /** The raw messages of a row. */
  rawEvents(seqs: readonly number[]): Promise<readonly Event[]>;
  readFile(path: string): Promise<FileContents>;
  /** Rows of the whole session that contain the text, oldest first, also those that are not loaded. */
  find(text: string, signal?: AbortSignal): Promise<FoundRows>;
  /** A control request of the CLI's protocol, e.g. `get_task_output`. */
  request(request: { readonly subtype: string } & Readonly<Record<string, unknown>>): Promise<unknown>;
  openRow(id: string): void;
  /** The address of a row, for copying. */
  linkTo(rowId: string): string;
  toast(text: string, options?: ToastOptions): void;
}

export interface FoundRows {
  readonly hits: readonly { readonly rowId: string; readonly order: number; readonly excerpt: string }[];
  readonly complete: boolean;
}
