// A comment under its lines: being written, collected, or sent.

import { memo, useEffect, useRef, useState } from "react";
import { hintOf, isKey } from "../../keys/key-table.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { TextButton } from "../../parts/text-button.tsx";
import { placeWords, type Comment, type Fate } from "./comments.ts";
import type { PlacedComment } from "./placed-comments.ts";

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

const FATES: Readonly<Record<Fate, readonly [words: string, tone: "plain" | "sea" | "go"] | undefined>> = {
  collected: undefined,
  waiting: ["sent", "sea"],
  touched: ["lines changed", "go"],
  untouched: ["lines not changed", "plain"],
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
    <article className="comment" aria-label={`Comment on ${placeWords(comment).toLowerCase()}`}>
      <header>
        <span>{place === undefined ? `${placeWords(comment)}, as it was` : placeWords(place)}</span>
        {words !== undefined && <Badge tone={words[1]}>{words[0]}</Badge>}
        <span className="comment-acts">
          {fate === "collected" && <TextButton onClick={() => actions.edit(comment.id)}>Edit</TextButton>}
          <TextButton onClick={() => actions.remove(comment.id)}>
            {fate === "collected" ? "Delete" : "Dismiss"}
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
      aria-label={`Comment on ${placeWords(comment).toLowerCase()}`}
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <header>
        <span>{placeWords(comment)}</span>
        <span className="comment-acts">
          <TextButton onClick={() => actions.stretch(id, 1)}>One line more</TextButton>
          {comment.to > comment.from && <TextButton onClick={() => actions.stretch(id, -1)}>One less</TextButton>}
        </span>
      </header>
      <textarea
        aria-label="Comment"
        placeholder="What should change here?"
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
          Add comment <kbd>{hintOf("form.submit")}</kbd>
        </Button>
        {ask !== undefined && (
          <Button small tone="quiet" disabled={isEmpty} onClick={() => end(() => ask(id, text.trim()))}>
            Ask now
          </Button>
        )}
        <Button small tone="quiet" onClick={() => end(() => actions.remove(id))}>
          Cancel
        </Button>
      </footer>
    </form>
  );
};
