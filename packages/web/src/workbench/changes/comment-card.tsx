// A comment under its lines: being written, collected, or sent.

import { memo, useEffect, useRef, useState } from "react";
import { hintOf, isKey } from "../../keys/key-table.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { TextButton } from "../../parts/text-button.tsx";
import { commentName, spanWords, type Comment, type CommentFate } from "./comments.ts";
import type { PlacedComment } from "./placed-comments.ts";
import { WORDS } from "./words.ts";

export interface CommentActions {
  /** What is typed is kept as it is typed. */
  write(id: string, text: string): void;
  /** Collects it. */
  add(id: string, text: string): void;
  /** Sends this one alone. Absent where this device may not. */
  readonly ask?: ((id: string, text: string) => void) | undefined;
  edit(id: string): void;
  remove(id: string): void;
  /** One line more, or less. */
  stretch(id: string, by: 1 | -1): void;
}

const { comment: SAID } = WORDS;

const FATES: Readonly<Record<CommentFate, readonly [words: string, tone: "plain" | "sea" | "go"] | undefined>> = {
  collected: undefined,
  waiting: [SAID.sent, "sea"],
  touched: [SAID.touched, "go"],
  untouched: [SAID.untouched, "plain"],
};

interface CommentCardProps {
  readonly placed: PlacedComment;
  readonly actions: CommentActions;
}

export const CommentCard = memo(({ placed, actions }: CommentCardProps) =>
  placed.comment.draft === true ? (
    <CommentEditor comment={placed.comment} actions={actions} />
  ) : (
    <CommentNote placed={placed} actions={actions} />
  ),
);

const CommentNote = ({ placed, actions }: CommentCardProps) => {
  const { comment, place, fate } = placed;
  const words = FATES[fate];
  return (
    <article className="comment" aria-label={commentName(comment)}>
      <header>
        <span>{place === undefined ? SAID.asItWas(spanWords(comment)) : spanWords(place)}</span>
        {words !== undefined && <Badge tone={words[1]}>{words[0]}</Badge>}
        <span className="comment-acts">
          {fate === "collected" && <TextButton onClick={() => actions.edit(comment.id)}>{SAID.edit}</TextButton>}
          <TextButton onClick={() => actions.remove(comment.id)}>
            {fate === "collected" ? SAID.remove : SAID.dismiss}
          </TextButton>
        </span>
      </header>
      {place === undefined && <pre className="comment-quote">{comment.quote.slice(0, 6).join("\n")}</pre>}
      <p>{comment.text}</p>
    </article>
  );
};

const SAVE_MS = 250;

const CommentEditor = ({ comment, actions }: { readonly comment: Comment; readonly actions: CommentActions }) => {
  const { id } = comment;
  const [text, setText] = useState(comment.text);
  const latest = useRef(comment.text);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const ended = useRef(false);
  useEffect(() => {
    const save = (): void => {
      clearTimeout(timer.current);
      if (!ended.current) actions.write(id, latest.current);
    };
    addEventListener("pagehide", save);
    return () => {
      removeEventListener("pagehide", save);
      save();
    };
  }, [actions, id]);
  const end = (run: () => void): void => {
    clearTimeout(timer.current);
    ended.current = true;
    run();
  };
  const isEmpty = text.trim() === "";
  const add = (): void => {
    if (!isEmpty) end(() => actions.add(id, text.trim()));
  };
  const { ask } = actions;
  return (
    <form
      className="comment comment-writing"
      aria-label={commentName(comment)}
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <header>
        <span>{spanWords(comment)}</span>
        <span className="comment-acts">
          <TextButton onClick={() => actions.stretch(id, 1)}>{SAID.oneMore}</TextButton>
          {comment.to > comment.from && <TextButton onClick={() => actions.stretch(id, -1)}>{SAID.oneLess}</TextButton>}
        </span>
      </header>
      <textarea
        aria-label={SAID.comment}
        placeholder={SAID.whatChanges}
        value={text}
        rows={Math.min(10, Math.max(2, text.split("\n").length))}
        // The person has just asked to write here.
        autoFocus
        onChange={(event) => {
          latest.current = event.target.value;
          setText(event.target.value);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => actions.write(id, latest.current), SAVE_MS);
        }}
        onKeyDown={(event) => {
          if (event.key === "Escape") {
            event.preventDefault();
            event.stopPropagation();
            // What was typed is not lost by a key.
            if (isEmpty) end(() => actions.remove(id));
            else event.currentTarget.blur();
          } else if (isKey("form.submit", event)) {
            event.preventDefault();
            add();
          }
        }}
      />
      <footer>
        <Button small type="submit" disabled={isEmpty}>
          {SAID.add} <kbd>{hintOf("form.submit")}</kbd>
        </Button>
        {ask !== undefined && (
          <Button small tone="quiet" disabled={isEmpty} onClick={() => end(() => ask(id, text.trim()))}>
            {SAID.ask}
          </Button>
        )}
        <Button small tone="quiet" onClick={() => end(() => actions.remove(id))}>
          {SAID.cancel}
        </Button>
      </footer>
    </form>
  );
};
