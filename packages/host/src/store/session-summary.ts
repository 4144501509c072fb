// A short summary of a session, for lists. One is kept in memory for every stored session, so it must stay small for
// any session.

import { typedText } from "@quarterdeck/session";
import type { Head, Phase, Row, Spending } from "@quarterdeck/session";

export interface StoredSummary {
  /** `seq` of the fold that the summary was made from. */
  readonly seq: number;
  readonly rev: number;
  readonly rowCount: number;
  /** Order of the newest row. Rows after it are new to a reader. */
  readonly lastOrder: number;
  readonly phase: Phase;
  readonly since: number;
  readonly lastEventAt: number;
  readonly title?: string;
  readonly model?: string;
  readonly mode?: string;
  readonly costUsd: number;
  readonly turns: number;
  /** Absent if no turn has ended. */
  readonly spent?: readonly Spending[];
  /** Tokens, as reported by the CLI. */
  readonly context?: { readonly used: number; readonly window?: number };
  /** Set if a budget is near or reached. */
  readonly budget?: "near" | "reached";
  readonly openRequests: number;
  readonly queued: number;
  readonly runningTasks: number;
  /** What it has changed in its folder. */
  readonly changes?: { readonly files: number; readonly added: number; readonly removed: number };
  /** The beginnings of the first prompt and of the last words. */
  readonly firstPrompt?: string;
  readonly lastText?: string;
}

export interface Summarized {
  readonly seq: number;
  readonly rev: number;
  readonly head: Head;
  readonly rowCount: number;
  readonly lastOrder: number;
  /** In order: all rows, or only the newest ones if `before` is given. */
  readonly rows: readonly Row[];
}

const MOST_CHARACTERS = 200;

export const summaryOf = (session: Summarized, before?: StoredSummary): StoredSummary => {
  const { seq, rev, head, rowCount, lastOrder, rows } = session;
  const { context } = head.gauges;
  const firstPrompt = before?.firstPrompt ?? beginningOf(rows.find((row) => row.kind === "prompt"));
  const lastText = beginningOf(rows.findLast(isSaid)) ?? before?.lastText;
  return {
    seq,
    rev,
    rowCount,
    lastOrder,
    phase: head.phase,
    since: head.since,
    lastEventAt: head.lastEventAt,
    ...(head.title !== undefined && { title: cut(head.title) }),
    ...(head.model !== undefined && { model: cut(head.model) }),
    ...(head.mode !== undefined && { mode: cut(head.mode) }),
    costUsd: head.gauges.costUsd,
    turns: head.gauges.turns,
    ...(head.spent.length > 0 && { spent: head.spent }),
    ...(head.budget != null && { budget: head.budget.state }),
    ...(context !== undefined && {
      context: { used: context.used, ...(context.window !== undefined && { window: context.window }) },
    }),
    openRequests: head.requests.length,
    queued: head.queue.length,
    runningTasks: head.tasks.filter((task) => task.endedAt === undefined).length,
    ...(head.changes !== undefined && { changes: head.changes }),
    ...(firstPrompt !== undefined && { firstPrompt }),
    ...(lastText !== undefined && { lastText }),
  };
};

/** Part of the main conversation, not of a subagent's. */
const isSaid = (row: Row): boolean => (row.kind === "text" || row.kind === "prompt") && row.parent === undefined;

const beginningOf = (row: Row | undefined): string | undefined => {
  if (row?.kind === "text") return cut(row.text);
  if (row?.kind !== "prompt") return undefined;
  return cut(typedText(row.content));
};

const cut = (text: string): string => {
  const start = text
    .slice(0, 4 * MOST_CHARACTERS)
    .replaceAll(/\s+/g, " ")
    .trim();
  return start.length <= MOST_CHARACTERS
    ? start
    : `${start.slice(0, MOST_CHARACTERS).replace(/[\uD800-\uDBFF]$/, "")}…`;
};
