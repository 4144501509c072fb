// Code as text, in pieces of some lines. While it is streamed, only the last piece changes, and hidden pieces cost no
// layout. Colors come later and move nothing.

import { memo, useEffect, useLayoutEffect, useRef, useState, type CSSProperties } from "react";
import { highlight } from "./highlight.ts";
import type { Stretches } from "./highlighter.ts";
import type { Grammar } from "./languages.ts";
import { paintCode, type PaintedNode } from "./paint.ts";

export interface CodeTextProps {
  readonly code: string;
  readonly grammar: Grammar | undefined;
  /** Number of the first line. Without it, no numbers are shown. */
  readonly firstLine?: number | undefined;
  /** It is still being written. */
  readonly isOpen?: boolean;
}

const PIECE = 40;

/** Pieces of whole lines. Earlier pieces do not change when text is added. */
const codePiecesOf = (code: string): readonly string[] => {
  const pieces: string[] = [];
  let start = 0;
  let lines = 0;
  for (let at = code.indexOf("\n"); at !== -1; at = code.indexOf("\n", at + 1)) {
    if (++lines % PIECE !== 0) continue;
    pieces.push(code.slice(start, at + 1));
    start = at + 1;
  }
  if (start < code.length || pieces.length === 0) pieces.push(code.slice(start));
  return pieces;
};

export const CodeText = ({ code, grammar, firstLine, isOpen = false }: CodeTextProps) => {
  const ref = useRef<HTMLElement>(null);
  const stretches = useStretches(code, grammar, isOpen);
  const pieces = codePiecesOf(code);
  useLayoutEffect(() => {
    if (stretches === undefined || ref.current === null) return undefined;
    const nodes: PaintedNode[] = [];
    let at = 0;
    for (const piece of ref.current.children) {
      const node = piece.lastChild;
      if (node instanceof Text) nodes.push({ node, at });
      at += node?.textContent?.length ?? 0;
    }
    return paintCode(nodes, stretches);
  }, [stretches]);
  const lines = firstLine === undefined ? 0 : String(firstLine + code.split("\n").length).length;
  return (
    <code
      ref={ref}
      className="code-text"
      style={lines === 0 ? undefined : ({ "--gutter": `${lines}ch` } as CSSProperties)}
    >
      {pieces.map((piece, index) => (
        <Piece key={index} text={piece} firstLine={firstLine === undefined ? undefined : firstLine + index * PIECE} />
      ))}
    </code>
  );
};

const Piece = memo(({ text, firstLine }: { readonly text: string; readonly firstLine: number | undefined }) => {
  const lines = countLines(text);
  return (
    <span className="code-piece" style={{ "--lines": lines } as CSSProperties}>
      {firstLine !== undefined && (
        <span className="code-numbers" aria-hidden="true">
          {Array.from({ length: lines }, (_, index) => firstLine + index).join("\n")}
        </span>
      )}
      {text}
    </span>
  );
});

const countLines = (text: string): number => {
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < text.length - 1; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
};

/** While code is written, its colors follow after this time. */
const FOLLOW_MS = 300;

const useStretches = (code: string, grammar: Grammar | undefined, isOpen: boolean): Stretches | undefined => {
  const [stretches, setStretches] = useState<Stretches>();
  const newest = useRef(code);
  const asks = useRef(false);
  newest.current = code;
  useEffect(() => {
    if (grammar === undefined) return undefined;
    let gone = false;
    const ask = () => {
      asks.current = false;
      highlight(newest.current, grammar, !isOpen).then(
        (found) => {
          if (!gone) setStretches(found);
        },
        () => {},
      );
    };
    if (!isOpen) {
      ask();
      return () => {
        gone = true;
      };
    }
    // One timer at a time, not one per delta.
    if (!asks.current) {
      asks.current = true;
      setTimeout(ask, FOLLOW_MS);
    }
    return undefined;
  }, [code, grammar, isOpen]);
  return stretches;
};
