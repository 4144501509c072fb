// The keys of a review (J and K go from hunk to hunk, with Shift from file to file). They work wherever the workbench has the
// focus, or nothing has.

import { useCallback, useEffect, useRef, useState } from "react";
import { keyAt, type KeyId } from "../../keys/key-table.ts";
import { isTyping } from "../../parts/is-typing.ts";
import type { ChangedFile } from "./changed-file.ts";

export interface Cursor {
  readonly path: string;
  readonly hunk: number;
}

export interface ReviewKeys {
  readonly hunk: (by: 1 | -1) => void;
  readonly file: (by: 1 | -1) => void;
  readonly viewed: () => void;
  readonly comment: () => void;
  readonly layout: () => void;
}

/** The next hunk, in files whose hunks are not known one by one: those that are folded are left out. */
export const nextCursor = (
  paths: readonly string[],
  hunks: (path: string) => number | undefined,
  cursor: Cursor | undefined,
  by: 1 | -1,
): Cursor | undefined => {
  const at = cursor === undefined ? -1 : paths.indexOf(cursor.path);
  if (cursor !== undefined && at !== -1) {
    const hunk = cursor.hunk + by;
    if (hunk >= 0 && hunk < (hunks(cursor.path) ?? 0)) return { path: cursor.path, hunk };
  }
  const from = at === -1 && by === -1 ? paths.length : at;
  for (let next = from + by; next >= 0 && next < paths.length; next += by) {
    const count = hunks(paths[next]!);
    if (count !== undefined && count > 0) return { path: paths[next]!, hunk: by === 1 ? 0 : count - 1 };
  }
  return undefined;
};

interface Options {
  readonly files: readonly ChangedFile[];
  readonly isViewed: (file: ChangedFile) => boolean;
}

export const useReviewKeys = ({ files, isViewed }: Options) => {
  const [cursor, set] = useState<Cursor>();
  const counts = useRef(new Map<string, number | undefined>());
  const latest = useRef<ReviewKeys>(undefined);
  const onHunks = useCallback((path: string, count: number | undefined) => counts.current.set(path, count), []);
  const step = (by: 1 | -1): void => {
    // A file that was never near is not folded: it has a hunk at least.
    const known = (path: string): number | undefined =>
      counts.current.has(path)
        ? counts.current.get(path)
        : isViewed(files.find((file) => file.path === path)!)
          ? undefined
          : 1;
    const next = nextCursor(
      files.map(({ path }) => path),
      known,
      cursor,
      by,
    );
    if (next !== undefined) set(next);
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const keys = latest.current;
      if (keys === undefined || event.defaultPrevented) return;
      if (isTyping(event.target) || document.querySelector(":popover-open, dialog[open]") !== null) return;
      const isHere = event.target === document.body || (event.target as Element).closest(".bench") !== null;
      if (!isHere) return;
      const key = keyAt("changes", event);
      if (key === undefined) return;
      event.preventDefault();
      const run: Partial<Record<KeyId, () => void>> = {
        "hunk.next": () => keys.hunk(1),
        "hunk.previous": () => keys.hunk(-1),
        "file.next": () => keys.file(1),
        "file.previous": () => keys.file(-1),
        "file.viewed": keys.viewed,
        "file.comment": keys.comment,
        "diff.layout": keys.layout,
      };
      run[key]?.();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return {
    cursor,
    set,
    onHunks,
    step,
    listen: (keys: ReviewKeys): void => {
      latest.current = keys;
    },
  };
};
