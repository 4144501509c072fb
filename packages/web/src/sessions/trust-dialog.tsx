// A folder that is not trusted yet. The CLI would run its hooks and servers without asking, so a person reviews them first.

import type { FolderInspection } from "@quarterdeck/client";
import { useEffect, useState } from "react";
import { shortPath } from "../words/format.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { toastError } from "../parts/toast.tsx";
import { TrueText } from "../content/text/true-text.tsx";
import { useClient, useServerInfo } from "../store/client.tsx";
import { may } from "../store/may.ts";
import type { TrustChoice, TrustQuestion } from "../store/surfaces.ts";
import { WORDS } from "./start-words.ts";

export interface TrustDialogProps extends TrustQuestion {
  readonly onClose: () => void;
}

export const TrustDialog = ({ cwd, runs = false, sends = false, then, onClose }: TrustDialogProps) => {
  const client = useClient();
  const [seen, setSeen] = useState<FolderInspection>();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    client
      .call("projects/inspect", { cwd })
      .then(setSeen)
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)));
  }, [client, cwd]);

  const finish = (choice: TrustChoice): void => {
    onClose();
    then(choice);
  };
  const trust = async (): Promise<void> => {
    if (seen === undefined) return;
    setBusy(true);
    await client.command("projects/trust", { cwd, hash: seen.hash, trusted: true });
    finish("trusted");
  };
  const mayTrust = may(client, "projects/trust", { trusted: true });
  return (
    <Dialog
      title={WORDS.trustAsk}
      about={<code>{cwd}</code>}
      onClose={onClose}
      footer={
        <>
          {!mayTrust && <span className="note trust-note">{WORDS.trustAdmin}</span>}
          <Button data-autofocus onClick={onClose}>
            {WORDS.cancel}
          </Button>
          {!runs && (
            <Button onClick={() => finish("without-settings")}>{sends ? WORDS.sendWithout : WORDS.startWithout}</Button>
          )}
          <Button
            tone="main"
            busy={busy}
            disabled={seen === undefined || seen.obstacle !== undefined || !mayTrust}
            onClick={() =>
              void trust().catch((error: unknown) => {
                setBusy(false);
                toastError(error);
              })
            }
          >
            {sends ? WORDS.trustSend : runs ? WORDS.trustRestart : WORDS.trustStart}
          </Button>
        </>
      }
    >
      {seen === undefined && problem === undefined && <p className="note">{WORDS.reading}</p>}
      {problem !== undefined && <p role="alert">{problem}</p>}
      {seen !== undefined && <FolderReport seen={seen} />}
      {runs && <p className="note">{WORDS.restarts}</p>}
    </Dialog>
  );
};

/** What a folder would run by itself, in its own words. */
const FolderReport = ({ seen }: { readonly seen: FolderInspection }) => {
  const info = useServerInfo();
  return (
    <div className="trust">
      <p>
        {seen.trust === "changed" ? `${WORDS.changed} ` : ""}
        {aboutFolder(seen)}
      </p>
      {seen.obstacle !== undefined && (
        <p className="ask-warning" role="alert">
          <TrueText text={seen.obstacle} />
        </p>
      )}
      {seen.git !== undefined && (
        <p className="trust-git">
          {WORDS.repository(shortPath(seen.git.root, info?.machine.home))}
          {seen.git.branch !== undefined && WORDS.on(seen.git.branch)}
          {seen.git.dirty && WORDS.dirty}
        </p>
      )}
      <ul className="trust-files">
        {seen.files.map((file) => (
          <li key={file.path}>
            <b className="mono">
              <TrueText text={pathIn(seen.folder, file.path)} />
            </b>
            {KINDS[file.kind] !== undefined && <span className="note"> {KINDS[file.kind]}</span>}
            {file.runsSomething && (
              <>
                {" "}
                <span className="badge badge-stop">{WORDS.acts}</span>
              </>
            )}
            {file.runs.length > 0 && (
              <ul>
                {file.runs.map((command, at) => (
                  <li key={at}>
                    <code>
                      <TrueText text={command} />
                    </code>
                  </li>
                ))}
              </ul>
            )}
            {file.text !== undefined && (
              <details>
                <summary>{WORDS.contents}</summary>
                <pre>
                  <TrueText text={file.text} />
                </pre>
              </details>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
};

const aboutFolder = ({ runs, obstacle }: FolderInspection): string => {
  if (runs) return WORDS.runs;
  return obstacle === undefined ? WORDS.runsNothing : WORDS.notShown;
};

/** Files above the folder keep their whole path. */
const pathIn = (folder: string, path: string): string =>
  path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;

/** Shown instead of a file that cannot be read. */
const KINDS: Readonly<Partial<Record<FolderInspection["files"][number]["kind"], string>>> = WORDS.kinds;
