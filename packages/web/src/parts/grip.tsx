import { useRef } from "react";
import "./grip.css";

const STEP = 24;
const LEAP = 96;

export interface GripProps {
  readonly label: string;
  readonly width: number;
  readonly least: number;
  /** The property of the frame that holds the width. */
  readonly property: `--${string}`;
  /** The part that is pulled. */
  readonly part: string;
  /** The edge of the part that is pulled. */
  readonly edge: "left" | "right";
  /** Without a width: the default. */
  readonly onWidth: (width?: number) => void;
}

/** The edge that one pulls, by mouse, finger or arrow keys. While it is pulled only the frame's own style changes. */
export const Grip = ({ label, width, least, property, part, edge, onWidth }: GripProps) => {
  const from = useRef<{ readonly x: number; readonly width: number }>(undefined);
  const frame = (): HTMLElement | null => document.querySelector(".frame");
  /** The drawn width. On a small page it is less than the chosen width. */
  const drawn = (): number => document.querySelector(part)?.getBoundingClientRect().width ?? width;
  const sign = edge === "left" ? -1 : 1;
  const at = (x: number): number => Math.max(least, from.current!.width + sign * (x - from.current!.x));
  return (
    <div
      className={`grip grip-${edge}`}
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={width}
      aria-valuemin={least}
      tabIndex={0}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        from.current = { x: event.clientX, width: drawn() };
      }}
      onPointerMove={(event) => {
        if (from.current !== undefined) frame()?.style.setProperty(property, `${at(event.clientX)}px`);
      }}
      onPointerUp={(event) => {
        if (from.current === undefined) return;
        const next = at(event.clientX);
        const moved = event.clientX !== from.current.x;
        from.current = undefined;
        if (moved) onWidth(next);
      }}
      onPointerCancel={() => {
        from.current = undefined;
        frame()?.style.setProperty(property, `${width}px`);
      }}
      onDoubleClick={() => onWidth()}
      onKeyDown={(event) => {
        const by = { ArrowLeft: -sign, ArrowRight: sign }[event.key];
        if (event.key === "Home") onWidth();
        else if (by !== undefined) onWidth(drawn() + by * (event.shiftKey ? LEAP : STEP));
        else return;
        event.preventDefault();
      }}
    />
  );
};
