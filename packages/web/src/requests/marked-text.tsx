// Text as it is, with marks for characters that cannot be seen (S16) and a class for stretches of it. What counts as the end of a
// line is decided for the whole text, not for each stretch.

import { piecesOf } from "@quarterdeck/client/content";
import { Fragment, memo, type ReactNode } from "react";
import { aboutMark } from "../content/text/about-mark.ts";
import "../content/text/true-text.css";

export type Marks = readonly (readonly [from: number, to: number])[];

export const MarkedText = memo(
  ({ text, marks, as: Mark }: { readonly text: string; readonly marks: Marks; readonly as: "mark" | "em" }) => {
    const borders = bordersOf(text, marks);
    const drawn: ReactNode[] = [];
    let at = 0;
    let border = 0;
    const add = (node: ReactNode, from: number): void => {
      drawn.push(
        marks.some(([begin, end]) => from >= begin && from < end) ? (
          <Mark key={from} className="ask-marked">
            {node}
          </Mark>
        ) : (
          <Fragment key={from}>{node}</Fragment>
        ),
      );
    };
    for (const piece of piecesOf(text)) {
      const end = at + piece.text.length;
      if (piece.kind !== "text")
        add(
          <mark className="true-mark" title={aboutMark(piece)} aria-label={`${piece.label}, ${aboutMark(piece)}`}>
            {piece.label}
            {piece.text === "\r" ? "\n" : ""}
          </mark>,
          at,
        );
      while (at < end) {
        while (border < borders.length && borders[border]! <= at) border++;
        const to = Math.min(end, borders[border] ?? end);
        if (piece.kind === "text") add(text.slice(at, to), at);
        at = to;
      }
    }
    return (
      <bdi className="true-text" dir="ltr">
        {drawn}
      </bdi>
    );
  },
);

/** Where a stretch begins or ends, in order. */
const bordersOf = (text: string, marks: Marks): readonly number[] =>
  [...new Set(marks.flat())].filter((at) => at > 0 && at < text.length).toSorted((a, b) => a - b);

/** What is drawn is what is there, letter by letter, so it can get the colors of its language. */
export const isPlainText = (text: string): boolean => piecesOf(text).every(({ kind }) => kind === "text");
