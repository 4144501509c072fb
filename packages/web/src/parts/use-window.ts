// Which lines of a long list are drawn: those in sight of the element that scrolls, and some beyond. All lines have one height. It is
// measured, because people can change the text size.

import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from "react";

export interface Window {
  readonly from: number;
  readonly to: number;
  /** Height of one line, in pixels. */
  readonly height: number;
}

const BEYOND = 12;
const AT_FIRST = 40;

/** `top` is where the list begins, seen from the upper edge of what scrolls. */
export const windowAt = (count: number, height: number, top: number, view: number): Omit<Window, "height"> => {
  const from = Math.min(Math.max(0, Math.floor(-top / height) - BEYOND), Math.max(0, count - 1));
  const to = Math.max(from, Math.min(count, Math.ceil((view - top) / height) + BEYOND));
  return { from, to };
};

/** `list` holds the lines; those that are drawn match `line`. `scroller` is the element around it that scrolls. */
export const useWindow = (
  list: RefObject<HTMLElement | null>,
  { count, scroller, line, guess }: { count: number; scroller: string; line: string; guess: number },
): Window => {
  const [height, setHeight] = useState(guess);
  const [range, setRange] = useState({ from: 0, to: AT_FIRST });
  const latest = useRef({ count, height });
  latest.current = { count, height };

  const look = useRef(() => {
    const element = list.current;
    const box = element?.closest(scroller);
    if (element === null || box === null || box === undefined) return;
    const top = element.getBoundingClientRect().top - box.getBoundingClientRect().top;
    const next = windowAt(latest.current.count, latest.current.height, top, box.clientHeight);
    setRange((now) => (now.from === next.from && now.to === next.to ? now : next));
  });
  useLayoutEffect(() => {
    const measured = list.current?.querySelector(line)?.getBoundingClientRect().height ?? 0;
    if (measured > 0 && Math.abs(measured - height) > 0.5) setHeight(measured);
    look.current();
  });
  useEffect(() => {
    const box = list.current?.closest(scroller);
    if (box === null || box === undefined) return undefined;
    const onScroll = (): void => look.current();
    box.addEventListener("scroll", onScroll, { passive: true });
    const sizes = new ResizeObserver(onScroll);
    sizes.observe(box);
    return () => {
      box.removeEventListener("scroll", onScroll);
      sizes.disconnect();
    };
  }, [list, scroller]);
  return { from: Math.min(range.from, count), to: Math.min(range.to, count), height };
};
