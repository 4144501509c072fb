import type { TurnRow } from "./row.ts";

/** CLIs without a reason (2.1.38 and older) report a stopped turn as an error whose `is_error` is false. */
export const isInterrupted = ({ subtype, reason, ok }: Pick<TurnRow, "subtype" | "reason" | "ok">): boolean =>
  reason === undefined
    ? ok && subtype === "error_during_execution"
    : reason === "aborted_streaming" || reason === "aborted_tools";
