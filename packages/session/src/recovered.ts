// Rows from a transcript, for a time when no host listened. They stand where they were said, above the prompts that came later.

import type { ContentBlock } from "@quarterdeck/protocol";
import type { Folding } from "./folding.ts";
import type { Row } from "./row.ts";

/** The row was cut off and a transcript has the complete block: the row is completed where it stands. */
export const completeCut = (folding: Folding, id: string, block: ContentBlock): boolean => {
  const row = folding.timeline.row(id);
  if ((row?.kind !== "text" && row?.kind !== "thinking") || row.aborted !== true) return false;
  const { text, thinking } = block as { text?: unknown; thinking?: unknown };
  const all = row.kind === "text" ? text : thinking;
  if (typeof all !== "string" || !all.startsWith(row.text)) return false;
  const { aborted: _aborted, ...kept } = row;
  folding.timeline.replace({ ...kept, text: all, seqs: [...row.seqs, folding.seq] });
  return true;
};

/** Rows at the end that come after whatever is found in a transcript: prompts that wait, and the report of a lost process. */
export const waitingRows = ({ timeline }: Folding): readonly Row[] => {
  const { queue } = timeline.head;
  const last = timeline.rowsBefore(Infinity, queue.length + 1);
  const from = last.findLastIndex((row) => !isLater(row, queue)) + 1;
  return last.slice(from);
};
const isLater = (row: Row, queue: Folding["timeline"]["head"]["queue"]): boolean =>
  row.kind === "prompt"
    ? row.state === "accepted" && queue.some(({ rowId }) => rowId === row.id)
    : row.kind === "error" && row.source === "process" && row.code === undefined;

/** Puts a row at the end, unless the event removed or settled it. */
export const putLast = ({ timeline }: Folding, row: Row): void => {
  const now = timeline.row(row.id);
  if (now === row) timeline.move(now, {});
};
