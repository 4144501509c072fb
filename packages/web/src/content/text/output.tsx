// Output of a program: a few lines at first, all of them on demand. A very long output renders only the visible lines.

import { Fragment, memo, useMemo, type CSSProperties, type ReactNode } from "react";
import { TextButton } from "../../parts/text-button.tsx";
import { useKept } from "../kept-choices.ts";
import { hasAnsi, readAnsi, type AnsiLine, type AnsiRun } from "./ansi.ts";
import { withFileLinks } from "./file-link.tsx";
import { LongList } from "./long-list.tsx";
import { WORDS } from "../words.ts";

export interface OutputProps {
  readonly text: string;
  /** Key under which the open state is remembered. */
  readonly name: string;
  readonly label?: string;
  /** Which lines of a long output are shown. The end of a program's output matters more than its start. */
  readonly shows?: "start" | "end";
  readonly tone?: "bad";
  readonly live?: boolean;
}

const FOLDED = 10;
const WINDOWED = 120;
const LONGEST_LINE = 4_000;

export const Output = memo(({ text, name, label = WORDS.output, shows = "end", tone, live = false }: OutputProps) => {
  const lines = useMemo(() => linesOf(text), [text]);
  const [unfolded, setUnfolded] = useKept(`output/${name}`, false);
  const isLong = lines.length > FOLDED + 4 || text.length > 6_000;
  const shown = !isLong || unfolded ? lines : shows === "end" ? lines.slice(-FOLDED) : lines.slice(0, FOLDED);
  const fold = isLong && (
    <div className="fold">
      <TextButton onClick={() => setUnfolded(!unfolded)} expanded={unfolded}>
        {unfolded ? WORDS.less : WORDS.all(lines.length)}
      </TextButton>
      {!unfolded && (
        <span className="faint">{shows === "end" ? WORDS.last(shown.length) : WORDS.first(shown.length)}</span>
      )}
    </div>
  );
  const classes = `output ${tone === "bad" ? "output-bad" : ""}`;
  return (
    <div className={classes}>
      {shows === "end" && fold}
      {shown.length > WINDOWED || (unfolded && text.length > 40_000) ? (
        <LongList
          count={shown.length}
          label={label}
          follows={live}
          className="output-lines"
          columns={Math.min(LONGEST_LINE, widest(shown))}
          line={(index) => (
            <div key={index} className="long-line">
              {lineOf(shown[index]!)}
            </div>
          )}
        />
      ) : (
        <pre className="output-lines" tabIndex={unfolded ? 0 : undefined} aria-label={label}>
          {shown.map((line, index) => (
            <span key={index}>
              {lineOf(line)}
              {index < shown.length - 1 && "\n"}
            </span>
          ))}
        </pre>
      )}
      {shows === "start" && fold}
    </div>
  );
});

type Line = string | AnsiLine;

const linesOf = (text: string): readonly Line[] => {
  const body = text.endsWith("\n") ? text.slice(0, -1) : text;
  return hasAnsi(body) ? readAnsi(body) : body.split("\n");
};

const lengthOf = (line: Line): number =>
  typeof line === "string" ? line.length : line.reduce((sum, run) => sum + run.text.length, 0);
const widest = (lines: readonly Line[]): number => lines.reduce((most, line) => Math.max(most, lengthOf(line)), 0);

const lineOf = (line: Line): ReactNode => {
  if (typeof line !== "string") return line.map(runOf);
  return line.length > LONGEST_LINE
    ? line.slice(0, LONGEST_LINE) + WORDS.more(line.length - LONGEST_LINE)
    : withFileLinks(line);
};

const runOf = ({ text, style }: AnsiRun, key: number): ReactNode => {
  const names = [
    style.bold && "ansi-bold",
    style.dim && "ansi-dim",
    style.italic && "ansi-italic",
    style.underline && "ansi-underline",
    style.strike && "ansi-strike",
    style.inverse && "ansi-inverse",
    typeof style.color === "number" && `ansi-${style.color}`,
    typeof style.background === "number" && `ansi-on-${style.background}`,
  ].filter((name) => typeof name === "string");
  const own: CSSProperties = {
    ...(typeof style.color === "string" && { color: style.color }),
    ...(typeof style.background === "string" && { backgroundColor: style.background }),
  };
  if (names.length === 0 && Object.keys(own).length === 0) return <Fragment key={key}>{withFileLinks(text)}</Fragment>;
  return (
    <span key={key} className={names.join(" ")} style={own}>
      {withFileLinks(text)}
    </span>
  );
};
