// How many prompts wait or were returned, and a link to them: the timeline shows each of them, to edit, send or
// discard.

import type { SessionView } from "@quarterdeck/client";
import { typedText } from "@quarterdeck/client/content";
import type { SessionActions } from "../store/session-actions.ts";
import { Menu } from "../parts/menu.tsx";
import { usePendingPrompts } from "../store/session.ts";
import { WORDS } from "./words.ts";

export const QueuePill = ({ view, actions }: { readonly view: SessionView; readonly actions: SessionActions }) => {
  const { waiting, held } = usePendingPrompts(view);
  if (waiting.length + held.length === 0) return null;
  const words = [waiting.length > 0 && WORDS.queued(waiting.length), held.length > 0 && WORDS.held(held.length)]
    .filter(Boolean)
    .join(WORDS.and);
  return (
    <Menu
      className={`pill ${held.length > 0 ? "pill-held" : ""}`}
      label={WORDS.messages(words)}
      heading={WORDS.notStarted}
      items={[...waiting, ...held].map((row, at) => ({
        id: row.id,
        label: typedText(row.content).slice(0, 80) || WORDS.files,
        detail: row.state === "held" ? WORDS.heldHow : WORDS.place(at + 1),
        run: () => actions.openRow(row.id),
      }))}
    >
      {words}
    </Menu>
  );
};
