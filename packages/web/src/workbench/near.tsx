// A long scroll of parts of unknown height. A part that is far from the window is an empty box of its last or estimated
// height. The browser keeps the place when a box above turns out to be higher.

import {
  createContext,
  memo,
  startTransition,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
  type RefObject,
} from "react";

/** Parts within this distance of the window are drawn. */
const NEAR_PX = 700;

type Listener = (isNear: boolean, height: number) => void;

class NearWatch {
  readonly #listeners = new Map<Element, Listener>();
  readonly #observer: IntersectionObserver;

  constructor(root: Element) {
    this.#observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting, boundingClientRect } of entries)
          this.#listeners.get(target)?.(isIntersecting, boundingClientRect.height);
      },
      { root, rootMargin: `${NEAR_PX}px 0px` },
    );
  }

  observe(element: Element, listener: Listener): () => void {
    this.#listeners.set(element, listener);
    this.#observer.observe(element);
    return () => {
      this.#listeners.delete(element);
      this.#observer.unobserve(element);
    };
  }

  disconnect(): void {
    this.#observer.disconnect();
  }
}

const NearContext = createContext<NearWatch | undefined>(undefined);

export interface NearScrollProps {
  readonly className: string;
  readonly label: string;
  readonly children: ReactNode;
  readonly onRoot?: (root: HTMLElement | null) => void;
}

/** The scroller. Its parts come once it is there. */
export const NearScroll = ({ className, label, children, onRoot }: NearScrollProps) => {
  const [root, setRoot] = useState<HTMLDivElement | null>(null);
  const watch = useMemo(() => (root === null ? undefined : new NearWatch(root)), [root]);
  useEffect(() => () => watch?.disconnect(), [watch]);
  useEffect(() => onRoot?.(root), [root, onRoot]);
  return (
    <NearContext value={watch}>
      <div ref={setRoot} className={className} tabIndex={0} role="region" aria-label={label}>
        {watch !== undefined && children}
      </div>
    </NearContext>
  );
};

/** Whether the element is near the window, and the height that it had when it left. */
export const useNear = (
  ref: RefObject<HTMLElement | null>,
  initial = false,
): { readonly isNear: boolean; readonly height: number | undefined } => {
  const watch = useContext(NearContext);
  const [isNear, setIsNear] = useState(initial);
  const height = useRef<number>(undefined);
  const drawn = useRef(initial);
  useLayoutEffect(() => {
    drawn.current = isNear;
  }, [isNear]);
  useEffect(() => {
    if (watch === undefined || ref.current === null) return undefined;
    return watch.observe(ref.current, (near, found) => {
      if (!near && drawn.current) height.current = found;
      // In slices, so that a person who scrolls fast does not wait for skipped content.
      startTransition(() => setIsNear(near));
    });
  }, [watch, ref]);
  return { isNear, height: height.current };
};

export interface ChunkProps {
  /** About so high before it was ever drawn. */
  readonly estimate: number;
  /** Drawn wherever it is. */
  readonly held: boolean;
  /** Drawn at once, without a look at where it is. */
  readonly starts?: boolean;
  readonly className?: string;
  readonly name: string;
  readonly children: () => ReactNode;
}

/** `children` must stay the same function while the chunk shows the same. */
export const Chunk = memo(({ estimate, held, starts = false, className = "", name, children }: ChunkProps) => {
  const ref = useRef<HTMLDivElement>(null);
  const { isNear, height } = useNear(ref, starts);
  const shows = isNear || held;
  return (
    <div
      ref={ref}
      className={`chunk ${className}`}
      data-chunk={name}
      style={shows ? undefined : { height: height ?? estimate }}
    >
      {shows && children()}
    </div>
  );
});
