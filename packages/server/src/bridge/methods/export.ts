// Exports of a session, and the secrets that a person may want to remove from them.

import type { ReadableSession } from "@quarterdeck/host";
import type { Row } from "@quarterdeck/session";
import type { Role } from "@quarterdeck/session/bridge";
import { exportEvents, exportRows, secretsOf } from "../../export/export-session.ts";
import type { ExportChoice, ExportFormat, ExportSource } from "../../export/export-session.ts";
import type { Download } from "../../http/contract.ts";
import { unknownSession } from "../../refusal.ts";
import type { Handlers, Parts } from "../parts.ts";

const ROWS_AT_ONCE = 500;
const MOST_FINDINGS = 200;

interface Wanted extends ExportChoice {
  readonly session: string;
  readonly format: ExportFormat;
}

export const exportOf = async (parts: Parts, { session, format, ...choice }: Wanted, role: Role): Promise<Download> =>
  format === "ndjson" || format === "ccpocket"
    ? exportEvents(parts.store, session, format, role, choice)
    : exportRows(await sourceOf(parts, session), format, choice);

const sourceOf = async ({ feeds, summaries }: Parts, session: string): Promise<ExportSource> => {
  const view = await feeds.view(session);
  const { title = "Session", cwd, createdAt } = summaries.must(session);
  return { id: session, title, cwd, createdAt, head: view.head, rows: { [Symbol.iterator]: () => rowsOf(view) } };
};

function* rowsOf(view: ReadableSession): Generator<Row> {
  for (let after = 0; ;) {
    const page = view.rowsAfter(after, ROWS_AT_ONCE);
    yield* page.rows;
    const last = page.rows.at(-1);
    if (!page.more || last === undefined) return;
    after = last.order;
  }
}

export const exportMethods = (parts: Parts): Handlers<"session/secrets"> => ({
  "session/secrets": async ({ session }) => {
    if (parts.store.session(session) === undefined) throw unknownSession(session);
    const { list } = await secretsOf(await sourceOf(parts, session));
    return { findings: list.slice(0, MOST_FINDINGS), complete: list.length <= MOST_FINDINGS };
  },
});
