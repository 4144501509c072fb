// What the parts of a session's view may ask of the page. The timeline and the dock use only this and no client call,
// so that one place decides how a failure is reported.

import type { Event, FileContents, Method, PromptContent } from "@quarterdeck/client";
import type { Given } from "@quarterdeck/client/policy";

export interface ToastOptions {
  readonly tone?: "plain" | "good" | "bad";
  /** A button in the toast, for example undo. */
  readonly action?: { readonly label: string; readonly run: () => void };
  /** Stays until a person answers it. */
  readonly stays?: boolean;
}

/** The target of a link: a new object for each visit, so that the same link can be followed twice. */
export interface RowTarget {
  readonly rowId: string;
}

export interface SessionActions {
  /** Whether this device may make the call. Otherwise the control is not offered. */
  may<M extends Method>(method: M, params?: Given<M>): boolean;
  /** Edits a prompt that has not started, or sends a held one. */
  editPrompt(uuid: string, content: PromptContent): Promise<void>;
  /** Returns false if it had already started. */
  cancelPrompt(uuid: string): Promise<boolean>;
  /** Sends a message once more. */
  sendAgain(text: string): void;
  /** Makes a new session with the past up to this row (by default all of it), and opens it. */
  fork(rowId?: string): Promise<void>;
  resume(): Promise<void>;
  /** Shows what the folder would run. Once trusted, the session continues with it in a new process. */
  lookAtFolder(): void;
  /** The raw messages of a row. */
  rawEvents(seqs: readonly number[]): Promise<readonly Event[]>;
  readFile(path: string): Promise<FileContents>;
  /** Rows of the whole session that contain the text, oldest first, including those that are not loaded. */
  find(text: string, signal?: AbortSignal): Promise<FoundRows>;
  /** A control request of the CLI's protocol, for example `get_task_output`. */
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
