// One file: its text with numbers and colors, or a view for files that are not text. Comments can be written here,
// too.

import type { Client, FileContents, SessionView } from "@quarterdeck/client";
import { readableText } from "@quarterdeck/client/content";
import { useEffect, useMemo, useRef, useState, useSyncExternalStore, type ReactNode } from "react";
import { outbox } from "../../composer/outbox.ts";
import { grammarOfPath } from "../../content/code/language-names.ts";
import { ChoicesProvider, KeptChoices } from "../../content/kept-choices.ts";
import { Markdown } from "../../content/markdown/markdown.tsx";
import { Button, IconButton } from "../../parts/button.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { kept } from "../../store/kept.ts";
import { may } from "../../store/may.ts";
import { useHead, useLastTurn } from "../../store/session.ts";
import { showInBench } from "../../store/workbench.ts";
import { NotebookCell } from "../../timeline/tools/notebook-cell.tsx";
import { shownPath, splitPath } from "../../timeline/paths.ts";
import { formatBytes } from "../../words/format.ts";
import { useCommentActions, startComment } from "../changes/comment-actions.ts";
import { questionOf, withShownPaths, type Comment } from "../changes/comments.ts";
import { DiffBody, type DiffActions } from "../changes/diff-body.tsx";
import type { DiffRow } from "../changes/diff-rows.ts";
import { placeComments } from "../changes/placed-comments.ts";
import { useReview } from "../changes/review.ts";
import { NearScroll } from "../near.tsx";
import { EditorButton } from "./editor-button.tsx";
import { FindInFile } from "./find-bar.tsx";
import { notebookCells } from "./notebook.ts";
import { Pdf } from "./pdf.tsx";
import { WORDS } from "./words.ts";

export interface FileViewerProps {
  readonly client: Client;
  readonly view: SessionView;
  readonly path: string;
  readonly line: number | undefined;
  readonly visit: object;
  readonly back: ReactNode;
}

const WINDOW = 1_000_000;
const wrapping = kept("files-wrap", (value) => value !== false);

export const FileViewer = ({ client, view, path, line, visit, back }: FileViewerProps) => {
  const { cwd, files } = useHead(view);
  const edits = Object.hasOwn(files, path) ? files[path]!.edits : 0;
  const file = useFileText(client, view.id, path, edits);
  const wraps = useSyncExternalStore(wrapping.subscribe, wrapping.get);
  const [finds, setFinds] = useState(false);
  const [raw, setRaw] = useState(line !== undefined);
  const [at, setAt] = useState<{ readonly line: number }>();
  useEffect(() => {
    if (line === undefined) return;
    setRaw(true);
    setAt({ line });
  }, [line, visit]);
  const { first, text } = file;
  // A text that is long or ends early is shown as it is.
  const isMarkdown = /\.(?:md|markdown|mdx)$/iu.test(path) && first?.kind === "text" && file.next === undefined;
  const cells = useMemo(
    () => (path.endsWith(".ipynb") && text !== undefined && file.next === undefined ? notebookCells(text) : undefined),
    [path, text, file.next],
  );
  const shownAs = raw ? "raw" : isMarkdown ? "markdown" : cells === undefined ? "raw" : "notebook";
  const lines = useMemo(() => text?.replace(/\n$/u, "").split("\n").map(readableText), [text]);
  const name = splitPath(shownPath(path, cwd));
  return (
    <section className={`file-view ${wraps ? "" : "file-unwrapped"}`} aria-label={path}>
      <header className="file-head">
        {back}
        <span className="changed-path mono" title={path}>
          <span className="faint">{name.folder}</span>
          {name.name}
        </span>
        {edits > 0 && (
          <Button small tone="quiet" onClick={() => showInBench({ tab: "changes", path })}>
            {WORDS.changes}
          </Button>
        )}
        <span className="gap" />
        {(isMarkdown || cells !== undefined) && (
          <Button small tone="quiet" aria-pressed={shownAs === "raw"} onClick={() => setRaw(shownAs !== "raw")}>
            {shownAs === "raw" ? WORDS.rendered : WORDS.raw}
          </Button>
        )}
        {shownAs === "raw" && lines !== undefined && (
          <>
            <Button small tone="quiet" aria-pressed={wraps} onClick={() => wrapping.set(!wraps)}>
              {WORDS.wrap}
            </Button>
            <IconButton icon="search" label={WORDS.findInFile} aria-pressed={finds} onClick={() => setFinds(!finds)} />
          </>
        )}
        <EditorButton path={path} line={at?.line} />
      </header>
      {finds && lines !== undefined && (
        <FindInFile lines={lines} onGo={(found) => setAt({ line: found })} onClose={() => setFinds(false)} />
      )}
      {file.problem !== undefined && (
        <p className="bench-empty" role="alert">
          {file.problem}
        </p>
      )}
      {first?.encoding !== undefined && <p className="review-note">{WORDS.latin1}</p>}
      {first !== undefined && lines === undefined && <NoText file={first} path={path} />}
      {lines !== undefined && shownAs === "raw" && (
        <FileLines {...{ client, view, path, lines }} at={at} more={file.next === undefined ? undefined : file.more} />
      )}
      {shownAs === "markdown" && (
        <div className="bench-scroll file-prose" tabIndex={0} role="region" aria-label={path}>
          <Markdown text={text!} />
        </div>
      )}
      {shownAs === "notebook" && <Notebook cells={cells!} path={path} />}
    </section>
  );
};

interface FileText {
  readonly first: FileContents | undefined;
  readonly text: string | undefined;
  readonly next: number | undefined;
  readonly problem: string | undefined;
  readonly more: () => void;
}

/** The text in parts. The next part is loaded when a person asks for it. */
const useFileText = (client: Client, session: string, path: string, edits: number): FileText => {
  const [first, setFirst] = useState<FileContents>();
  const [text, setText] = useState<string>();
  const [next, setNext] = useState<number>();
  const [problem, setProblem] = useState<string>();
  const busy = useRef(false);
  useEffect(() => {
    let gone = false;
    client.call("files/read", { session, path, maxBytes: WINDOW }).then(
      (found) => {
        if (gone) return;
        setFirst(found);
        setText(found.text);
        setNext(found.next);
        setProblem(undefined);
      },
      (error: unknown) => {
        if (!gone) setProblem(error instanceof Error ? error.message : String(error));
      },
    );
    return () => {
      gone = true;
    };
  }, [client, session, path, edits]);
  const more = (): void => {
    if (next === undefined || busy.current) return;
    busy.current = true;
    client
      .call("files/read", { session, path, maxBytes: WINDOW, offset: next })
      .then((found) => {
        setText((before) => (before ?? "") + (found.text ?? ""));
        setNext(found.text === undefined || found.text === "" ? undefined : found.next);
      })
      .catch(toastError)
      .finally(() => {
        busy.current = false;
      });
  };
  return { first, text, next, problem, more };
};

interface FileLinesProps {
  readonly client: Client;
  readonly view: SessionView;
  readonly path: string;
  readonly lines: readonly string[];
  readonly at: { readonly line: number } | undefined;
  readonly more: (() => void) | undefined;
}

const NO_COMMENTS: readonly Comment[] = [];

const FileLines = ({ client, view, path, lines, at, more }: FileLinesProps) => {
  const [root, setRoot] = useState<HTMLElement | null>(null);
  const [review, actions] = useReview(view.id);
  const lastTurn = useLastTurn(view);
  const { cwd } = useHead(view);
  // Each line is its own part, so that the page can scroll to any line.
  const rows = useMemo(
    () =>
      lines.map((text, index): DiffRow => ({
        kind: "line",
        line: { kind: "same", new: index + 1, text },
        hunk: index + 1,
      })),
    [lines],
  );
  const comments = useMemo(() => {
    const found = review.comments.filter((comment) => comment.path === path && comment.side === "new");
    return found.length === 0 ? NO_COMMENTS : found;
  }, [review.comments, path]);
  const placed = useMemo(
    () => placeComments(comments, { rows, text: lines, turnEndedAt: lastTurn?.at }),
    [comments, rows, lines, lastTurn],
  );
  const latest = useRef({ rows, comments });
  latest.current = { rows, comments };
  const canAsk = may(client, "session/prompt");
  const ask = useMemo(
    () =>
      canAsk
        ? (comment: Comment): void => {
            outbox.send(client, {
              session: view.id,
              content: questionOf(withShownPaths([comment], cwd)[0]!),
              uploads: [],
            });
            actions.change(comment.id, { text: comment.text, draft: undefined, sentAt: Date.now() });
            toast(WORDS.sent);
          }
        : undefined,
    [canAsk, client, view.id, actions, cwd],
  );
  const onComment = useCommentActions(actions, latest, ask);
  const diffActions = useMemo(
    (): DiffActions => ({
      comment: (side, line, extend, to) => startComment(actions, path, latest.current, { side, line, extend, to }),
      reveal: () => {},
    }),
    [actions, path],
  );
  const isThere = at !== undefined && at.line <= lines.length;
  const latestMore = useRef(more);
  latestMore.current = more;
  useEffect(() => {
    if (at === undefined) return;
    if (isThere) root?.querySelector(".dl-cursor")?.scrollIntoView({ block: "center" });
    // Each answer with more lines may have it.
    else latestMore.current?.();
  }, [at, isThere, isThere ? 0 : lines.length, root]);
  return (
    <NearScroll className="file-lines" label={path} onRoot={setRoot}>
      <DiffBody
        name={path}
        rows={rows}
        layout="unified"
        grammar={grammarOfPath(path)}
        comments={placed}
        actions={diffActions}
        onComment={onComment}
        cursor={at?.line}
      />
      {more !== undefined && (
        <p className="review-note">
          <Button small onClick={more}>
            {WORDS.showMore}
          </Button>
        </p>
      )}
    </NearScroll>
  );
};

const Notebook = ({
  cells,
  path,
}: {
  readonly cells: NonNullable<ReturnType<typeof notebookCells>>;
  readonly path: string;
}) => {
  const [choices] = useState(() => new KeptChoices());
  return (
    <ChoicesProvider value={choices}>
      <div className="bench-scroll cells file-cells" tabIndex={0} role="region" aria-label={path}>
        {cells.map((cell, index) => (
          <NotebookCell key={index} cell={cell} name={`${path}/${index}`} />
        ))}
      </div>
    </ChoicesProvider>
  );
};

const NoText = ({ file, path }: { readonly file: FileContents; readonly path: string }) => {
  const { kind, url, size, mediaType } = file;
  if (kind === "image" && url !== undefined)
    return (
      <div className="bench-scroll file-image">
        <img src={url} alt={path} />
        <p className="review-note">{WORDS.kindAndSize(mediaType, formatBytes(size))}</p>
      </div>
    );
  if (kind === "pdf" && url !== undefined) return <Pdf url={url} path={path} size={size} />;
  return <p className="bench-empty">{WORDS.binary(mediaType, formatBytes(size))}</p>;
};
