import { useLayoutEffect, useRef, type ReactNode } from "react";
import { WORDS } from "../words.ts";

/** A table that scrolls sideways. Its edge fades where more is hidden. */
export const TableScroll = ({ children }: { readonly children: ReactNode }) => {
  const box = useRef<HTMLDivElement>(null);
  const tell = (): void => {
    const element = box.current;
    if (element === null) return;
    const left = element.scrollWidth - element.clientWidth - element.scrollLeft;
    element.classList.toggle("more-left", element.scrollLeft > 1);
    element.classList.toggle("more-right", left > 1);
  };
  useLayoutEffect(() => {
    const sizes = new ResizeObserver(tell);
    sizes.observe(box.current!);
    return () => sizes.disconnect();
  }, []);
  return (
    <div ref={box} className="table-scroll" tabIndex={0} role="region" aria-label={WORDS.table} onScroll={tell}>
      {children}
    </div>
  );
};
