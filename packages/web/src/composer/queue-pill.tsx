// How many prompts wait or were returned, and a link to them: the timeline shows each of them, to edit, send or
// discard.

import type { SessionView } from "@quarterdeck/client";
import { typedText } from "@quarterdeck/client/content";
import type { SessionActions } from "../store/session-actions.ts";
import { Menu } from "../parts/menu.tsx";
import { usePendingPrompts } from "../store/session.ts";

export const QueuePill = ({ view, actions }: { readonly view: SessionView; readonly actions: SessionActions }) => {
  const { waiting, held } = usePendingPrompts(view);
  if (waiting.length + held.length === 0) return null;
  const words = [waiting.length > 0 && `${waiting.length} queued`, held.length > 0 && `${held.length} on hold`]
    .filter(Boolean)
    .join(", ");
  return (
    <Menu
      className={`pill ${held.length > 0 ? "pill-held" : ""}`}
      label={`Messages: ${words}`}
      heading="Not started yet"
      items={[...waiting, ...held].map((row, at) => ({
        id: row.id,
        label: typedText(row.content).slice(0, 80) || "(files)",
        detail: row.state === "held" ? "on hold: send, edit or discard" : `number ${at + 1} in the queue`,
        run: () => actions.openRow(row.id),
      }))}
    >
      {words}
    </Menu>
  );
};
