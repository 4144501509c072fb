// The changed files: where they are, what happened to them, who did it, and which were looked at.

import { memo, useMemo } from "react";
import { Icon } from "../../parts/icon.tsx";
import { LineCounts } from "../../parts/line-counts.tsx";
import { splitPath } from "../../timeline/paths.ts";
import { LETTERS, treeRows, type ChangedFile } from "./changed-file.ts";
import { WORDS } from "./words.ts";

export interface FileListProps {
  readonly files: readonly ChangedFile[];
  readonly isTree: boolean;
  readonly open: string | undefined;
  readonly isViewed: (file: ChangedFile) => boolean;
  readonly comments: ReadonlyMap<string, number>;
  readonly onOpen: (file: ChangedFile) => void;
  readonly onViewed: (file: ChangedFile, viewed: boolean) => void;
}

export const FileList = memo((props: FileListProps) => {
  const { files, isTree } = props;
  const rows = useMemo(
    () =>
      isTree ? treeRows(files) : files.map((file) => ({ kind: "file", file, name: file.shown, depth: 0 }) as const),
    [files, isTree],
  );
  return (
    <ul className="changed" aria-label={WORDS.changedFiles}>
      {rows.map((row) =>
        row.kind === "folder" ? (
          <li key={`${row.path}/`} className="changed-folder" style={{ paddingLeft: 16 + row.depth * 14 }}>
            <Icon name="folder" size={14} /> {row.name}
          </li>
        ) : (
          <Entry key={row.file.path} {...props} file={row.file} name={row.name} depth={row.depth} />
        ),
      )}
    </ul>
  );
});

interface EntryProps extends FileListProps {
  readonly file: ChangedFile;
  readonly name: string;
  readonly depth: number;
}

const Entry = ({ file, name, depth, open, isViewed, comments, onOpen, onViewed }: EntryProps) => {
  const viewed = isViewed(file);

  const path = splitPath(name);
  const count = comments.get(file.path) ?? 0;
  return (
    <li
      className={`changed-file ${viewed ? "changed-viewed" : ""} ${open === file.path ? "changed-open" : ""}`}
      style={{ paddingLeft: 8 + depth * 14 }}
    >
      <input
        type="checkbox"
        aria-label={WORDS.viewedFile(file.shown)}
        checked={viewed}
        onChange={(event) => onViewed(file, event.target.checked)}
      />
      <button type="button" onClick={() => onOpen(file)} title={file.path}>
        <abbr className={`changed-${file.status}`} title={WORDS.states[file.status]}>
          {LETTERS[file.status]}
        </abbr>
        <span className="changed-path mono">
          {file.from !== undefined && <span className="faint">{file.from} → </span>}
          <span className="faint">{path.folder}</span>
          {path.name}
        </span>
        <span className="changed-note">
          {count > 0 && (
            <span>
              <Icon name="note" size={12} /> {count}
              <span className="sr-only">{WORDS.commentCount}</span>
            </span>
          )}
          {file.notes.map((note) => (
            <span key={note}>{note}</span>
          ))}
        </span>
        <ChangeCounts file={file} />
      </button>
    </li>
  );
};

export const ChangeCounts = ({ file }: { readonly file: ChangedFile }) => (
  <span className="changed-counts num">
    {file.binary && <span className="faint">{WORDS.binary}</span>}
    <LineCounts added={file.added} removed={file.removed} />
  </span>
);
