// Folders, opened one by one. A few letters find a file anywhere below.

import type { Client, ResultOf, SessionView } from "@quarterdeck/client";
import { useDeferredValue, useMemo, useState } from "react";
import { Icon } from "../../parts/icon.tsx";
import { useHead } from "../../store/session.ts";
import { formatBytes } from "../../words/format.ts";
import { useLoaded } from "../changes/use-changes.ts";
import { absolutePath } from "./absolute-path.ts";
import { WORDS } from "./words.ts";

export interface FileTreeProps {
  readonly client: Client;
  readonly view: SessionView;
  readonly open: string | undefined;
  readonly onOpen: (path: string) => void;
}

type Entry = ResultOf<"files/list">["entries"][number];

export const FileTree = ({ client, view, open, onOpen }: FileTreeProps) => {
  const { cwd } = useHead(view);
  const [query, setQuery] = useState("");
  const wanted = useDeferredValue(query.trim());
  const walk = (event: React.KeyboardEvent<HTMLElement>): void => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const rows = [...event.currentTarget.querySelectorAll<HTMLElement>("input, .tree-row")];
    const at = rows.indexOf(document.activeElement as HTMLElement);
    if (at === -1) return;
    event.preventDefault();
    rows[at + (event.key === "ArrowDown" ? 1 : -1)]?.focus();
  };
  const changed = useMarks(client, view);
  const parts = { client, open, onOpen, changed };
  return (
    <div className="files-tree" onKeyDown={walk}>
      <input
        className="changes-filter"
        type="search"
        placeholder={WORDS.findFile}
        aria-label={WORDS.findFile}
        value={query}
        onChange={(event) => setQuery(event.target.value)}
      />
      <div className="bench-scroll">
        {wanted !== "" ? (
          <Found {...parts} session={view.id} query={wanted} cwd={cwd} />
        ) : (
          cwd !== undefined && <Folder {...parts} path={cwd} depth={0} />
        )}
      </div>
    </div>
  );
};

interface PartProps {
  readonly client: Client;
  readonly open: string | undefined;
  readonly onOpen: (path: string) => void;
  readonly changed: Marks;
}

/** A letter for each changed file, by its path. */
type Marks = ReadonlyMap<string, string>;

/** What tools, commands and people changed since the session's start. Until that is known, what its tools changed. */
const useMarks = (client: Client, view: SessionView): Marks => {
  const { files, changes, gauges } = useHead(view);
  const edits = Object.values(files).reduce((sum, file) => sum + file.edits, 0);
  const key = `${view.id} ${edits} ${changes?.files} ${changes?.added} ${changes?.removed} ${gauges.turns}`;
  const { value } = useLoaded(true, key, () => client.call("changes/list", { session: view.id, against: "start" }));
  return useMemo(() => {
    const marks = new Map(Object.entries(files).map(([path, { created }]) => [path, created ? "A" : "M"]));
    for (const { path, status } of value?.files ?? []) marks.set(path, LETTERS_OF[status]);
    return marks;
  }, [files, value]);
};

const LETTERS_OF = { added: "A", untracked: "A", modified: "M", deleted: "D", renamed: "R", unchanged: "" } as const;

const Folder = ({ path, depth, ...parts }: PartProps & { readonly path: string; readonly depth: number }) => {
  const { value, problem } = useLoaded(true, path, () => parts.client.call("files/list", { path, hidden: true }));
  if (problem !== undefined) return <p className="review-note">{problem}</p>;
  if (value === undefined) return null;
  return (
    <ul className="tree">
      {value.entries
        .filter(({ name }) => name !== ".git")
        .map((entry) => (
          <TreeEntry key={entry.path} {...parts} entry={entry} depth={depth} />
        ))}
      {value.truncated && <li className="review-note">{WORDS.tooMany}</li>}
      {value.entries.length === 0 && <li className="review-note">{WORDS.empty}</li>}
    </ul>
  );
};

const TreeEntry = ({ entry, depth, ...parts }: PartProps & { readonly entry: Entry; readonly depth: number }) => {
  const isFolder = entry.kind === "folder";
  const { changed, open, onOpen } = parts;
  const [unfolded, setUnfolded] = useState(() => isFolder && open?.startsWith(`${entry.path}/`) === true);
  const mark = markOf(entry, changed);
  return (
    <li>
      <button
        type="button"
        className={`tree-row ${mark === "" ? "" : "tree-changed"} ${open === entry.path ? "changed-open" : ""}`}
        style={{ paddingLeft: 14 + depth * 16 }}
        aria-expanded={isFolder ? unfolded : undefined}
        aria-current={open === entry.path ? "true" : undefined}
        disabled={entry.kind === "other"}
        onClick={() => (isFolder ? setUnfolded(!unfolded) : onOpen(entry.path))}
      >
        <Icon name={isFolder ? (unfolded ? "down" : "right") : "file"} size={14} />
        <span className="tree-name">{entry.name}</span>
        {mark !== "" && <span className="tree-mark">{mark}</span>}
        {entry.kind === "link" && <span className="faint">{WORDS.link}</span>}
        {entry.size !== undefined && <span className="tree-size num">{formatBytes(entry.size)}</span>}
      </button>
      {unfolded && <Folder {...parts} path={entry.path} depth={depth + 1} />}
    </li>
  );
};

const markOf = ({ kind, path }: Entry, changed: PartProps["changed"]): string => {
  if (kind === "folder") return [...changed.keys()].some((one) => one.startsWith(`${path}/`)) ? "•" : "";
  return changed.get(path) ?? "";
};

interface FoundProps extends PartProps {
  readonly session: string;
  readonly query: string;
  readonly cwd: string | undefined;
}

const Found = ({ client, session, query, cwd, open, onOpen }: FoundProps) => {
  const { value, problem } = useLoaded(true, query, () => client.call("files/suggest", { session, query, limit: 60 }));
  if (problem !== undefined) return <p className="review-note">{problem}</p>;
  const files = value?.suggestions.filter(({ kind }) => kind === "file") ?? [];
  if (value !== undefined && files.length === 0) return <p className="review-note">{WORDS.noFile}</p>;
  return (
    <ul className="tree">
      {files.map(({ value: path }) => (
        <li key={path}>
          <button
            type="button"
            className={`tree-row ${open === absolutePath(path, cwd) ? "changed-open" : ""}`}
            onClick={() => onOpen(absolutePath(path, cwd))}
          >
            <Icon name="file" size={14} />
            <span className="tree-name mono">{path}</span>
          </button>
        </li>
      ))}
    </ul>
  );
};
