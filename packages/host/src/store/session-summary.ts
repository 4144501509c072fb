// A session in a few words, for lists: kept in memory for every stored session, so it must stay small whatever the session is.

import { typedText } from "@quarterdeck/session";
import type { Head, Phase, Row } from "@quarterdeck/session";

export interface SessionSummary {
  /** Of the fold that it was made from. */
  readonly seq: number;
  readonly rev: number;
  readonly rowCount: number;
  /** The newest place in the order: what is after it is new to a reader. */
  readonly lastOrder: number;
  readonly phase: Phase;
  readonly since: number;
  readonly lastEventAt: number;
  readonly title?: string;
  readonly model?: string;
  readonly mode?: string;
  readonly costUsd: number;
  readonly turns: number;
  /** Tokens, as the CLI said them. */
  readonly context?: { readonly used: number; readonly window?: number };
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
  /** In order; all of them, or only the newest where `before` is given. */
  readonly rows: readonly Row[];
}

const MOST_CHARACTERS = 200;

export const summaryOf = (session: Summarized, before?: SessionSummary): SessionSummary => {
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

/** Said in the conversation itself, not in that of an agent. */
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
