// Small components that many rows use.

import type { ReactNode } from "react";
import { useNow } from "../store/now.ts";
import { formatLength, formatSpan } from "../words/format.ts";

/** "3.4 s" below ten seconds, then whole seconds. */
export const formatDuration = (ms: number): string => formatLength(Math.max(100, ms));

/** How long something has been running, counted by the second. */
export const Elapsed = ({ since, offset = 0 }: { readonly since: number; readonly offset?: number }) => {
  const now = useNow();
  return <span className="num">{formatSpan(Math.max(now - since, offset))}</span>;
};

/** Words on a line across the timeline. */
export const DividerLine = ({ children, tone }: { readonly children: ReactNode; readonly tone?: "stop" | "plain" }) => (
  <div className={`line ${tone === "stop" ? "line-stop" : ""}`}>
    <span>{children}</span>
  </div>
);
