// The debug log of the CLI: which file it has, and how to turn it on and off. A running process cannot change it, so Claude
// Code is restarted.

import type { SessionView } from "@quarterdeck/client";
import { isRunning } from "@quarterdeck/client/content";
import { useState } from "react";
import { Button } from "../../parts/button.tsx";
import { toastError } from "../../parts/toast.tsx";
import { useClient } from "../../store/client.tsx";
import { may } from "../../store/may.ts";
import { useHead } from "../../store/session.ts";
import { showInBench } from "../../store/workbench.ts";
import { WORDS } from "./words.ts";
import { fill } from "../../parts/fill.tsx";

export const DebugSwitches = ({ view }: { readonly view: SessionView }) => {
  const client = useClient();
  const { process, cwd = "", phase } = useHead(view);
  const [file, setFile] = useState<string>();
  const isBusy = isRunning(phase);
  const [busy, setBusy] = useState(false);
  const now = process?.debugFile;
  const mayChange = may(client, "sessions/resume", { debugFile: "x" });
  const restart = (debugFile: string | null): void => {
    setBusy(true);
    (async () => {
      if (process?.running === true) await client.command("sessions/close", { session: view.id });
      await client.command("sessions/resume", { session: view.id, debugFile });
      setFile(undefined);
    })()
      .catch(toastError)
      .finally(() => setBusy(false));
  };
  return (
    <div className="wire-debug">
      {now === undefined ? (
        <p>{WORDS.noLog}</p>
      ) : (
        <p>
          {fill(WORDS.log, { file: <code>{now}</code> })}{" "}
          <Button small tone="quiet" onClick={() => showInBench({ tab: "files", path: now })}>
            {WORDS.open}
          </Button>
        </p>
      )}
      {mayChange && now !== undefined && (
        <Button small tone="quiet" busy={busy} disabled={isBusy} onClick={() => restart(null)}>
          {WORDS.withoutLog}
        </Button>
      )}
      {mayChange && now === undefined && file === undefined && (
        <Button small tone="quiet" onClick={() => setFile(`${cwd}/.claude-debug.log`)}>
          {WORDS.writeLog}
        </Button>
      )}
      {now === undefined && file !== undefined && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            restart(file.trim());
          }}
        >
          <label>
            <span>{WORDS.logFile}</span>
            <input value={file} spellCheck={false} onChange={(event) => setFile(event.target.value)} />
          </label>
          <p className="panel-note">{isBusy ? WORDS.waitForTurn : WORDS.restarts}</p>
          <Button small type="submit" busy={busy} disabled={file.trim() === "" || isBusy}>
            {WORDS.withLog}
          </Button>{" "}
          <Button small tone="quiet" onClick={() => setFile(undefined)}>
            {WORDS.cancel}
          </Button>
        </form>
      )}
    </div>
  );
};
