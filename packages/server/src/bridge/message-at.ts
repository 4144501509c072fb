// Which message of the CLI's a row of the timeline stands for: what a fork goes back to.

import type { Row } from "@quarterdeck/session";
import type { Parts } from "./parts.ts";
import { Refusal } from "./refusal.ts";

const STEP = 50;

/** The uuid of the row's own message, or of the last one of the model's before it. */
export const messageAt = async ({ feeds, store }: Parts, session: string, rowId: string): Promise<string> => {
  const { source } = await feeds.source(session);
  const row = source.row(rowId);
  if (row === undefined) throw new Refusal("not-found", "There is no such row.", { row: rowId });
  let candidates: readonly Row[] = [row];
  for (;;) {
    for (const candidate of candidates.toReversed()) {
      const uuid =
        candidate.parent === undefined ? uuidOf(candidate, (seq) => store.read(session, seq - 1, 1)[0]) : undefined;
      if (uuid !== undefined) return uuid;
    }
    const first = candidates[0];
    candidates = first === undefined ? [] : source.before(first.order, STEP).rows;
    if (candidates.length === 0)
      throw new Refusal("unsupported", "The model has said nothing until there: begin a new session instead.");
  }
};

const uuidOf = (
  row: Row,
  event: (seq: number) => ReturnType<Parts["store"]["read"]>[number] | undefined,
): string | undefined => {
  if (row.kind !== "text" && row.kind !== "thinking" && row.kind !== "tool" && row.kind !== "block") return undefined;
  // Of a tool call the newest: its result belongs to what is kept.
  for (const seq of row.seqs.toReversed()) {
    const fact = event(seq);
    const message = fact?.type === "received" ? fact.message : fact?.type === "imported" ? fact.entry : undefined;
    const { type, uuid } = (message ?? {}) as { type?: unknown; uuid?: unknown };
    if ((type === "assistant" || type === "user") && typeof uuid === "string") return uuid;
  }
  return undefined;
};
