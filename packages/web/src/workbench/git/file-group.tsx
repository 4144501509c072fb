import type { ResultOf } from "@quarterdeck/client";
import { memo, useEffect, useState } from "react";
import { grammarOfPath } from "../../content/code/language-names.ts";
import { DiffView } from "../../content/diff/diff-view.tsx";
import { useKept } from "../../content/kept-choices.ts";
import { TrueText } from "../../content/text/true-text.tsx";
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { LineCounts } from "../../parts/line-counts.tsx";
import type { GitDeck, GitFile } from "./use-git.ts";
import { WORDS } from "./words.ts";

type Diff = ResultOf<"git/diff">;
type Side = "staged" | "unstaged";

export interface FileGroupProps {
  readonly deck: GitDeck;
  readonly side: Side;
  readonly files: readonly GitFile[];
  readonly enabled: boolean;
}

const { group: SAID } = WORDS;
/** What a press on the box of a part does. */
const VERBS = { staged: SAID.unstage, unstaged: SAID.stage } as const;
const METHODS = { staged: "git/unstage", unstaged: "git/stage" } as const;

/** A file can be staged if it needs no filter and has no conflict. */
const canMove = ({ filter, status }: GitFile, side: Side): boolean =>
  side === "staged" || (filter === undefined && status !== "conflict");

export const FileGroup = ({ deck, side, files, enabled }: FileGroupProps) => {
  const movable = files.filter((file) => canMove(file, side));
  const move = (paths: readonly { path: string; hunks?: string[] }[]): void =>
    void deck.change(METHODS[side], { files: [...paths] });
  return (
    <section className="git-section" aria-label={SAID[side]}>
      <h3>
        {SAID[side]} <span className="num">{files.length}</span>
        {movable.length > 1 && (
          <Button small tone="quiet" disabled={!enabled} onClick={() => move(movable.map(({ path }) => ({ path })))}>
            {side === "staged" ? SAID.unstageAll : SAID.stageAll}
          </Button>
        )}
      </h3>
      {files.length === 0 && <p className="faint">{side === "staged" ? SAID.noneStaged : SAID.noneChanged}</p>}
      <ul className="git-files">
        {files.map((file) => (
          <File key={file.path} file={file} side={side} deck={deck} enabled={enabled} onMove={(part) => move([part])} />
        ))}
      </ul>
    </section>
  );
};

interface FileProps {
  readonly file: GitFile;
  readonly side: Side;
  readonly deck: GitDeck;
  readonly enabled: boolean;
  readonly onMove: (part: { path: string; hunks?: string[] }) => void;
}

const LETTERS: Readonly<Record<GitFile["status"], string>> = {
  added: "A",
  modified: "M",
  deleted: "D",
  type: "T",
  untracked: "N",
  conflict: "!",
};

const File = ({ file, side, deck, enabled, onMove }: FileProps) => {
  const [open, setOpen] = useKept(`git/${side}/${file.path}`, false);
  const { path, status, added, removed, filter } = file;
  const word = WORDS.states[status];
  const moves = canMove(file, side);
  const at = path.lastIndexOf("/") + 1;
  return (
    <li className="git-file">
      <div className="git-row">
        <input
          type="checkbox"
          aria-label={VERBS[side](path)}
          checked={side === "staged"}
          disabled={!enabled || !moves}
          onChange={() => onMove({ path })}
        />
        <button type="button" className="git-name" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon name={open ? "down" : "right"} size={13} />
          <span className="git-path" title={path}>
            <span className="faint">
              <TrueText text={path.slice(0, at)} />
            </span>
            <TrueText text={path.slice(at)} />
          </span>
        </button>
        <span className={`git-letter git-${status}`} title={word}>
          <span aria-hidden="true">{LETTERS[status]}</span>
          <span className="sr-only">{word}</span>
        </span>
        <span className="num git-count">
          <LineCounts {...{ added, removed }} />
        </span>
      </div>
      {filter !== undefined && <p className="git-note">{SAID.needsFilter(filter)}</p>}
      {status === "conflict" && <p className="git-note">{SAID.conflict}</p>}
      {open && <Hunks deck={deck} path={path} side={side} enabled={enabled && moves} onMove={onMove} />}
    </li>
  );
};

interface HunksProps extends Pick<FileProps, "deck" | "side" | "enabled" | "onMove"> {
  readonly path: string;
}

const Hunks = ({ deck, path, side, enabled, onMove }: HunksProps) => {
  const { client, session, times } = deck;
  const [diff, setDiff] = useState<Diff | string>();
  useEffect(() => {
    let gone = false;
    client.call("git/diff", { session, path, side }).then(
      (found) => !gone && setDiff(found),
      (error: unknown) => !gone && setDiff(error instanceof Error ? error.message : String(error)),
    );
    return () => {
      gone = true;
    };
    // With each look at the folder, the hunks are read again.
  }, [client, session, path, side, times]);
  if (diff === undefined) return <p className="git-note">{WORDS.reading}</p>;
  if (typeof diff === "string")
    return (
      <p className="git-note git-bad" role="alert">
        {diff}
      </p>
    );
  if (diff.hunks.length === 0)
    return <p className="git-note">{diff.kind === "binary" ? WORDS.binary : SAID.noLines}</p>;
  return (
    <ul className="git-hunks" aria-label={SAID.hunksOf(path)}>
      {diff.hunks.map((hunk) => (
        <HunkView
          key={hunk.id}
          hunk={hunk}
          path={path}
          side={side}
          enabled={enabled}
          onMove={() => onMove({ path, hunks: [hunk.id] })}
        />
      ))}
      {diff.truncated && <li className="git-note">{SAID.truncated}</li>}
    </ul>
  );
};

interface HunkViewProps {
  readonly hunk: Diff["hunks"][number];
  readonly path: string;
  readonly side: Side;
  readonly enabled: boolean;
  readonly onMove: () => void;
}

const HunkView = memo(({ hunk, path, side, enabled, onMove }: HunkViewProps) => {
  const { newStart, newLines, oldStart, oldLines } = hunk;
  const [from, count] = newLines === 0 ? [oldStart, oldLines] : [newStart, newLines];
  const words = count <= 1 ? SAID.line(from) : SAID.lines(from, from + count - 1);
  const changes = hunk.lines.filter((line) => !line.startsWith(" ")).length;

  return (
    <li className="git-hunk">
      <label>
        <input
          type="checkbox"
          aria-label={VERBS[side](SAID.ofFile(words, path))}
          checked={side === "staged"}
          disabled={!enabled}
          onChange={onMove}
        />
        <span className="faint num">{SAID.linesChanges(words, changes)}</span>
      </label>
      <DiffView hunks={[hunk]} name={`git/${side}/${path}/${hunk.id}`} grammar={grammarOfPath(path)} />
    </li>
  );
});
