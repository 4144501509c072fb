// Prompts that have not started: those that wait for their turn, and those that Stop returned.

import type { Head, PromptRow } from "@quarterdeck/client";

export interface PendingPrompts {
  /** In the order in which they will run. */
  readonly waiting: readonly PromptRow[];
  /** On hold until a person sends, edits or discards them. */
  readonly held: readonly PromptRow[];
}

export const NONE: PendingPrompts = { waiting: [], held: [] };

export const pendingPrompts = (prompts: readonly PromptRow[], queue: Head["queue"]): PendingPrompts => {
  const byId = new Map(prompts.map((row) => [row.id, row]));
  const waiting = queue.flatMap(({ rowId }) => {
    const row = byId.get(rowId);
    // A prompt that was sent to an idle process has practically started.
    return row === undefined || row.state === "sent" ? [] : [row];
  });
  const held = prompts.filter((row) => row.state === "held");
  return waiting.length === 0 && held.length === 0 ? NONE : { waiting, held };
};
