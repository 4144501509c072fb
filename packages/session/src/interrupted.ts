import type { TurnRow } from "./row.ts";

/** CLIs that give no reason (2.1.38 and older) call a stopped turn an error, and say in the same breath that it is none. */
export const isInterrupted = ({ subtype, reason, ok }: Pick<TurnRow, "subtype" | "reason" | "ok">): boolean =>
  reason === undefined
    ? ok && subtype === "error_during_execution"
    : reason === "aborted_streaming" || reason === "aborted_tools";
