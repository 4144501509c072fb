import type { ReactNode } from "react";
import type { Tone } from "../words/tone.ts";

export const Badge = ({ tone = "plain", children }: { readonly tone?: Tone; readonly children: ReactNode }) => (
  <span className={`badge badge-${tone}`}>{children}</span>
);

/** A color that always has its word next to it, or in its label. */
export const Dot = ({ tone }: { readonly tone: Tone }) => <i className={`dot dot-${tone}`} aria-hidden="true" />;

export const Keys = ({ children }: { readonly children: string }) => <kbd className="keys">{children}</kbd>;
