import { useRef } from "react";
import { BENCH_LEAST, BENCH_WIDTH, setBenchWidth } from "../store/workbench.ts";

const STEP = 24;
const LEAP = 96;

/** The edge that one pulls, by mouse, finger or arrow keys. While it is pulled only the frame's own style changes. */
export const Grip = ({ width }: { readonly width: number }) => {
  const from = useRef<{ readonly x: number; readonly width: number }>(undefined);
  const frame = (): HTMLElement | null => document.querySelector(".frame");
  /** As wide as it is drawn: a small page gives it less than was chosen. */
  const drawn = (): number => document.querySelector(".bench")?.getBoundingClientRect().width ?? width;
  const at = (x: number): number => Math.max(BENCH_LEAST, from.current!.width + from.current!.x - x);
  return (
    <div
      className="bench-grip"
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the workbench"
      aria-valuenow={width}
      aria-valuemin={BENCH_LEAST}
      tabIndex={0}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        from.current = { x: event.clientX, width: drawn() };
      }}
      onPointerMove={(event) => {
        if (from.current !== undefined) frame()?.style.setProperty("--bench", `${at(event.clientX)}px`);
      }}
      onPointerUp={(event) => {
        if (from.current === undefined) return;
        const next = at(event.clientX);
        const moved = event.clientX !== from.current.x;
        from.current = undefined;
        if (moved) setBenchWidth(next);
      }}
      onPointerCancel={() => {
        from.current = undefined;
        frame()?.style.setProperty("--bench", `${width}px`);
      }}
      onDoubleClick={() => setBenchWidth(BENCH_WIDTH)}
      onKeyDown={(event) => {
        const by = { ArrowLeft: 1, ArrowRight: -1 }[event.key];
        if (event.key === "Home") setBenchWidth(BENCH_WIDTH);
        else if (by !== undefined) setBenchWidth(drawn() + by * (event.shiftKey ? LEAP : STEP));
        else return;
        event.preventDefault();
      }}
    />
  );
};
