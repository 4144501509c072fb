// A list of any length. Only the entries near the window are in the DOM. One thing keeps its place while others grow, shrink, come
// or go: the end, if the person is there, else the first visible entry. Entries are in the normal flow between two spacers. While
// a person scrolls, the spacer above corrects places, because writing `scrollTop` would stop a phone's momentum. At rest,
// scrolling corrects them.

import {
  memo,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
  type Ref,
} from "react";
import { ListPlace, type ShownRange } from "./list-place.ts";

export interface ListHandle {
  toEnd(): void;
  /** Brings the entry to the upper part of the window. False if there is no such entry. */
  toKey(key: string): boolean;
  /** True if the entry is in the DOM now. */
  elementOf(key: string): HTMLElement | null;
  readonly scroller: HTMLElement | null;
}

export interface VirtualListProps<E extends { readonly key: string }> {
  readonly entries: readonly E[];
  /** Must stay the same function. An entry that is the same object is not rendered again. */
  readonly render: (entry: E) => ReactNode;
  readonly className?: string;
  readonly label: string;
  readonly busy?: boolean;
  readonly before?: ReactNode;
  readonly after?: ReactNode;
  /** Called when the person comes near the start or the end. */
  readonly onNearStart?: (() => void) | undefined;
  readonly onNearEnd?: (() => void) | undefined;
  /** Reports whether the list follows its end, and the last visible entry. */
  readonly onMove?: ((at: { readonly atEnd: boolean; readonly lastSeen: string | undefined }) => void) | undefined;
  /** False while entries below are not loaded yet. */
  readonly endIsEnd?: boolean;
  readonly handle?: Ref<ListHandle>;
}

const NEAR = 800;
const REST_MS = 140;
const MOST_AT_ONCE = 24;
/** Distance from the upper edge to a row after a jump. */
const JUMP_INSET = 56;

export const VirtualList = <E extends { readonly key: string }>(props: VirtualListProps<E>) => {
  const { entries, render, onNearStart, onNearEnd, onMove, handle } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const above = useRef<HTMLDivElement>(null);
  const below = useRef<HTMLDivElement>(null);
  const flow = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState<ShownRange>({ from: 0, to: 0, first: undefined });
  const [place] = useState(() => new ListPlace());

  const keys = useMemo(() => entries.map((entry) => entry.key), [entries]);
  const callbacks = useRef({ onNearStart, onNearEnd, onMove });
  useLayoutEffect(() => {
    callbacks.current = { onNearStart, onNearEnd, onMove };
  });

  const tell = useCallback(() => {
    const element = scroller.current;
    if (element === null) return;
    const { onNearStart: nearStart, onNearEnd: nearEnd, onMove: move } = callbacks.current;
    const top = element.scrollTop;
    if (top < NEAR) nearStart?.();
    if (element.scrollHeight - top - element.clientHeight < NEAR) nearEnd?.();
    move?.({ atEnd: place.follows, lastSeen: place.lastSeen() });
  }, [place]);

  /** Places everything before the browser paints. */
  const settled = useRef(0);
  const settle = useCallback(() => {
    const element = scroller.current;
    if (element === null || above.current === null || below.current === null) return;
    place.settle({ scroller: element, above: above.current, below: below.current });
    if (settled.current === 0) setTimeout(() => (settled.current = 0));
    // If places still change, continue in the next frame instead of looping here.
    if (++settled.current < MOST_AT_ONCE) setRange((now) => place.next(now));
    else if (settled.current === MOST_AT_ONCE) requestAnimationFrame(() => setRange((now) => place.next(now)));
  }, [place]);

  // After changes above, render the same entries at their new places.
  const begin = range.first === undefined || keys[range.from] === range.first ? range.from : keys.indexOf(range.first);
  const from = Math.min(begin === -1 ? range.from : begin, entries.length);
  const to = Math.min(from + range.to - range.from, entries.length);
  const endIsEnd = props.endIsEnd ?? true;
  useLayoutEffect(() => {
    place.mayFollow = endIsEnd;
    place.layout.setKeys(keys);
    place.rendered = { from, to };
    place.flow = flow.current;
    // Measure at once, so nothing is painted in a wrong place.
    place.measureShown();
    settle();
    tell();
  }, [place, keys, from, to, endIsEnd, settle, tell]);

  const [sizes] = useState(() => new SizeObserver());
  useLayoutEffect(() => {
    sizes.start((changed) => {
      let moved = false;
      for (const [key, size] of changed) moved = place.layout.measure(key, size) || moved;
      if (moved) settle();
    });
    return () => sizes.stop();
  }, [place, sizes, settle]);

  useEffect(() => {
    const element = scroller.current!;
    let rest: ReturnType<typeof setTimeout> | undefined;
    const onRest = () => {
      place.scrolls = false;
      settle();
      tell();
    };
    const onScroll = () => {
      place.onScroll(element);
      clearTimeout(rest);
      rest = setTimeout(onRest, REST_MS);
      setRange((now) => place.next(now));
      tell();
    };
    /** Scrolling back leaves the end, even while the list grows. */
    const onWheel = (event: WheelEvent) => {
      if (event.deltaY < 0 && !scrollsInside(event.target, element)) place.release(element);
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.target !== element) return;
      if (event.key === "PageUp" || event.key === "ArrowUp" || event.key === "Home") place.release(element);
    };
    const onSize = new ResizeObserver(() => {
      element.style.setProperty("--scrollbar", `${element.offsetWidth - element.clientWidth}px`);
      settle();
      tell();
    });
    element.addEventListener("scroll", onScroll, { passive: true });
    element.addEventListener("wheel", onWheel, { passive: true });
    element.addEventListener("keydown", onKey);
    onSize.observe(element);
    return () => {
      clearTimeout(rest);
      element.removeEventListener("scroll", onScroll);
      element.removeEventListener("wheel", onWheel);
      element.removeEventListener("keydown", onKey);
      onSize.disconnect();
    };
  }, [place, settle, tell]);

  useImperativeHandle(
    handle,
    () => ({
      toEnd: () => {
        place.follow();
        settle();
        tell();
      },
      toKey: (key) => {
        if (place.layout.indexOf(key) === -1) return false;
        place.hold(key, JUMP_INSET);
        settle();
        tell();
        return true;
      },
      elementOf: (key) => flow.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`) ?? null,
      get scroller() {
        return scroller.current;
      },
    }),
    [place, settle, tell],
  );

  return (
    <div
      ref={scroller}
      className={`list ${props.className ?? ""}`}
      // A region that scrolls must be reachable by keyboard.
      tabIndex={0}
      role="region"
      aria-label={props.label}
    >
      {props.before}
      <div ref={above} aria-hidden="true" />
      <div
        ref={flow}
        // An empty list must not have the role of a feed.
        {...(entries.length > 0 && { role: "feed", "aria-label": props.label, "aria-busy": props.busy === true })}
        className="list-flow"
      >
        {entries.slice(from, to).map((entry) => (
          <Item
            key={entry.key}
            entry={entry}
            render={render as (entry: { readonly key: string }) => ReactNode}
            sizes={sizes}
          />
        ))}
      </div>
      <div ref={below} aria-hidden="true" />
      {props.after}
    </div>
  );
};

interface ItemProps {
  readonly entry: { readonly key: string };
  readonly render: (entry: { readonly key: string }) => ReactNode;
  readonly sizes: SizeObserver;
}

const Item = memo(({ entry, render, sizes }: ItemProps) => (
  <article className="list-item" data-key={entry.key} ref={sizes.ref}>
    {render(entry)}
  </article>
));

/** True if an element in between handles the wheel itself. */
const scrollsInside = (target: EventTarget | null, outer: HTMLElement): boolean => {
  for (let node = target as Element | null; node !== null && node !== outer; node = node.parentElement) {
    if (node.scrollTop > 0 && node.scrollHeight > node.clientHeight + 1) return true;
  }
  return false;
};

class SizeObserver {
  #observer: ResizeObserver | undefined;
  readonly #elements = new Set<HTMLElement>();

  start(tell: (sizes: readonly (readonly [string, number])[]) => void): void {
    this.#observer = new ResizeObserver((entries) => {
      tell(
        entries.flatMap(({ target, borderBoxSize }) => {
          const { key } = (target as HTMLElement).dataset;
          const size = borderBoxSize[0]?.blockSize;
          return key === undefined || size === undefined || !target.isConnected ? [] : [[key, size] as const];
        }),
      );
    });
    for (const element of this.#elements) this.#observer.observe(element, { box: "border-box" });
  }

  stop(): void {
    this.#observer?.disconnect();
  }

  readonly ref = (element: HTMLElement | null) => {
    if (element === null) return undefined;
    this.#elements.add(element);
    this.#observer?.observe(element, { box: "border-box" });
    return () => {
      this.#elements.delete(element);
      this.#observer?.unobserve(element);
    };
  };
}
