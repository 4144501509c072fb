// What can be done with comments where lines are shown.

import { useCallback, useMemo } from "react";
import type { CommentActions } from "./comment-card.tsx";
import type { Comment } from "./comments.ts";
import type { DiffRow, Side } from "./diff-rows.ts";
import { quoteOf } from "./placed-comments.ts";
import type { ReviewActions } from "./review.ts";

interface Latest {
  readonly rows: readonly DiffRow[];
  readonly comments: readonly Comment[];
}

interface Start {
  readonly side: Side;
  readonly line: number;
  readonly extend: boolean;
  /** The last line of a range. */
  readonly to?: number | undefined;
}

/** Opens an editor at the line, or extends the open editor to it. */
export const startComment = (review: ReviewActions, path: string, { rows, comments }: Latest, at: Start): void => {
  const { side, line, extend, to: last = line } = at;
  const open = comments.find((comment) => comment.draft === true && comment.side === side);
  if (open !== undefined && extend) {
    const [from, to] = [Math.min(open.from, line), Math.max(open.to, line)];
    review.change(open.id, { from, to, quote: quoteOf(rows, side, from, to) });
    return;
  }
  const isHere = open !== undefined && open.from <= line && last <= open.to;
  if (isHere) return;
  for (const comment of comments) if (comment.draft === true && comment.text.trim() === "") review.remove(comment.id);
  review.add({ path, side, from: line, to: last, quote: quoteOf(rows, side, line, last), draft: true });
};

export const useCommentActions = (
  review: ReviewActions,
  latest: { readonly current: Latest },
  ask: ((comment: Comment) => void) | undefined,
): CommentActions => {
  const find = useCallback((id: string) => latest.current.comments.find((comment) => comment.id === id), [latest]);
  return useMemo(
    () => ({
      write: (id, text) => {
        const comment = find(id);
        if (comment?.draft === true && comment.text !== text) review.change(id, { text });
      },
      add: (id, text) => review.change(id, { text, draft: undefined }),
      ask:
        ask === undefined
          ? undefined
          : (id, text) => {
              const comment = find(id);
              if (comment !== undefined) ask({ ...comment, text });
            },
      edit: (id) => review.change(id, { draft: true }),
      remove: (id) => review.remove(id),
      stretch: (id, by) => {
        const comment = find(id);
        if (comment === undefined) return;
        const to = Math.max(comment.from, comment.to + by);
        const quote = quoteOf(latest.current.rows, comment.side, comment.from, to);
        // Only lines that are in sight can be quoted.
        if (quote.length === to - comment.from + 1) review.change(id, { to, quote });
      },
    }),
    [find, review, ask, latest],
  );
};
