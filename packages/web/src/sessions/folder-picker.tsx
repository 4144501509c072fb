// Chooses a folder: a recent project, a typed path, or a folder found by opening the roots.

import type { ResultOf } from "@quarterdeck/client";
import { seesRoots } from "@quarterdeck/client/policy";
import { useEffect, useState } from "react";
import { baseName, formatAge, shortPath } from "../words/format.ts";
import { WORDS } from "./start-words.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { useClient, useServerInfo } from "../store/client.tsx";
import { useNow } from "../store/now.ts";

type Project = ResultOf<"projects/list">["projects"][number];
type Listing = ResultOf<"files/list">;

export interface FolderPickerProps {
  readonly value: string;
  readonly onChange: (path: string) => void;
}

export const FolderPicker = ({ value, onChange }: FolderPickerProps) => {
  const client = useClient();
  const info = useServerInfo();
  const now = useNow();
  const [projects, setProjects] = useState<readonly Project[]>();
  const [walking, setWalking] = useState(false);
  useEffect(() => {
    client
      .call("projects/list", {})
      .then(({ projects: found }) => {
        setProjects(found);
        if (found.length === 0) setWalking(true);
      })
      .catch(() => setProjects([]));
  }, [client]);
  const home = info?.machine.home;
  const seesAll = info !== undefined && seesRoots(info.device.role);
  return (
    <div className="folders">
      <label className="field">
        <span>{WORDS.folder}</span>
        <input
          className="input mono"
          required
          placeholder={home === undefined ? "/path/to/project" : `${home}/…`}
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      </label>
      <div className="segments" role="radiogroup" aria-label={WORDS.choose}>
        <label>
          <input type="radio" name="from" checked={!walking} onChange={() => setWalking(false)} />
          {WORDS.recent}
        </label>
        <label>
          <input type="radio" name="from" checked={walking} onChange={() => setWalking(true)} />
          {WORDS.browse}
        </label>
      </div>
      {info !== undefined && !seesAll && <p className="folder-note">{WORDS.limited}</p>}
      {walking ? (
        <FolderWalk value={value} onChange={onChange} />
      ) : (
        <ul className="folder-list" aria-label={WORDS.projects}>
          {projects?.length === 0 && (
            <li className="folder-none">{seesAll ? WORDS.noProjectsBrowse : WORDS.noProjects}</li>
          )}
          {projects?.map((project) => (
            <li key={project.path}>
              <button type="button" aria-pressed={project.path === value} onClick={() => onChange(project.path)}>
                <Icon name="folder" />
                <span>
                  <b>{project.name || baseName(project.path)}</b>
                  <small>{shortPath(project.path, home)}</small>
                </span>
                <small className="num">
                  {WORDS.sessions(project.sessions)} · {formatAge(project.lastAt, now)}
                </small>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
};

const FolderWalk = ({ value, onChange }: { readonly value: string; readonly onChange: (path: string) => void }) => {
  const client = useClient();
  const [path, setPath] = useState<string | undefined>(value === "" ? undefined : value);
  const [listing, setListing] = useState<Listing>();
  const [hidden, setHidden] = useState(false);
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const stop = new AbortController();
    client
      .call("files/list", { ...(path !== undefined && { path }), hidden }, { signal: stop.signal })
      .then((found) => {
        setListing(found);
        setProblem(undefined);
      })
      .catch((error: unknown) => {
        if (!stop.signal.aborted) setProblem(error instanceof Error ? error.message : String(error));
      });
    return () => stop.abort();
  }, [client, path, hidden]);
  const open = (next: string | undefined): void => {
    setPath(next);
    if (next !== undefined) onChange(next);
  };
  const folders = listing?.entries.filter(({ kind }) => kind === "folder" || kind === "link") ?? [];
  return (
    <div>
      {problem !== undefined && (
        <p className="folder-none" role="alert">
          {problem}{" "}
          <Button small onClick={() => open(undefined)}>
            {WORDS.allFolders}
          </Button>
        </p>
      )}
      <ul
        className="folder-list"
        aria-label={listing?.path === undefined ? WORDS.allFolders : WORDS.foldersIn(listing.path)}
      >
        {listing?.path !== undefined && (
          <li>
            <button type="button" onClick={() => open(listing.parent)}>
              <Icon name="up" />
              <span>
                <b>{listing.parent === undefined ? WORDS.allFolders : WORDS.up}</b>
              </span>
            </button>
          </li>
        )}
        {folders.map((entry) => (
          <li key={entry.path}>
            <button type="button" onClick={() => open(entry.path)}>
              <Icon name="folder" />
              <span>
                <b>{listing?.path === undefined ? entry.path : entry.name}</b>
              </span>
              {entry.git === true && <small>git</small>}
            </button>
          </li>
        ))}
        {listing !== undefined && folders.length === 0 && (
          <li className="folder-none">{listing.path === value ? WORDS.noFoldersChosen : WORDS.noFolders}</li>
        )}
        {listing?.truncated === true && <li className="folder-none">{WORDS.moreFolders}</li>}
      </ul>
      <label className="check">
        <input type="checkbox" checked={hidden} onChange={(event) => setHidden(event.target.checked)} />
        {WORDS.hidden}
      </label>
    </div>
  );
};
