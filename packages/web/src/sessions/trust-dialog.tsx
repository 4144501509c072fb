// A folder that nobody has trusted yet. The CLI would run its hooks and servers at the start, unasked; so somebody must look first.

import type { FolderInspection } from "@quarterdeck/client";
import { useEffect, useState } from "react";
import { shortPath } from "../app/format.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { toastError } from "../parts/toast.tsx";
import { TrueText } from "../requests/true-text.tsx";
import { useClient, useServerInfo } from "../store/client.tsx";
import type { TrustChoice, TrustQuestion } from "../store/surfaces.ts";
import "../requests/requests.css";

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
  const admin = client.info?.device.role === "admin";
  return (
    <Dialog
      title="Do you trust this folder?"
      about={<code>{cwd}</code>}
      onClose={onClose}
      footer={
        <>
          {!admin && (
            <span className="note trust-note">
              An admin must trust this folder. Ask one, or open it on an admin's device.
            </span>
          )}
          <Button data-autofocus onClick={onClose}>
            Cancel
          </Button>
          {!runs && (
            <Button onClick={() => finish("without-settings")}>
              {sends ? "Go on without its settings" : "Start without its settings"}
            </Button>
          )}
          <Button
            tone="main"
            busy={busy}
            disabled={seen === undefined || seen.obstacle !== undefined || !admin}
            onClick={() =>
              void trust().catch((error: unknown) => {
                setBusy(false);
                toastError(error);
              })
            }
          >
            {sends ? "Trust and send" : runs ? "Trust and go on" : "Trust and start"}
          </Button>
        </>
      }
    >
      {seen === undefined && problem === undefined && <p className="note">Reading the folder…</p>}
      {problem !== undefined && <p role="alert">{problem}</p>}
      {seen !== undefined && <FolderReport seen={seen} />}
      {runs && <p className="note">The session goes on in a new process then, as soon as its turn is over.</p>}
    </Dialog>
  );
};

/** What a folder would run by itself, in its own words. */
export const FolderReport = ({ seen }: { readonly seen: FolderInspection }) => {
  const info = useServerInfo();
  return (
    <div className="trust">
      <p>
        {seen.trust === "changed" ? "It was trusted, and has changed since. " : ""}
        {aboutFolder(seen)}
      </p>
      {seen.obstacle !== undefined && (
        <p className="ask-warning" role="alert">
          <TrueText text={seen.obstacle} />
        </p>
      )}
      {seen.git !== undefined && (
        <p className="trust-git">
          Repository {shortPath(seen.git.root, info?.machine.home)}
          {seen.git.branch !== undefined && `, on ${seen.git.branch}`}
          {seen.git.dirty && ", with uncommitted changes"}
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
                <span className="badge badge-stop">acts without asking</span>
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
                <summary>Read it</summary>
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
  if (runs)
    return "Claude Code acts on these files of the folder without asking. Some run as soon as a session starts.";
  return obstacle === undefined
    ? "It has no hooks or servers of its own. Trusting it lets Claude Code read its settings."
    : "Not all of its settings can be shown.";
};

/** Files above the folder keep their whole path. */
const pathIn = (folder: string, path: string): string =>
  path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;

/** What stands in the place of a file that can be read. */
const KINDS: Readonly<Partial<Record<FolderInspection["files"][number]["kind"], string>>> = {
  binary: "not text",
  "link-outside": "link out of the folder",
  folder: "folder in the place of a file",
  special: "not a regular file",
  "too-large": "too large to show",
  "too-many": "too many files to show",
  unreadable: "cannot be read",
};
