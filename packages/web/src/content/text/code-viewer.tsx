// The text of a file with line numbers: its beginning at first, all of it on demand. A very long file renders only the
// visible lines.

import { memo, useCallback, useMemo, type ReactNode } from "react";
import { CodeText } from "../code/code-text.tsx";
import type { Grammar } from "../code/languages.ts";
import { CodeLines, paintLines } from "../code/painted-lines.ts";
import { TextButton } from "../../parts/text-button.tsx";
import { useKept } from "../kept-choices.ts";
import { LongList } from "./long-list.tsx";
import { WORDS } from "../words.ts";

export interface CodeViewerProps {
  readonly code: string;
  readonly grammar: Grammar | undefined;
  /** Key under which the open state is remembered. */
  readonly name: string;
  readonly firstLine?: number;
  readonly isOpen?: boolean;
  readonly added?: boolean;
  readonly foot?: ReactNode;
}

const FOLDED = 20;
const LONGEST = 200_000;

export const CodeViewer = memo(
  ({ code, grammar, name, firstLine, isOpen = false, added = false, foot }: CodeViewerProps) => {
    const [unfolded, setUnfolded] = useKept(`code/${name}`, false);
    const text = code.endsWith("\n") ? code.slice(0, -1) : code;
    const lines = useMemo(() => text.split("\n"), [text]);
    const isLong = lines.length > FOLDED + 6 && !isOpen;
    const shown = isLong && !unfolded ? lines.slice(0, FOLDED).join("\n") : text;
    return (
      <div className={`viewer ${added ? "viewer-added" : ""}`}>
        {shown.length > LONGEST ? (
          <LongCode lines={lines} grammar={grammar} firstLine={firstLine} />
        ) : (
          <pre className="viewer-body code-body" tabIndex={0} aria-label={WORDS.file}>
            <CodeText code={shown} grammar={grammar} firstLine={firstLine} isOpen={isOpen} />
          </pre>
        )}
        {(isLong || foot !== undefined) && (
          <div className="fold">
            {isLong && (
              <TextButton onClick={() => setUnfolded(!unfolded)} expanded={unfolded}>
                {unfolded ? WORDS.less : WORDS.all(lines.length)}
              </TextButton>
            )}
            {foot}
          </div>
        )}
      </div>
    );
  },
);

const LONGEST_LINE = 4_000;

interface LongCodeProps {
  readonly lines: readonly string[];
  readonly grammar: Grammar | undefined;
  readonly firstLine: number | undefined;
}

/** As short code looks, of which only the lines in sight are drawn. */
const LongCode = ({ lines, grammar, firstLine }: LongCodeProps) => {
  const cut = useMemo(() => lines.map((line) => line.slice(0, LONGEST_LINE)), [lines]);
  const text = useMemo(() => new CodeLines(cut), [cut]);
  const paint = useCallback(
    (root: HTMLElement, from: number, to: number) => {
      if (grammar === undefined) return undefined;
      const drawn = Array.from({ length: to - from }, (_, index) => ({ text, line: from + index }));
      return paintLines([...root.querySelectorAll(".code-line > span")], drawn, grammar);
    },
    [grammar, text],
  );
  const digits = firstLine === undefined ? 0 : String(firstLine + lines.length).length;
  return (
    <LongList
      count={lines.length}
      label={WORDS.file}
      className="viewer-body viewer-long"
      onShown={paint}
      line={(index) => (
        <div key={index} className="long-line code-line">
          {firstLine !== undefined && <i style={{ width: `${digits}ch` }}>{firstLine + index}</i>}
          <span>{cut[index]}</span>
        </div>
      )}
    />
  );
};
