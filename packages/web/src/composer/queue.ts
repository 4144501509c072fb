// Prompts that have not begun: those that wait for their turn, and those that Stop gave back.

import type { Head, PromptRow } from "@quarterdeck/client";

export interface PendingPrompts {
  /** In the order in which they will run. */
  readonly waiting: readonly PromptRow[];
  /** Given back: nothing happens to them until somebody sends, changes or drops them. */
  readonly held: readonly PromptRow[];
}

export const NONE: PendingPrompts = { waiting: [], held: [] };

export const pendingPrompts = (prompts: readonly PromptRow[], queue: Head["queue"]): PendingPrompts => {
  const byId = new Map(prompts.map((row) => [row.id, row]));
  const waiting = queue.flatMap(({ rowId }) => {
    const row = byId.get(rowId);
    // One that was written to an idle process has as good as begun.
    return row === undefined || row.state === "sent" ? [] : [row];
  });
  const held = prompts.filter((row) => row.state === "held");
  return waiting.length === 0 && held.length === 0 ? NONE : { waiting, held };
};

/** The words of a prompt, whatever its form. */
export const textOf = (content: PromptRow["content"]): string =>
  typeof content === "string"
    ? content
    : content
        .flatMap((block) => {
          if (typeof block !== "object" || block === null || Array.isArray(block)) return [];
          const text = block["text"];
          return block["type"] === "text" && typeof text === "string" ? [text] : [];
        })
        .join("\n");

/** The same prompt with other words: what is not text stays as it was. */
export const withText = (content: PromptRow["content"], text: string): PromptRow["content"] => {
  if (typeof content === "string") return text;
  const others = content.filter(
    (block) => typeof block !== "object" || block === null || Array.isArray(block) || block["type"] !== "text",
  );
  return others.length === 0 ? text : [...(text === "" ? [] : [{ type: "text", text }]), ...others];
};

export const isOnlyText = (content: PromptRow["content"]): boolean =>
  typeof content === "string" ||
  content.every(
    (block) => typeof block === "object" && block !== null && !Array.isArray(block) && block["type"] === "text",
  );
