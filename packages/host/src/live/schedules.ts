// Whether the CLI would start a turn by itself later. The host then keeps its process.

import { alarmsIn } from "@quarterdeck/session";
import type { Row } from "@quarterdeck/session";

interface Rows {
  rowsBefore(order: number, limit: number): { readonly rows: readonly Row[] };
}

const PAGE = 200;

export const hasSchedule = (session: Rows, now: number): boolean => {
  for (const { state } of alarmsIn(newestFirst(session), now)) if (state === "waits") return true;
  return false;
};

/** Rows of earlier processes say nothing about this one. */
function* newestFirst(session: Rows): Generator<Row> {
  for (let before = Infinity; ;) {
    const { rows } = session.rowsBefore(before, PAGE);
    for (const row of rows.toReversed()) {
      if (row.kind === "mark" && row.what === "resumed") return;
      yield row;
    }
    if (rows.length < PAGE) return;
    before = rows[0]!.order;
  }
}
