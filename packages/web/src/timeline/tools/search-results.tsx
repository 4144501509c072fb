// What a search found: files, or lines with the pattern highlighted.

import { Fragment, useMemo, type ReactNode } from "react";
import { FileLink } from "../../content/text/file-link.tsx";
import { LongList } from "../../content/text/long-list.tsx";
import { useKept } from "../../content/kept-choices.ts";
import { TextButton } from "../../parts/text-button.tsx";
import { shownPath } from "../paths.ts";
import { useScopeHead } from "../scope.tsx";
import { PathWords } from "./tool-card.tsx";
import { WORDS } from "./rare-words.ts";
import { WORDS as CONTENT } from "../../content/words.ts";

const FOLDED = 14;
const WINDOWED = 120;

const Lines = ({
  count,
  line,
  name,
  className,
}: {
  readonly count: number;
  readonly line: (index: number) => ReactNode;
  readonly name: string;
  readonly className: string;
}) => {
  const [unfolded, setUnfolded] = useKept(`lines/${name}`, false);
  const isLong = count > FOLDED + 4;
  const shown = isLong && !unfolded ? FOLDED : count;
  return (
    <>
      {shown > WINDOWED ? (
        <LongList count={shown} label={WORDS.results} className={className} line={line} />
      ) : (
        <div className={className} tabIndex={0} role="region" aria-label={WORDS.results}>
          {Array.from({ length: shown }, (_, index) => line(index))}
        </div>
      )}
      {isLong && (
        <div className="fold">
          <TextButton onClick={() => setUnfolded(!unfolded)} expanded={unfolded}>
            {unfolded ? CONTENT.less : WORDS.all(count)}
          </TextButton>
        </div>
      )}
    </>
  );
};

export const FoundFiles = ({ files, name }: { readonly files: readonly string[]; readonly name: string }) => (
  <Lines
    count={files.length}
    name={name}
    className="found"
    line={(index) => (
      <div key={index} className="long-line">
        <FileLink file={{ path: files[index]! }}>
          <PathWords path={files[index]} />
        </FileLink>
      </div>
    )}
  />
);

/** `path:12:text`, `path-12-context`, `12:text`, or a count. */
const readMatch = (line: string): { readonly where: string; readonly text: string } => {
  const match = /^((?:[^:\n]{1,400}:)?\d{1,7}[:-]|[^:\n]{1,400}:)/u.exec(line);
  return match === null ? { where: "", text: line } : { where: match[1]!, text: line.slice(match[1]!.length) };
};

export const Matches = ({
  lines,
  pattern,
  ignoreCase,
  name,
}: {
  readonly lines: readonly string[];
  readonly pattern: string | undefined;
  readonly ignoreCase: boolean;
  readonly name: string;
}) => {
  const cwd = useScopeHead((head) => head.cwd);
  const find = useMemo(() => finderOf(pattern, ignoreCase), [pattern, ignoreCase]);
  return (
    <Lines
      count={lines.length}
      name={name}
      className="found"
      line={(index) => {
        const { where, text } = readMatch(lines[index]!);
        return (
          <div key={index} className="long-line">
            <span className="faint">{hitWords(shownPath(where, cwd))}</span> {marked(text, find)}
          </div>
        );
      }}
    />
  );
};

/** `src/a.ts:12:` opens the file there. */
const hitWords = (where: string): ReactNode => {
  const match = /^(.+?):(?:(\d+)[:-])?$/u.exec(where);
  if (match === null || /^\d+$/u.test(match[1]!)) return where;
  const [, path = "", line] = match;
  return <FileLink file={{ path, ...(line !== undefined && { line: Number(line) }) }}>{where}</FileLink>;
};

type Find = (text: string) => readonly (readonly [number, number])[];

/**
 * The pattern is written for ripgrep, and another engine may take forever on it. So only its longest run of plain characters is
 * highlighted.
 */
const finderOf = (pattern: string | undefined, ignoreCase: boolean): Find => {
  const plain = (pattern ?? "")
    .replace(/\\[bBdDwWsSAzZ]/gu, "\n")
    .replace(/\\(.)/gu, "$1\u0001")
    .split(/[[\](){}.*+?^$|\n]+/u)
    .map((run) => run.replaceAll("\u0001", ""));
  const wanted = plain.filter((run) => run.length > 1).map((run) => (ignoreCase ? run.toLowerCase() : run));
  return (text) => {
    const line = ignoreCase ? text.toLowerCase() : text;
    const found: (readonly [number, number])[] = [];
    for (const run of wanted) {
      for (let at = line.indexOf(run); at !== -1 && found.length < 20; at = line.indexOf(run, at + run.length))
        found.push([at, at + run.length]);
    }
    return found.toSorted((a, b) => a[0] - b[0]);
  };
};

const marked = (text: string, find: Find): ReactNode => {
  const shown = text.slice(0, 1_000);
  const pieces: ReactNode[] = [];
  let at = 0;
  for (const [from, to] of find(shown)) {
    if (from < at) continue;
    pieces.push(
      <Fragment key={at}>{shown.slice(at, from)}</Fragment>,
      <mark key={`${from}m`}>{shown.slice(from, to)}</mark>,
    );
    at = to;
  }
  return [...pieces, <Fragment key="end">{shown.slice(at)}</Fragment>];
};
