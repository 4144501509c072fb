// Lines of one height in a scrolling window. Only the visible ones are rendered: forty of a million.

import { useCallback, useEffect, useLayoutEffect, useRef, useState, type ReactNode } from "react";

export interface LongListProps {
  readonly count: number;
  readonly line: (index: number) => ReactNode;
  readonly label: string;
  readonly className?: string;
  /** Stays at the end if it is at the end, for output that is still being written. */
  readonly follows?: boolean;
  /** Called with the lines that are drawn, each time they change. What it returns is called before the next call. */
  readonly onShown?: ((root: HTMLElement, from: number, to: number) => (() => void) | undefined) | undefined;
  /** The longest line, so that the width does not change while one scrolls. */
  readonly columns?: number;
}

const BEYOND = 20;

export const LongList = ({ count, line, label, className = "", follows = false, columns, onShown }: LongListProps) => {
  const scroller = useRef<HTMLDivElement>(null);
  const ruler = useRef<HTMLDivElement>(null);
  const [height, setHeight] = useState(20);
  const [range, setRange] = useState({ from: 0, to: 60 });
  const atEnd = useRef(follows);

  const look = useCallback(() => {
    const element = scroller.current;
    if (element === null) return;
    const from = Math.max(0, Math.floor(element.scrollTop / height) - BEYOND);
    const to = Math.ceil((element.scrollTop + element.clientHeight) / height) + BEYOND;
    setRange((now) =>
      Math.abs(now.from - from) < BEYOND / 2 && Math.abs(now.to - to) < BEYOND / 2 ? now : { from, to },
    );
  }, [height]);

  useLayoutEffect(() => {
    const measured = ruler.current?.getBoundingClientRect().height ?? 0;
    if (measured > 0) setHeight(measured);
  }, []);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element !== null && follows && atEnd.current) element.scrollTop = element.scrollHeight;
    look();
  }, [count, follows, look]);
  useEffect(() => {
    const element = scroller.current!;
    const onScroll = () => {
      atEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < 4;
      look();
    };
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => element.removeEventListener("scroll", onScroll);
  }, [look]);

  const from = Math.min(range.from, Math.max(0, count - 1));
  const to = Math.min(range.to, count);
  useEffect(() => {
    if (onShown !== undefined && scroller.current !== null) return onShown(scroller.current, from, to);
    return undefined;
  }, [onShown, from, to]);
  return (
    <div ref={scroller} className={`long ${className}`} tabIndex={0} role="region" aria-label={label}>
      <div ref={ruler} className="long-ruler" aria-hidden="true">
        x
      </div>
      <div
        className="long-in"
        style={{ height: count * height, minWidth: columns === undefined ? undefined : `${columns}ch` }}
      >
        <div className="long-shown" style={{ transform: `translateY(${from * height}px)` }}>
          {Array.from({ length: Math.max(0, to - from) }, (_, index) => line(from + index))}
        </div>
      </div>
    </div>
  );
};
