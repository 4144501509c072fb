// How a person continues a session in a terminal: beside the page, or in place of it. The process here ends only after they have read
// what that ends.

import { isRunning } from "@quarterdeck/client/content";
import { useState } from "react";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { CopyButton } from "../parts/text-button.tsx";
import { useClient, useServerInfo, useSessionList } from "../store/client.tsx";
import { may } from "../store/may.ts";
import { WORDS } from "./dialog-words.ts";
import "./dialogs.css";

export const HandOverDialog = ({ session, onClose }: { readonly session: string; readonly onClose: () => void }) => {
  const client = useClient();
  const machine = useServerInfo()?.machine.hostname ?? "";
  const summary = useSessionList().sessions.find(({ id }) => id === session);
  const [command, setCommand] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const known = command ?? summary?.handedOver?.command;
  const handOver = (): void => {
    setBusy(true);
    setProblem(undefined);
    client
      .command("sessions/handOver", { session })
      .then((done) => setCommand(done.command))
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)))
      .finally(() => setBusy(false));
  };
  const { phase = "ended", waiting = [], queued = 0, tasks = 0 } = summary ?? {};
  return (
    <Dialog title={WORDS.terminalTitle} onClose={onClose}>
      <section>
        <h3>{WORDS.alongTitle}</h3>
        <p>{WORDS.along(machine)}</p>
        <Command text={`npx quarterdeck attach ${session.slice(0, 8)}`} />
      </section>
      <section>
        <h3>{WORDS.overTitle}</h3>
        {known === undefined ? (
          <>
            <p>{WORDS.over}</p>
            <ul>
              {isRunning(phase) && <li>{WORDS.overTurn}</li>}
              {waiting.length > 0 && <li>{WORDS.overRequests(waiting.length)}</li>}
              {queued > 0 && <li>{WORDS.overQueue(queued)}</li>}
              {tasks > 0 && <li>{WORDS.overTasks(tasks)}</li>}
              <li>{WORDS.overKept}</li>
            </ul>
            {problem !== undefined && (
              <p className="folder-none" role="alert">
                {problem}
              </p>
            )}
            <div className="row">
              <Button busy={busy} disabled={!may(client, "sessions/handOver")} onClick={handOver}>
                {WORDS.handOver}
              </Button>
            </div>
          </>
        ) : (
          <div role="status">
            <p>{WORDS.handedOver(machine)}</p>
            <Command text={known} />
          </div>
        )}
      </section>
    </Dialog>
  );
};

const Command = ({ text }: { readonly text: string }) => (
  <div className="pasted-command">
    <code>{text}</code>
    <CopyButton text={text} />
  </div>
);
