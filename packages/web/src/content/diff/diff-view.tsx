// Changes of a file, in one column or two. A long diff is folded. A very long one scrolls in its own window and renders
// only the visible lines.

import { Fragment, memo, useCallback, useEffect, useMemo, useRef, useSyncExternalStore, type ReactNode } from "react";
import { PHONE, useMedia } from "../../store/media.ts";
import { kept, type Kept } from "../../store/kept.ts";
import type { Grammar } from "../code/languages.ts";
import { CodeLines, paintLines, type DrawnLine } from "../code/painted-lines.ts";
import { LongList } from "../text/long-list.tsx";
import { LineCounts } from "../../parts/line-counts.tsx";
import { TextButton } from "../../parts/text-button.tsx";
import { useKept } from "../kept-choices.ts";
import {
  countOf,
  LINE_CLASSES,
  numberedLines,
  readableHunk,
  SIGNS,
  splitLines,
  type DiffLine,
  type Hunk,
  type SplitLine,
} from "./hunks.ts";
import { useCompare } from "./use-compare.ts";
import { WORDS } from "../words.ts";
import "./diff.css";

export interface DiffViewProps {
  readonly hunks: readonly Hunk[];
  /** Key under which the open state is remembered. */
  readonly name: string;
  /** Says that the changes are not made yet, or were not made. */
  readonly note?: string | undefined;
  readonly grammar?: Grammar | undefined;
}

/** Longer diffs are folded, with this many lines shown. */
const FOLDED = 24;
/** Shorter diffs need no choice of layout. */
const SHORT = 6;
/** Longer diffs get their own window. */
const WINDOWED = 160;

/** A line as the page shows it. In two columns, the left one shows the old side. */
interface ShownLine {
  readonly line: DiffLine;
  readonly side: "old" | "new";
}

type Layout = "unified" | "split";
const layoutChoice: Kept<Layout> = kept("diff-layout", (value) => (value === "split" ? "split" : "unified"));

/** The person's choice. A phone has no room for two columns. */
const useDiffLayout = (): readonly [Layout, (layout: Layout) => void] => {
  const chosen = useSyncExternalStore(layoutChoice.subscribe, layoutChoice.get);
  const phone = useMedia(PHONE);
  return [phone ? "unified" : chosen, layoutChoice.set];
};

type Entry =
  | { readonly kind: "gap"; readonly words: string }
  | { readonly kind: "line"; readonly line: DiffLine }
  | { readonly kind: "pair"; readonly pair: SplitLine };

export const DiffView = memo(({ hunks, name, note, grammar }: DiffViewProps) => {
  const root = useRef<HTMLDivElement>(null);
  const [layout, setLayout] = useDiffLayout();
  const phone = useMedia(PHONE);
  const [unfolded, setUnfolded] = useKept(`diff/${name}`, false);
  const total = hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
  const folds = total > FOLDED * 1.5;
  const linesOf = useCompare()?.diffLinesOf ?? numberedLines;
  const entries = useMemo(
    () => entriesOf((folds && !unfolded ? firstLines(hunks, FOLDED) : hunks).map(readableHunk), layout, linesOf),
    [hunks, layout, folds, unfolded, linesOf],
  );
  const isWindowed = entries.length > WINDOWED;
  const codes = useMemo(() => codesOf(entries), [entries]);
  const paintShown = useCallback(
    (list: HTMLElement, from: number, to: number) => {
      if (grammar === undefined) return undefined;
      return paintLines([...list.querySelectorAll(".diff-line > span")], codes.slice(from, to).flat(), grammar);
    },
    [grammar, codes],
  );
  useEffect(
    () => (isWindowed || root.current === null ? undefined : paintShown(root.current, 0, codes.length)),
    [isWindowed, paintShown, codes],
  );
  const hasLayouts = !phone && total > SHORT;
  return (
    <div ref={root} className={`diff diff-${layout}`} data-digits={digitsOf(hunks)}>
      {isWindowed ? (
        <LongList
          count={entries.length}
          label={WORDS.changes}
          className="diff-lines"
          onShown={paintShown}
          line={(index) => entryOf(entries[index]!, index)}
        />
      ) : (
        <div className="diff-lines" tabIndex={0} role="region" aria-label={WORDS.changes}>
          <div className="diff-in">{entries.map(entryOf)}</div>
        </div>
      )}
      {(folds || hasLayouts || note !== undefined) && (
        <div className="fold">
          {note !== undefined && <span className="faint">{note}</span>}
          {folds && (
            <TextButton onClick={() => setUnfolded(!unfolded)} expanded={unfolded}>
              {unfolded ? WORDS.less : WORDS.all(total)}
            </TextButton>
          )}
          {hasLayouts && (
            <TextButton onClick={() => setLayout(layout === "split" ? "unified" : "split")}>
              {layout === "split" ? WORDS.unified : WORDS.split}
            </TextButton>
          )}
        </div>
      )}
    </div>
  );
});

/** Width of the largest line number. */
const digitsOf = (hunks: readonly Hunk[]): number => {
  const last = hunks.reduce(
    (most, hunk) => Math.max(most, hunk.oldStart + hunk.oldLines, hunk.newStart + hunk.newLines),
    1,
  );
  return Math.min(String(last).length, 6);
};

const entriesOf = (
  hunks: readonly Hunk[],
  layout: Layout,
  linesOf: (hunk: Hunk) => readonly DiffLine[],
): readonly Entry[] =>
  hunks.flatMap((hunk, index): Entry[] => {
    const lines = linesOf(hunk);
    const before = hunks[index - 1];
    const left = before === undefined ? hunk.newStart - 1 : hunk.newStart - before.newStart - before.newLines;
    return [
      ...(index > 0 && left > 0 ? [{ kind: "gap", words: WORDS.unchanged(left) } as const] : []),
      ...(layout === "split"
        ? splitLines(lines).map((pair) => ({ kind: "pair", pair }) as const)
        : lines.map((line) => ({ kind: "line", line }) as const)),
    ];
  });

/** The texts of an entry, in page order. */
const shownLines = (entry: Entry): readonly (ShownLine | undefined)[] => {
  switch (entry.kind) {
    case "gap":
      return [];
    case "line":
      return [{ line: entry.line, side: entry.line.kind === "removed" ? "old" : "new" }];
    case "pair": {
      const { left, right } = entry.pair;
      return [left && { line: left, side: "old" }, right && { line: right, side: "new" }];
    }
  }
};

/** The texts of each entry, at their places in the two sides. */
const codesOf = (entries: readonly Entry[]): readonly (readonly (DrawnLine | undefined)[])[] => {
  const texts = { old: [] as string[], new: [] as string[] };
  const places = entries.map((entry) =>
    shownLines(entry).map((shown) => {
      if (shown === undefined) return undefined;
      return { side: shown.side, line: texts[shown.side].push(shown.line.text) - 1 };
    }),
  );
  const sides = { old: new CodeLines(texts.old), new: new CodeLines(texts.new) };
  return places.map((entry) =>
    entry.map((place) => (place === undefined ? undefined : { text: sides[place.side], line: place.line })),
  );
};

const firstLines = (hunks: readonly Hunk[], count: number): readonly Hunk[] => {
  const shown: Hunk[] = [];
  let left = count;
  for (const hunk of hunks) {
    if (left <= 0) break;
    shown.push(hunk.lines.length <= left ? hunk : { ...hunk, lines: hunk.lines.slice(0, left) });
    left -= hunk.lines.length;
  }
  return shown;
};

const entryOf = (entry: Entry, key: number): ReactNode => {
  switch (entry.kind) {
    case "gap":
      return (
        <div key={key} className="diff-gap">
          {entry.words}
        </div>
      );
    case "line":
      return <UnifiedLine key={key} line={entry.line} />;
    case "pair":
      return (
        <div key={key} className="diff-pair">
          <Half line={entry.pair.left} side="old" />
          <Half line={entry.pair.right} side="new" />
        </div>
      );
  }
};

const UnifiedLine = ({ line }: { readonly line: DiffLine }) => (
  <div className={`diff-line ${LINE_CLASSES[line.kind]}`}>
    {/* A phone has one column: the number in the old file where the line is removed. */}
    <i className={line.kind === "removed" ? "" : "old-number"}>{line.old}</i>
    <i className={line.kind === "removed" ? "old-number" : ""}>{line.new}</i>
    <b>{SIGNS[line.kind]}</b>
    <span>{markedText(line)}</span>
  </div>
);

const Half = ({ line, side }: { readonly line: DiffLine | undefined; readonly side: "old" | "new" }) => (
  <div className={`diff-line ${line === undefined ? "is-empty" : LINE_CLASSES[line.kind]}`}>
    <i>{line?.[side]}</i>
    <b>{line === undefined ? " " : SIGNS[line.kind]}</b>
    <span>{line === undefined ? null : markedText(line)}</span>
  </div>
);

/** The text of a line, with the words that differ. */
export const markedText = ({
  text,
  marks,
}: {
  readonly text: string;
  readonly marks?: DiffLine["marks"] | undefined;
}): ReactNode => {
  if (marks === undefined || marks.length === 0) return text === "" ? "\u200B" : text;
  const pieces: ReactNode[] = [];
  let at = 0;
  for (const [from, to] of marks) {
    pieces.push(
      <Fragment key={at}>{text.slice(at, from)}</Fragment>,
      <mark key={`${from}m`}>{text.slice(from, to)}</mark>,
    );
    at = to;
  }
  return [...pieces, <Fragment key="end">{text.slice(at)}</Fragment>];
};

export const DiffCount = ({ hunks }: { readonly hunks: readonly Hunk[] }) => {
  const { added, removed } = countOf(hunks);
  return (
    <span className="diff-count num">
      <LineCounts {...{ added, removed }} />
      {added + removed === 0 && <span>{WORDS.same}</span>}
    </span>
  );
};
