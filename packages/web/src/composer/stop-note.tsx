// The second step of an interrupt. Claude Code did not stop when it was asked to, so a person may stop its process.

import type { Client } from "@quarterdeck/client";
import { useEffect, useState } from "react";
import { Button } from "../parts/button.tsx";
import { toastError } from "../parts/toast.tsx";
import { may } from "../store/may.ts";
import { WORDS } from "./extra-words.ts";

/** How long the CLI may take before the second step is offered. */
const PATIENCE_MS = 4000;

export interface StopNoteProps {
  readonly client: Client;
  readonly session: string;
  /** The interrupt failed, so there is nothing to wait for. */
  readonly failed: boolean;
}

export const StopNote = ({ client, session, failed }: StopNoteProps) => {
  const [late, setLate] = useState(false);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!late && !failed) return null;
  const stop = (): void => {
    setBusy(true);
    client
      .command("sessions/close", { session, bySignals: true })
      .catch(toastError)
      .finally(() => setBusy(false));
  };
  return (
    <div className="deck-note stop-note" role="alert">
      <span>
        <b>{WORDS.notStopped}</b> {WORDS.stopHow}
      </span>
      {may(client, "sessions/close") && (
        <Button small tone="danger" busy={busy} onClick={stop}>
          {WORDS.stop}
        </Button>
      )}
    </div>
  );
};
