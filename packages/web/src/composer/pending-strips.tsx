// Above the composer: what is on its way, what waits for its turn, what Stop gave back.

import type { PromptRow, SessionView } from "@quarterdeck/client";
import { useEffect, useState, useSyncExternalStore } from "react";
import type { SessionActions } from "../app/session-actions.ts";
import { plural } from "../app/format.ts";
import { Button } from "../parts/button.tsx";
import { toastError } from "../parts/toast.tsx";
import { useClient, useConnection } from "../store/client.tsx";
import { usePendingPrompts } from "../store/session.ts";
import { outbox, type Unsent } from "./outbox.ts";
import { textOf, withText } from "./queue.ts";

/** A message that is taken at once never shows up here. */
const SHOWN_AFTER_MS = 350;

export interface PendingStripsProps {
  readonly view: SessionView;
  readonly actions: SessionActions;
  /** Puts words back into the composer. */
  readonly onEdit: (text: string) => void;
}

export const PendingStrips = ({ view, actions, onEdit }: PendingStripsProps) => {
  const { waiting, held } = usePendingPrompts(view);
  const unsent = useSyncExternalStore(outbox.subscribe, outbox.all).filter((entry) => entry.session === view.id);
  if (waiting.length + held.length + unsent.length === 0) return null;
  return (
    <div className="pending">
      {unsent.map((entry) => (
        <UnsentPrompt key={entry.commandId} entry={entry} onEdit={onEdit} />
      ))}
      {held.length > 0 && (
        <section aria-label="Held messages" className="pending-group">
          <h3>{plural(held.length, "message")} held: stopped before it began</h3>
          {held.map((row) => (
            <HeldPrompt key={row.id} row={row} actions={actions} />
          ))}
        </section>
      )}
      {waiting.length > 0 && <WaitingPrompts rows={waiting} actions={actions} />}
    </div>
  );
};

const UnsentPrompt = ({ entry, onEdit }: { readonly entry: Unsent; readonly onEdit: (text: string) => void }) => {
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
    onEdit(textOf(entry.content));
  };
  return (
    <div
      className={`pending-line ${refused === undefined ? "" : "pending-refused"}`}
      role={refused === undefined ? "status" : "alert"}
    >
      <span className="pending-text">{textOf(entry.content)}</span>
      <span className="pending-state">
        {refused === undefined ? (status === "open" ? "sending" : "waits for the connection") : `not sent: ${refused}`}
      </span>
      <Button small tone="quiet" onClick={back}>
        Edit
      </Button>
      {refused !== undefined && (
        <Button small tone="quiet" onClick={() => outbox.retry(client, entry.commandId)}>
          Send again
        </Button>
      )}
      <Button small tone="quiet" onClick={() => outbox.drop(entry.commandId)}>
        Drop
      </Button>
    </div>
  );
};

const HeldPrompt = ({ row, actions }: { readonly row: PromptRow; readonly actions: SessionActions }) => {
  const [text, setText] = useState(() => textOf(row.content));
  const [busy, setBusy] = useState(false);
  const { uuid } = row;
  if (uuid === undefined) return null;
  const run = (work: () => Promise<unknown>): void => {
    setBusy(true);
    work()
      .catch(toastError)
      .finally(() => setBusy(false));
  };
  return (
    <div className="pending-held">
      <textarea
        className="input"
        aria-label="Held message"
        rows={1}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Button
        small
        busy={busy}
        disabled={text.trim() === ""}
        onClick={() => run(() => actions.editPrompt(uuid, withText(row.content, text)))}
      >
        Send
      </Button>
      <Button small tone="quiet" busy={busy} onClick={() => run(() => actions.cancelPrompt(uuid))}>
        Drop
      </Button>
    </div>
  );
};

const WaitingPrompts = ({
  rows,
  actions,
}: {
  readonly rows: readonly PromptRow[];
  readonly actions: SessionActions;
}) => (
  <details className="pending-group" open={rows.length <= 2}>
    <summary>{plural(rows.length, "message")} queued</summary>
    <ol>
      {rows.map((row, at) => (
        <WaitingPrompt key={row.id} row={row} place={at + 1} actions={actions} />
      ))}
    </ol>
  </details>
);

interface WaitingPromptProps {
  readonly row: PromptRow;
  readonly place: number;
  readonly actions: SessionActions;
}

const WaitingPrompt = ({ row, place, actions }: WaitingPromptProps) => {
  const [text, setText] = useState<string>();
  const { uuid } = row;
  const save = async (): Promise<void> => {
    if (uuid === undefined || text === undefined) return;
    await actions.editPrompt(uuid, withText(row.content, text));
    setText(undefined);
  };
  const cancel = async (): Promise<void> => {
    if (uuid !== undefined && !(await actions.cancelPrompt(uuid))) actions.toast("Too late: it had begun.");
  };
  if (text !== undefined)
    return (
      <li className="pending-held">
        <textarea
          className="input"
          aria-label={`Queued message ${place}`}
          rows={1}
          value={text}
          ref={(box) => box?.focus()}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            event.preventDefault();
            setText(undefined);
          }}
        />
        <Button small disabled={text.trim() === ""} onClick={() => void save().catch(toastError)}>
          Save
        </Button>
        <Button small tone="quiet" onClick={() => setText(undefined)}>
          Leave
        </Button>
      </li>
    );
  return (
    <li className="pending-line">
      <span className="num pending-place">{place}</span>
      <span className="pending-text">{textOf(row.content) || "(files)"}</span>
      <span className="pending-state">{row.priority === "later" ? "after this turn" : "at the next step"}</span>
      <Button small tone="quiet" disabled={uuid === undefined} onClick={() => setText(textOf(row.content))}>
        Edit
      </Button>
      <Button small tone="quiet" disabled={uuid === undefined} onClick={() => void cancel().catch(toastError)}>
        Cancel
      </Button>
    </li>
  );
};
