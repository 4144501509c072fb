// The frame around text that must be read. It scrolls if it must, says how much is unread, and leads to the end. The
// end counts as read when it was visible, whether the frame, the card or the page scrolls.

import { useCallback, useEffect, useRef, useState, type ReactNode } from "react";
import { Icon } from "../parts/icon.tsx";
import { WORDS } from "./words.ts";

export interface ToEndProps {
  readonly onRead: () => void;
  readonly isRead: boolean;
  /** False while more is to come. */
  readonly isWhole?: boolean;
  /** Lines in all. */
  readonly lines?: number;
  /** Lines below what was in sight. */
  readonly onUnread?: (lines: number) => void;
  readonly className?: string;
  readonly label?: string;
  readonly children: ReactNode;
}

export const ToEnd = ({
  onRead,
  isRead,
  isWhole = true,
  lines = 0,
  onUnread,
  className = "ask-input",
  label = WORDS.action,
  children,
}: ToEndProps) => {
  const frame = useRef<HTMLDivElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const [below, setBelow] = useState(0);
  const look = useCallback((): void => {
    const box = frame.current;
    if (box === null) return;
    const left = box.scrollHeight - box.scrollTop - box.clientHeight;
    const hidden = left <= 4 ? 0 : Math.max(1, linesBelow(box) ?? Math.round((left / box.scrollHeight) * lines));
    setBelow(hidden);
    onUnread?.(hidden);
  }, [lines, onUnread]);
  useEffect(() => {
    const [box, mark] = [frame.current, end.current];
    if (!isWhole || box === null || mark === null) return undefined;
    look();
    const sight = new IntersectionObserver((seen) => {
      if (seen.at(-1)?.isIntersecting === true) onRead();
    });
    sight.observe(mark);
    const resized = new ResizeObserver(look);
    resized.observe(box);
    box.addEventListener("scroll", look, { passive: true });
    return () => {
      sight.disconnect();
      resized.disconnect();
      box.removeEventListener("scroll", look);
    };
  }, [onRead, isWhole, look]);
  return (
    <div className="ask-frame">
      <div ref={frame} className={className} tabIndex={0} role="region" aria-label={label}>
        {children}
        <div ref={end} className="ask-end" />
      </div>
      {!isRead && (
        <button
          type="button"
          className="ask-toend"
          onClick={() => {
            end.current?.scrollIntoView({ block: "end" });
            frame.current?.focus({ preventScroll: true });
          }}
        >
          <Icon name="down" /> {WORDS.toEnd}
          {lines > 0 && below > 0 && <span className="num">{WORDS.lineOf(Math.max(1, lines - below), lines)}</span>}
        </button>
      )}
    </div>
  );
};

/** Lines of a diff that end below the frame. Wrapped lines have no common height, so the place in the text says too little. */
const linesBelow = (box: HTMLElement): number | undefined => {
  const drawn = box.querySelectorAll(".diff-line");
  if (drawn.length === 0) return undefined;
  const { bottom } = box.getBoundingClientRect();
  let [first, last] = [0, drawn.length];
  while (first < last) {
    const middle = (first + last) >> 1;
    if (drawn[middle]!.getBoundingClientRect().bottom > bottom) last = middle;
    else first = middle + 1;
  }
  return drawn.length - first;
};
