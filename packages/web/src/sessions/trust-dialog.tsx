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
      title="Do you trust this folder?"
      about={<code>{cwd}</code>}
      onClose={onClose}
      footer={
        <>
          {!mayTrust && <span className="note trust-note">Only an admin can trust this folder.</span>}
          <Button data-autofocus onClick={onClose}>
            Cancel
          </Button>
          {!runs && (
            <Button onClick={() => finish("without-settings")}>
              {sends ? "Send without its settings" : "Start without its settings"}
            </Button>
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
            {sends ? "Trust and send" : runs ? "Trust and restart" : "Trust and start"}
          </Button>
        </>
      }
    >
      {seen === undefined && problem === undefined && <p className="note">Reading the folder…</p>}
      {problem !== undefined && <p role="alert">{problem}</p>}
      {seen !== undefined && <FolderReport seen={seen} />}
      {runs && <p className="note">The session restarts with these settings when its current turn ends.</p>}
    </Dialog>
  );
};

/** What a folder would run by itself, in its own words. */
export const FolderReport = ({ seen }: { readonly seen: FolderInspection }) => {
  const info = useServerInfo();
  return (
    <div className="trust">
      <p>
        {seen.trust === "changed" ? "You trusted this folder before, but it has changed. " : ""}
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
                <summary>Show contents</summary>
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
    ? "This folder has no hooks or MCP servers. If you trust it, Claude Code reads its settings."
    : "Some of its settings cannot be shown.";
};

/** Files above the folder keep their whole path. */
const pathIn = (folder: string, path: string): string =>
  path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;

/** Shown instead of a file that cannot be read. */
const KINDS: Readonly<Partial<Record<FolderInspection["files"][number]["kind"], string>>> = {
  binary: "not text",
  "link-outside": "link to outside the folder",
  folder: "folder instead of a file",
  special: "not a regular file",
  "too-large": "too large to show",
  "too-many": "too many files to show",
  unreadable: "can't be read",
};
