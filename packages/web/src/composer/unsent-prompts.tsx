// Above the composer: prompts that are on their way or were refused.

import { useEffect, useState, useSyncExternalStore } from "react";
import { typedText } from "@quarterdeck/client/content";
import { Button } from "../parts/button.tsx";
import { useClient, useConnection } from "../store/client.tsx";
import { outbox, type Outgoing } from "./outbox.ts";
import { WORDS } from "./words.ts";

/** A message that is accepted at once is never shown here. */
const SHOWN_AFTER_MS = 350;

export interface UnsentPromptsProps {
  readonly session: string;
  /** Puts the text back into the composer. */
  readonly onEdit: (text: string) => void;
}

export const UnsentPrompts = ({ session, onEdit }: UnsentPromptsProps) => {
  const unsent = useSyncExternalStore(outbox.subscribe, outbox.all).filter((entry) => entry.session === session);
  if (unsent.length === 0) return null;
  return (
    <div className="pending">
      {unsent.map((entry) => (
        <UnsentPrompt key={entry.commandId} entry={entry} onEdit={onEdit} />
      ))}
    </div>
  );
};

const UnsentPrompt = ({ entry, onEdit }: { readonly entry: Outgoing; readonly onEdit: (text: string) => void }) => {
  const client = useClient();
  const { status } = useConnection();
  const [late, setLate] = useState(Date.now() - entry.at > SHOWN_AFTER_MS);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), SHOWN_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  const { refused } = entry;
  if (!late && refused === undefined) return null;
  const back = (): void => {
    outbox.drop(entry.commandId);
    onEdit(typedText(entry.content));
  };
  const again = (): void => outbox.retry(client, entry.commandId);
  return (
    <div
      className={`pending-line ${refused === undefined ? "" : "pending-refused"}`}
      role={refused === undefined ? "status" : "alert"}
    >
      <span className="pending-text">{typedText(entry.content)}</span>
      <span className="pending-state">
        {refused === undefined ? (status === "open" ? WORDS.sending : WORDS.offline) : WORDS.notSent(refused.message)}
      </span>
      <Button small tone="quiet" onClick={back}>
        {WORDS.edit}
      </Button>
      {refused !== undefined && (
        <Button small tone="quiet" onClick={again}>
          {WORDS.retry}
        </Button>
      )}
      <Button small tone="quiet" onClick={() => outbox.drop(entry.commandId)}>
        {WORDS.discard}
      </Button>
    </div>
  );
};
