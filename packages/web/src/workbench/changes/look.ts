import { kept } from "../../store/kept.ts";
import type { Layout } from "./diff-rows.ts";

/** How this browser likes its reviews. */
export interface Look {
  readonly beside: Layout;
  readonly wide: Layout;
  readonly tree: boolean;
  readonly whitespace: boolean;
}
export const look = kept("review-look", (value): Look => {
  const given = typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  return {
    beside: given["beside"] === "split" ? "split" : "unified",
    wide: given["wide"] === "unified" ? "unified" : "split",
    tree: given["tree"] === true,
    whitespace: given["whitespace"] !== false,
  };
});
