// Buttons that look like text: one runs something, the other copies.

import { useEffect, useRef, useState, type ReactNode } from "react";
import { WORDS } from "./words.ts";

/** Copies text to the clipboard and shows that for a moment. */
export const CopyButton = ({
  text,
  label = WORDS.copy,
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
      () => setTold(WORDS.copied),
      () => setTold(WORDS.noCopy),
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
  /** The accessible name, if the text alone is not enough. */
  readonly label?: string;
}) => (
  <button type="button" className="text-button" onClick={onClick} aria-expanded={expanded} aria-label={label}>
    {children}
  </button>
);
