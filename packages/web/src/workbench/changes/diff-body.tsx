// The lines of one file's changes. Only lines near the window are in the page. A press on a line's number asks for a
// comment there.

import { memo, useCallback, useEffect, useMemo, useRef, useState, type CSSProperties, type ReactNode } from "react";
import type { Grammar } from "../../content/code/languages.ts";
import { CodeLines, paintLines, type DrawnLine } from "../../content/code/painted-lines.ts";
import { markedText } from "../../content/diff/diff-view.tsx";
import { differingWords } from "../../content/diff/compare.ts";
import { SIGNS, type DiffLine } from "../../content/diff/hunks.ts";
import { Icon } from "../../parts/icon.tsx";
import { Chunk } from "../near.tsx";
import { CommentCard, type CommentActions } from "./comment-card.tsx";
import type { PlacedComment } from "./placed-comments.ts";
import { BLOCK, byPart, CHUNK, isIn, diffPartsOf, type DiffPart } from "./diff-parts.ts";
import { highestLine, type DiffRow, type FoldRow, type Layout, type Side } from "./diff-rows.ts";
import { WORDS } from "./words.ts";

export interface DiffActions {
  /** `extend`: up to here, from the line before. `to`: the last line of a range. */
  comment(side: Side, line: number, extend: boolean, to?: number): void;
  reveal(fold: FoldRow): void;
  /** Absent where this device may not, or nothing can be reverted. */
  readonly revert?: ((hunk: number) => void) | undefined;
}

export interface DiffBodyProps {
  readonly name: string;
  readonly rows: readonly DiffRow[];
  readonly layout: Layout;
  readonly grammar: Grammar | undefined;
  readonly comments: readonly PlacedComment[];
  readonly actions: DiffActions;
  readonly onComment: CommentActions;
  /** The hunk where the keys are. */
  readonly cursor: number | undefined;
}

export const LINE_PX = 20;

export const DiffBody = memo(({ name, rows, layout, grammar, comments, actions, onComment, cursor }: DiffBodyProps) => {
  const blocks = useMemo(() => diffPartsOf({ from: 0, rows }, BLOCK), [rows]);
  const codes = useMemo(() => codesOnce(rows), [rows]);
  const room = useMemo(() => roomForNumbers(rows), [rows]);
  const found = useMemo(() => byPart(comments, BLOCK), [comments]);
  const cursorRow = cursor === undefined ? undefined : rows.findIndex((row) => row.hunk === cursor);
  const onClick = (event: React.MouseEvent): void => {
    const cell = numberAt(event.target);
    if (cell === undefined) return;
    actions.comment(cell.dataset["side"] as Side, Number(cell.dataset["line"]), event.shiftKey);
  };
  const [picked, setPicked] = useState<Picked>();
  // A press elsewhere ends the selection.
  useEffect(() => {
    if (picked === undefined) return undefined;
    const look = (): void => {
      if (getSelection()?.isCollapsed !== false) setPicked(undefined);
    };
    document.addEventListener("selectionchange", look);
    return () => document.removeEventListener("selectionchange", look);
  }, [picked]);
  const about = (): void => {
    if (picked === undefined) return;
    actions.comment(picked.side, picked.from, false, picked.to);
    getSelection()?.removeAllRanges();
    setPicked(undefined);
  };
  return (
    <div
      className={`review-diff review-${layout}`}
      style={room}
      onClick={onClick}
      onMouseUp={(event) => setPicked(pickedIn(event.currentTarget))}
      onKeyUp={(event) => event.shiftKey && setPicked(pickedIn(event.currentTarget))}
    >
      {picked !== undefined && (
        <button type="button" className="btn btn-plain review-picked" style={{ top: picked.top }} onClick={about}>
          {picked.from === picked.to ? WORDS.askLine(picked.from) : WORDS.askLines(picked.from, picked.to)}
        </button>
      )}
      {blocks.map((part) => (
        <LinesBlock
          key={part.from}
          {...{ name, part, codes, grammar, actions, onComment }}
          comments={found.get(part.from) ?? NO_COMMENTS}
          cursor={isIn(part, cursorRow) ? cursor : undefined}
          cursorRow={isIn(part, cursorRow) ? cursorRow : undefined}
        />
      ))}
    </div>
  );
});

/** Numbers of five digits and more would wrap. */
const roomForNumbers = (rows: readonly DiffRow[]): CSSProperties | undefined => {
  const digits = String(highestLine(rows)).length;
  return digits < 5 ? undefined : ({ "--number": `calc(${digits}ch + 10px)` } as CSSProperties);
};

/** The number that was pressed. A finger may press the line itself: its number is small. */
const numberAt = (target: EventTarget): HTMLElement | undefined => {
  if (!(target instanceof Element)) return undefined;
  const cell = target.closest<HTMLElement>("[data-line]");
  if (cell !== null) return cell;
  if (!matchMedia("(pointer: coarse)").matches || getSelection()?.isCollapsed === false) return undefined;
  return [...(target.closest(".dl")?.querySelectorAll<HTMLElement>("[data-line]") ?? [])].at(-1);
};

/** Lines in which text is selected. */
interface Picked {
  readonly side: Side;
  readonly from: number;
  readonly to: number;
  /** Where the selection ends. */
  readonly top: number;
}

const pickedIn = (root: HTMLElement): Picked | undefined => {
  const selection = getSelection();
  if (selection === null || selection.isCollapsed || selection.toString().trim() === "") return undefined;
  const range = selection.getRangeAt(0);
  const cells = [...root.querySelectorAll<HTMLElement>(".dl")].flatMap((line) => {
    const text = line.querySelector(".dl-text");
    const cell = [...line.querySelectorAll<HTMLElement>("[data-line]")].at(-1);
    return text !== null && cell !== undefined && range.intersectsNode(text) ? [cell] : [];
  });
  // If lines of both sides are selected, the lines of the new text count.
  const side = cells.some(({ dataset }) => dataset["side"] === "new") ? "new" : "old";
  const lines = cells.flatMap(({ dataset }) => (dataset["side"] === side ? [Number(dataset["line"])] : []));
  if (lines.length === 0) return undefined;
  const { bottom } = range.getBoundingClientRect();
  return { side, from: Math.min(...lines), to: Math.max(...lines), top: bottom - root.getBoundingClientRect().top + 4 };
};

const NO_COMMENTS: readonly PlacedComment[] = [];

interface Codes {
  readonly old: CodeLines;
  readonly new: CodeLines;
  /** The place of a line in its text, by its number. */
  readonly places: Readonly<Record<Side, ReadonlyMap<number, number>>>;
}

/** Colors come after the first lines, and so do the texts that they need. */
const codesOnce = (rows: readonly DiffRow[]): (() => Codes) => {
  let made: Codes | undefined;
  return () => (made ??= codesOf(rows));
};

const codesOf = (rows: readonly DiffRow[]): Codes => {
  const texts = { old: [] as string[], new: [] as string[] };
  const places = { old: new Map<number, number>(), new: new Map<number, number>() };
  const take = (line: DiffLine | undefined): void => {
    if (line === undefined) return;
    for (const side of ["old", "new"] as const) {
      const at = line[side];
      if (at === undefined || places[side].has(at)) continue;
      places[side].set(at, texts[side].length);
      texts[side].push(line.text);
    }
  };
  for (const row of rows) {
    if (row.kind === "line") take(row.line);
    if (row.kind === "pair") {
      take(row.left);
      take(row.right);
    }
  }
  return { old: new CodeLines(texts.old), new: new CodeLines(texts.new), places };
};

interface LinesChunkProps {
  readonly name: string;
  readonly part: DiffPart;
  readonly codes: () => Codes;
  readonly grammar: Grammar | undefined;
  readonly comments: readonly PlacedComment[];
  readonly actions: DiffActions;
  readonly onComment: CommentActions;
  readonly cursor: number | undefined;
}

/** Drawn where it is near the window, and where the keys or a comment that is being written are. */
const Near = ({ name, part, comments, cursor, draw }: LinesChunkProps & { readonly draw: () => ReactNode }) => (
  <Chunk
    name={`${name}/${part.from}`}
    // The file is near, so its first lines are.
    starts={part.from === 0}
    estimate={part.rows.length * LINE_PX}
    held={cursor !== undefined || comments.some(({ comment }) => comment.draft === true)}
  >
    {draw}
  </Chunk>
);

const LinesBlock = memo((props: LinesChunkProps & { readonly cursorRow: number | undefined }) => {
  const draw = useCallback(() => <Chunks {...props} />, [props]);
  return <Near {...props} name={`${props.name}/block`} draw={draw} />;
});

const Chunks = ({ cursorRow, ...props }: LinesChunkProps & { readonly cursorRow: number | undefined }) => {
  const { part, comments, cursor } = props;
  const parts = useMemo(() => diffPartsOf(part, CHUNK), [part]);
  const found = useMemo(() => byPart(comments, CHUNK), [comments]);
  return parts.map((each) => (
    <LinesChunk
      key={each.from}
      {...props}
      part={each}
      comments={found.get(each.from) ?? NO_COMMENTS}
      cursor={isIn(each, cursorRow) ? cursor : undefined}
    />
  ));
};

const LinesChunk = memo((props: LinesChunkProps) => {
  const draw = useCallback(() => <Lines {...props} />, [props]);
  return <Near {...props} draw={draw} />;
});

const Lines = ({ part, codes, grammar, comments, actions, onComment, cursor }: LinesChunkProps) => {
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (grammar === undefined || root.current === null) return undefined;
    const all = codes();
    const drawn = part.rows.flatMap((row) => drawnLines(row, all));
    return paintLines([...root.current.querySelectorAll(".dl-text")], drawn, grammar);
  }, [part, codes, grammar]);
  const marked = useMemo(() => new Set(comments.flatMap(rowsUnder)), [comments]);
  return (
    <div ref={root}>
      {part.rows.map((row, index) => {
        const at = part.from + index;
        return [
          <Row
            key={at}
            row={row}
            actions={actions}
            isMarked={marked.has(at)}
            isCursor={isFirst(part, index, cursor)}
          />,
          ...comments
            .filter((placed) => placed.row === at)
            .map((placed) => <CommentCard key={placed.comment.id} placed={placed} actions={onComment} />),
        ];
      })}
    </div>
  );
};

const rowsUnder = ({ row, firstRow }: PlacedComment): readonly number[] =>
  row === undefined || firstRow === undefined
    ? []
    : Array.from({ length: Math.min(500, row - firstRow + 1) }, (_, at) => firstRow + at);

const isFirst = ({ rows }: DiffPart, index: number, cursor: number | undefined): boolean =>
  cursor !== undefined && rows[index]!.hunk === cursor && rows.findIndex((row) => row.hunk === cursor) === index;

/** The texts of a row, in the order in which they stand in the page. */
const drawnLines = (row: DiffRow, { places, ...codes }: Codes): readonly (DrawnLine | undefined)[] => {
  const on = (side: Side, line: DiffLine | undefined): DrawnLine | undefined => {
    const place = line?.[side] === undefined ? undefined : places[side].get(line[side]);
    return place === undefined ? undefined : { text: codes[side], line: place };
  };
  switch (row.kind) {
    case "fold":
      return [];
    case "line":
      return [on(row.line.kind === "removed" ? "old" : "new", row.line)];
    case "pair":
      return [on("old", row.left), on("new", row.right)];
  }
};

interface RowProps {
  readonly row: DiffRow;
  readonly actions: DiffActions;
  readonly isMarked: boolean;
  readonly isCursor: boolean;
}

const Row = memo(({ row, actions, isMarked, isCursor }: RowProps) => {
  const extra = `${isMarked ? "dl-at" : ""} ${isCursor ? "dl-cursor" : ""}`;
  switch (row.kind) {
    case "fold":
      return <Fold row={row} actions={actions} extra={extra} />;
    case "line":
      return <UnifiedRow line={row.line} mate={row.mate} extra={extra} />;
    case "pair":
      return (
        <div className={`dl-pair ${extra}`}>
          <Half line={row.left} mate={row.right} side="old" />
          <Half line={row.right} mate={row.left} side="new" />
        </div>
      );
  }
});

const Fold = ({
  row,
  actions,
  extra,
}: {
  readonly row: FoldRow;
  readonly actions: DiffActions;
  readonly extra: string;
}) => {
  const { hidden, hunk } = row;
  const { revert } = actions;
  return (
    <div className={`dl-fold ${hidden === undefined ? "dl-fold-thin" : ""} ${extra}`}>
      {hidden !== undefined && (
        <button type="button" className="dl-more" onClick={() => actions.reveal(row)}>
          <Icon name="more" size={14} />
          {WORDS.unchangedLines(hidden[1] - hidden[0] + 1)}
        </button>
      )}
      {hunk !== undefined && revert !== undefined && (
        <button type="button" className="text-button dl-revert" onClick={() => revert(hunk)}>
          {WORDS.revertHunk}
        </button>
      )}
    </div>
  );
};

const CLASSES = { same: "", added: "dl-add", removed: "dl-del", note: "dl-note" } as const;

const useMarked = (line: DiffLine | undefined, mate: DiffLine | undefined, side: Side): ReactNode =>
  useMemo(() => {
    if (line === undefined) return null;
    if (mate === undefined || line.kind === "same") return markedText(line);
    const words = side === "old" ? differingWords(line.text, mate.text) : differingWords(mate.text, line.text);
    return markedText({ text: line.text, marks: words?.[side] });
  }, [line, mate, side]);

interface LineNumberProps {
  readonly shown: number | undefined;
  /** What a press on it means: a line that stayed is one of the new text. */
  readonly line: number | undefined;
  readonly side: Side;
}

const LineNumber = ({ shown, line, side }: LineNumberProps) =>
  shown === undefined || line === undefined ? (
    <i />
  ) : (
    <i data-line={line} data-side={side}>
      {shown}
    </i>
  );

const UnifiedRow = ({
  line,
  mate,
  extra,
}: {
  readonly line: DiffLine;
  readonly mate: DiffLine | undefined;
  readonly extra: string;
}) => {
  const side = line.kind === "removed" ? "old" : "new";
  const words = useMarked(line, mate, side);
  return (
    <div className={`dl ${CLASSES[line.kind]} ${extra}`}>
      <LineNumber shown={line.old} line={line[side]} side={side} />
      <LineNumber shown={line.new} line={line.new} side="new" />
      <b>{SIGNS[line.kind]}</b>
      <span className="dl-text">{words}</span>
    </div>
  );
};

const Half = ({
  line,
  mate,
  side,
}: {
  readonly line: DiffLine | undefined;
  readonly mate: DiffLine | undefined;
  readonly side: Side;
}) => {
  const words = useMarked(line, mate, side);
  return (
    <div className={`dl ${line === undefined ? "dl-none" : CLASSES[line.kind]}`}>
      <LineNumber shown={line?.[side]} line={line?.[side]} side={side} />
      <b>{line === undefined ? " " : SIGNS[line.kind]}</b>
      <span className="dl-text">{words}</span>
    </div>
  );
};
