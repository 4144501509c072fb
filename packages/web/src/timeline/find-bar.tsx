// Search in the whole session, also in rows that are not loaded. The server finds the rows, and the page marks the matches that
// are in the DOM.

import { useCallback, useEffect, useRef, useState } from "react";
import type { FoundRows, SessionActions } from "../store/session-actions.ts";
import { IconButton } from "../parts/button.tsx";
import { useFocusBack } from "../parts/focus-back.ts";
import { mark } from "../content/code/paint.ts";
import { WORDS } from "./rare-words.ts";

export interface FindBarProps {
  readonly actions: SessionActions;
  /** The list, in which matches are marked. */
  readonly root: () => HTMLElement | null;
  readonly onGo: (rowId: string, text: string) => void;
  readonly onClose: () => void;
}

const WAIT_MS = 180;

export const FindBar = ({ actions, root, onGo, onClose }: FindBarProps) => {
  const [text, setText] = useState("");
  const [found, setFound] = useState<FoundRows>();
  const [at, setAt] = useState(0);
  const [problem, setProblem] = useState<string>();
  const input = useRef<HTMLInputElement>(null);

  useFocusBack();
  useEffect(() => input.current?.focus(), []);

  useEffect(() => {
    setProblem(undefined);
    if (text.trim() === "") {
      setFound(undefined);
      return undefined;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      actions.find(text, stop.signal).then(
        (rows) => {
          if (stop.signal.aborted) return;
          setFound(rows);
          // Start with the newest match, because it is nearest to the end.
          setAt(Math.max(0, rows.hits.length - 1));
          const newest = rows.hits.at(-1);
          if (newest !== undefined) onGo(newest.rowId, text);
        },
        (error: unknown) => {
          if (!stop.signal.aborted) setProblem(error instanceof Error ? error.message : String(error));
        },
      );
    }, WAIT_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [actions, text, onGo]);

  useMarks(root, text);

  const step = (by: number) => {
    const hits = found?.hits ?? [];
    if (hits.length === 0) return;
    const next = (at + by + hits.length) % hits.length;
    setAt(next);
    onGo(hits[next]!.rowId, text);
  };
  const count = found?.hits.length ?? 0;
  return (
    <search className="find">
      <input
        ref={input}
        type="search"
        aria-label={WORDS.find}
        placeholder={WORDS.find}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") {
            event.preventDefault();
            step(event.shiftKey ? 1 : -1);
          } else if (event.key === "Escape") {
            event.preventDefault();
            event.stopPropagation();
            onClose();
          }
        }}
      />
      <span className="find-count num" role="status">
        {problem ??
          (found === undefined ? "" : count === 0 ? WORDS.noMatches : WORDS.found(count - at, count, found.complete))}
      </span>
      <IconButton icon="up" label={WORDS.older} onClick={() => step(-1)} disabled={count === 0} />
      <IconButton icon="down" label={WORDS.newer} onClick={() => step(1)} disabled={count === 0} />
      <IconButton icon="close" label={WORDS.closeFind} onClick={onClose} />
    </search>
  );
};

/** Marks every occurrence of the text in the DOM, also in rows that are drawn later. */
const useMarks = (root: () => HTMLElement | null, text: string): void => {
  const draw = useCallback(() => {
    const element = root();
    mark("find", element === null || text.trim() === "" ? [] : placesOf(element, text));
  }, [root, text]);
  useEffect(() => {
    const element = root();
    if (element === null) return undefined;
    let frame: number | undefined;
    const later = () => {
      frame ??= requestAnimationFrame(() => {
        frame = undefined;
        draw();
      });
    };
    const watcher = new MutationObserver(later);
    watcher.observe(element, { childList: true, subtree: true, characterData: true });
    draw();
    return () => {
      watcher.disconnect();
      if (frame !== undefined) cancelAnimationFrame(frame);
      mark("find", []);
    };
  }, [root, draw]);
};

const MOST = 2_000;

const placesOf = (root: HTMLElement, text: string): readonly StaticRange[] => {
  const wanted = text.toLowerCase();
  const ranges: StaticRange[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null && ranges.length < MOST; node = walker.nextNode()) {
    const words = (node.nodeValue ?? "").toLowerCase();
    for (let at = words.indexOf(wanted); at !== -1; at = words.indexOf(wanted, at + wanted.length)) {
      ranges.push(
        new StaticRange({ startContainer: node, startOffset: at, endContainer: node, endOffset: at + wanted.length }),
      );
    }
  }
  return ranges;
};
