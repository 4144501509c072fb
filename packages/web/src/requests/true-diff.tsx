// A change that a person decides about: every line, changed words, the colors of the language, and marks for hidden
// characters. A fold could hide what is allowed, so nothing is folded.

import { useEffect, useMemo, useRef } from "react";
import { CodeLines, paintLines, type DrawnLine } from "../content/code/painted-lines.ts";
import type { Grammar } from "../content/code/languages.ts";
import { diffLinesOf } from "../content/diff/compare.ts";
import { LINE_CLASSES, SIGNS, type DiffLine, type Hunk } from "../content/diff/hunks.ts";
import { isPlainText, MarkedText, type Marks } from "./marked-text.tsx";
import { WORDS } from "./words.ts";
import "../content/diff/diff.css";

const NO_MARKS: Marks = [];
const NAMES = { same: undefined, added: WORDS.added, removed: WORDS.removed, note: undefined } as const;

export const TrueDiff = ({
  hunks,
  grammar,
}: {
  readonly hunks: readonly Hunk[];
  readonly grammar?: Grammar | undefined;
}) => {
  const root = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => hunks.map(diffLinesOf), [hunks]);
  const drawn = useMemo(() => drawnOf(lines.flat()), [lines]);
  useEffect(() => {
    if (grammar === undefined || root.current === null) return undefined;
    return paintLines([...root.current.querySelectorAll(".diff-line > span")], drawn, grammar);
  }, [grammar, drawn]);
  const last = hunks.reduce(
    (most, hunk) => Math.max(most, hunk.oldStart + hunk.oldLines, hunk.newStart + hunk.newLines),
    1,
  );
  return (
    <div ref={root} className="diff ask-diff" data-digits={Math.min(String(last).length, 6)}>
      {lines.map((hunk, at) => (
        <div key={at} className="ask-hunk">
          {hunk.map((line, index) => (
            <div key={index} className={`diff-line ${LINE_CLASSES[line.kind]}`}>
              <i className={line.kind === "removed" ? "" : "old-number"}>{line.old}</i>
              <i className={line.kind === "removed" ? "old-number" : ""}>{line.new}</i>
              <b aria-label={NAMES[line.kind]}>{SIGNS[line.kind]}</b>
              <span>
                <MarkedText text={line.text} marks={line.marks ?? NO_MARKS} as="mark" />
              </span>
            </div>
          ))}
        </div>
      ))}
    </div>
  );
};

/** Lines as the highlighter reads them: both sides as whole texts. Lines with hidden characters stay plain. */
const drawnOf = (lines: readonly DiffLine[]): readonly (DrawnLine | undefined)[] => {
  const texts = { old: [] as string[], new: [] as string[] };
  const places = lines.map(({ kind, text }) => {
    const side = kind === "removed" ? "old" : "new";
    if (kind === "same") texts.old.push(text);
    return { side, line: texts[side].push(text) - 1, isPlain: isPlainText(text) } as const;
  });
  const sides = { old: new CodeLines(texts.old), new: new CodeLines(texts.new) };
  return places.map(({ side, line, isPlain }) => (isPlain ? { text: sides[side], line } : undefined));
};
