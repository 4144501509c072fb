// Small things that many rows use.

import { useEffect, useRef, useState, type ReactNode } from "react";
import { useNow } from "../store/now.ts";
import { formatSpan } from "../app/format.ts";

/** Puts text on the clipboard and says so for a moment. */
export const CopyButton = ({
  text,
  label = "Copy",
  className = "",
}: {
  readonly text: string | (() => string);
  readonly label?: string;
  readonly className?: string;
}) => {
  const [told, setTold] = useState<string>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = () => {
    navigator.clipboard.writeText(typeof text === "string" ? text : text()).then(
      () => setTold("Copied"),
      () => setTold("Not allowed here"),
    );
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setTold(undefined), 1600);
  };
  return (
    <button type="button" className={`text-button ${className}`} onClick={copy} aria-live="polite">
      {told ?? label}
    </button>
  );
};

export const TextButton = ({
  onClick,
  children,
  expanded,
  label,
}: {
  readonly onClick: () => void;
  readonly children: ReactNode;
  readonly expanded?: boolean;
  /** For those who do not see what stands around it. */
  readonly label?: string;
}) => (
  <button type="button" className="text-button" onClick={onClick} aria-expanded={expanded} aria-label={label}>
    {children}
  </button>
);

/** "3.4 s" below ten seconds, then whole ones. */
export const formatDuration = (ms: number): string =>
  ms < 9_950 ? `${(Math.max(100, ms) / 1000).toFixed(1)} s` : formatSpan(ms);

/** How long something has been running, counted by the second. */
export const Elapsed = ({ since, offset = 0 }: { readonly since: number; readonly offset?: number }) => {
  const now = useNow();
  return <span className="num">{formatSpan(Math.max(now - since, offset))}</span>;
};

/** Words on a line across the timeline. */
export const Line = ({ children, tone }: { readonly children: ReactNode; readonly tone?: "stop" | "plain" }) => (
  <div className={`line ${tone === "stop" ? "line-stop" : ""}`}>
    <span>{children}</span>
  </div>
);
