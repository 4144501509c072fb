// One changed file in the scroll: its head, which stays in sight, and its changes, which are fetched when they come near.

import { memo, useEffect, useMemo, useRef, useState } from "react";
import type { Client } from "@quarterdeck/client";
import { grammarOfPath } from "../../content/code/language-names.ts";
import { readableHunk } from "../../content/diff/hunks.ts";
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu, type MenuItem } from "../../parts/menu.tsx";
import { splitPath } from "../../timeline/paths.ts";
import { useNear } from "../near.tsx";
import { isImage, isNotebook, type ChangedFile } from "./changed-file.ts";
import { CommentCard } from "./comment-card.tsx";
import type { Comment } from "./comments.ts";
import { DiffBody, LINE_PX, type DiffActions } from "./diff-body.tsx";
import { startComment, useCommentActions } from "./comment-actions.ts";
import { nextReveal, diffRowsOf, type DiffRow, type Layout, type LineRange } from "./diff-rows.ts";
import { ChangeCounts } from "./file-list.tsx";
import { ImageSides } from "./image-sides.tsx";
import { NotebookSides } from "./notebook-sides.tsx";
import { placeComments } from "./placed-comments.ts";
import type { ReviewActions } from "./review.ts";
import { loadSides, type FileChange, type ChangeScope } from "./source.ts";
import { useFileChange, useLoaded } from "./use-changes.ts";
import { WORDS } from "./words.ts";

export interface FileSectionProps {
  readonly client: Client;
  readonly session: string;
  readonly file: ChangedFile;
  readonly scope: ChangeScope;
  readonly revision: number;
  readonly layout: Layout;
  readonly whitespace: boolean;
  readonly comments: readonly Comment[];
  readonly turnEndedAt: number | undefined;
  readonly viewed: boolean;
  /** The hunk where the keys are. */
  readonly cursor: number | undefined;
  /** A new object asks to be shown. */
  readonly asked: object | undefined;
  readonly review: ReviewActions;
  readonly parts: SectionParts;
}

/** What is the same for all files. */
export interface SectionParts {
  onViewed(file: ChangedFile, viewed: boolean): void;
  /** How many hunks it has, once that is known; none while it is folded. */
  onHunks(path: string, count: number | undefined): void;
  /** The first changed line of the hunk where the keys are. */
  onRows(path: string, rows: readonly DiffRow[] | undefined): void;
  menu(file: ChangedFile): readonly MenuItem[];
  openFile(file: ChangedFile): void;
  readonly ask?: ((comment: Comment) => void) | undefined;
  readonly revert?: ((file: ChangedFile, change: FileChange, hunk: number) => void) | undefined;
}

const changedLines = ({ added = 0, removed = 0 }: ChangedFile): number => added + removed;

/** The estimated height of the rows that are not drawn yet. */
const restHeight = ({ added = 0, removed = 0 }: ChangedFile, layout: Layout, drawn: number): number =>
  LINE_PX * Math.max(0, (layout === "split" ? Math.max(added, removed) : added + removed) - drawn);

/** Longer changes wait for a press. */
const LARGE = 4000;

export const FileSection = memo((props: FileSectionProps) => {
  const { file, viewed, cursor, asked, parts } = props;
  const root = useRef<HTMLElement>(null);
  const { isNear } = useNear(root);
  const folds = viewed || file.generated === true || (file.binary && !isImage(file.shown));
  const [chosen, setChosen] = useState<boolean>();
  const open = chosen ?? !folds;
  // A mark that is set or taken folds or unfolds again.
  useEffect(() => setChosen(undefined), [viewed]);
  useEffect(() => {
    if (asked === undefined) return;
    setChosen(true);
    root.current?.scrollIntoView({ block: "start" });
  }, [asked]);
  useEffect(() => {
    if (!open) parts.onHunks(file.path, undefined);
  }, [open, parts, file.path]);
  const path = splitPath(file.shown);
  return (
    <section
      ref={root}
      className={`review-file ${viewed ? "review-viewed" : ""}`}
      aria-label={file.shown}
      data-path={file.path}
    >
      <header className={`review-head ${cursor !== undefined ? "review-here" : ""}`}>
        <button type="button" className="review-fold" aria-expanded={open} onClick={() => setChosen(!open)}>
          <Icon name={open ? "down" : "right"} size={14} />
          <span className="changed-path mono">
            {file.from !== undefined && <span className="faint">{file.from} → </span>}
            <span className="faint">{path.folder}</span>
            {path.name}
          </span>
          {file.notes.length > 0 && <span className="changed-note">{file.notes.join(", ")}</span>}
          <ChangeCounts file={file} />
        </button>
        <label className="review-check">
          <input type="checkbox" checked={viewed} onChange={(event) => parts.onViewed(file, event.target.checked)} />
          {WORDS.viewed}
        </label>
        <button
          type="button"
          className="icon-btn review-open"
          aria-label={WORDS.open(file.shown)}
          data-tip={WORDS.openFile}
          onClick={() => parts.openFile(file)}
        >
          <Icon name="out" />
        </button>
        <Menu className="icon-btn" label={WORDS.menuFor(file.shown)} items={() => parts.menu(file)}>
          <Icon name="more" />
        </Menu>
      </header>
      {open && <FileBody {...props} isNear={isNear || cursor !== undefined} />}
    </section>
  );
});

const FileBody = (props: FileSectionProps & { readonly isNear: boolean }) => {
  const { client, session, file, scope, revision, layout, whitespace, isNear, cursor, parts } = props;
  const lines = changedLines(file);
  const isLong = lines > LARGE;
  const [large, setLarge] = useState(false);
  /** The pointer or the focus is at the button: the lines are read meanwhile, so that they are there at the press. */
  const [soon, setSoon] = useState(false);
  const waits = isLong && !large;
  const asText = !isImage(file.shown) && !isNotebook(file.shown);
  const wanted = (isNear || cursor !== undefined) && (!waits || soon) && asText;
  const wish = { client, session, scope, file, whitespace };
  const { value: change, problem } = useFileChange({ ...wish, revision, wanted, isLong });
  if (waits)
    return (
      <p className="review-note">
        {WORDS.changedLines(lines)}{" "}
        <Button small onPointerEnter={() => setSoon(true)} onFocus={() => setSoon(true)} onClick={() => setLarge(true)}>
          {WORDS.showThem}
        </Button>
      </p>
    );
  if (problem !== undefined)
    return (
      <p className="review-note" role="alert">
        {problem}
      </p>
    );
  const sides = { client, session, file, scope, revision };
  if (isImage(file.shown)) return <ImageSides {...sides} isNear={isNear} />;
  if (isNotebook(file.shown)) return <NotebookSides {...sides} isNear={isNear} />;
  if (change === undefined)
    return <div className="review-waits" style={{ height: Math.min(2000, 40 + lines * 20) }} aria-busy="true" />;
  if (change.kind === "binary") return <p className="review-note">{WORDS.binaryChanged}</p>;
  if (change.hunks.length === 0) return <p className="review-note">{whitespace ? WORDS.noLines : WORDS.onlySpace}</p>;
  return <TextChange {...props} change={change} layout={layout} parts={parts} />;
};

interface TextChangeProps extends FileSectionProps {
  readonly change: FileChange;
}

const TextChange = (props: TextChangeProps) => {
  const { client, session, file, scope, revision, layout, comments, turnEndedAt, review, cursor, parts, change } =
    props;
  const root = useRef<HTMLDivElement>(null);
  const [revealed, setRevealed] = useState<readonly LineRange[]>([]);
  const sides = useLoaded(revealed.length > 0, `${file.stamp} ${revision}`, () =>
    loadSides(client, session, file, scope),
  );
  const text = useMemo(() => sides.value?.new?.text?.replace(/\n$/u, "").split("\n"), [sides.value]);
  const hunks = useMemo(() => change.hunks.map(readableHunk), [change]);
  const { isBeginning = false, truncated: isCut } = change;
  const rows = useMemo(
    () => diffRowsOf({ hunks, layout, text, revealed, isCut }),
    [hunks, layout, text, revealed, isCut],
  );
  const placed = useMemo(
    () => placeComments(comments, { rows, text, turnEndedAt, isBeginning }),
    [comments, rows, text, turnEndedAt, isBeginning],
  );
  const { path } = file;
  // A comment that is not sent yet goes with its lines.
  useEffect(() => {
    for (const { comment, place } of placed) {
      const isMoved = place !== undefined && place.from !== comment.from && comment.sentAt === undefined;
      if (isMoved) review.change(comment.id, place);
    }
  }, [placed, review]);
  useEffect(() => {
    parts.onHunks(path, hunks.length);
    parts.onRows(path, rows);
    return () => parts.onRows(path, undefined);
  }, [parts, path, hunks.length, rows]);
  /** The hunk that was scrolled to in the first lines. The person may have scrolled on when the others come. */
  const scrolledTo = useRef<number>(undefined);
  useEffect(() => {
    const found = root.current?.querySelector(".dl-cursor") ?? undefined;
    if (scrolledTo.current !== cursor) found?.scrollIntoView({ block: "start" });
    scrolledTo.current = isBeginning && found !== undefined ? cursor : undefined;
  }, [cursor, rows, isBeginning]);

  const latest = useRef({ rows, comments });
  latest.current = { rows, comments };
  const onComment = useCommentActions(review, latest, parts.ask);
  const { revert } = parts;
  const actions = useMemo(
    (): DiffActions => ({
      comment: (side, line, extend, to) => startComment(review, path, latest.current, { side, line, extend, to }),
      reveal: (fold) => {
        const range = nextReveal(fold);
        if (range !== undefined) setRevealed((before) => [...before, range]);
      },
      // A revert takes back the whole hunk, so it waits until the whole hunk can be shown.
      revert:
        revert === undefined || file.submodule === true || isBeginning
          ? undefined
          : (hunk) => revert(file, change, hunk),
    }),
    [review, path, revert, file, change, isBeginning],
  );
  const elsewhere = placed.filter(({ row }) => row === undefined);
  return (
    <div ref={root}>
      {elsewhere.map((one) => (
        <CommentCard key={one.comment.id} placed={one} actions={onComment} />
      ))}
      <DiffBody
        name={path}
        rows={rows}
        layout={layout}
        grammar={grammarOfPath(path)}
        comments={placed}
        actions={actions}
        onComment={onComment}
        cursor={cursor}
      />
      {isBeginning ? (
        <div className="review-waits" style={{ height: restHeight(file, layout, rows.length) }} aria-busy="true">
          <p className="review-note">{WORDS.restComes}</p>
        </div>
      ) : (
        isCut && <p className="review-note">{WORDS.truncated}</p>
      )}
    </div>
  );
};
