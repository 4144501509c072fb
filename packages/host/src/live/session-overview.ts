// A session as lists show it, with or without a process. For a session that is not in memory, it uses the summary of
// the store, so that a list of thousands reads nothing.

import { generatedTitle, isRunning, waitsForPerson } from "@quarterdeck/session";
import type { OpenRequest, Phase } from "@quarterdeck/session";
import type { SessionEntry, SessionRecord } from "../store/event-store.ts";
import { handedOverIn } from "../past/hand-over.ts";
import type { HandedOver } from "../past/hand-over.ts";
import type { Session } from "../session/session.ts";
import { summaryOf } from "../store/session-summary.ts";
import type { StoredSummary } from "../store/session-summary.ts";

export interface SessionOverview extends Omit<StoredSummary, "openRequests"> {
  readonly id: string;
  readonly cwd: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly archived: boolean;
  readonly live: boolean;
  /** The CLI's own id. */
  readonly cliSessionId?: string;
  /** The session that this one was forked from. */
  readonly forkOf?: string;
  /** A person continues it in a terminal, with this command. */
  readonly handedOver?: HandedOver;
  /** Requests that wait for a person. Empty without a process. */
  readonly requests: readonly OpenRequest[];
}

const NOTHING: StoredSummary = {
  seq: 0,
  rev: 0,
  rowCount: 0,
  lastOrder: 0,
  phase: "ended",
  since: 0,
  lastEventAt: 0,
  costUsd: 0,
  turns: 0,
  openRequests: 0,
  queued: 0,
  runningTasks: 0,
};
const ENDS = 30;

export const overviewOf = (entry: SessionEntry, isLive: boolean, open: Session | undefined): SessionOverview => {
  const { record } = entry;
  const summary = open === undefined ? entry.summary : summaryOfOpen(open, entry.summary);
  const { openRequests: _count, ...rest } = summary ?? { ...NOTHING, since: record.createdAt };
  // A person's title, then the CLI's, then one from the first prompt.
  const handedOver = isLive ? undefined : handedOverIn(record);
  const title = record.title ?? rest.title ?? generatedTitle(rest.firstPrompt ?? "");
  return {
    ...rest,
    ...aboutOf(record),
    ...(title !== undefined && { title }),
    ...(handedOver !== undefined && { handedOver }),
    live: isLive,
    phase: isLive ? rest.phase : phaseWithoutProcess(rest.phase),
    lastEventAt: Math.max(rest.lastEventAt, record.createdAt),
    updatedAt: Math.max(entry.usedAt, record.updatedAt),
    requests: isLive && open !== undefined ? open.head.requests.filter(waitsForPerson) : [],
  };
};

const aboutOf = ({ id, cwd, createdAt, archived, cliSessionId, settings }: SessionRecord) => ({
  id,
  cwd,
  createdAt,
  archived,
  ...(cliSessionId !== undefined && { cliSessionId }),
  ...(typeof settings["forkOf"] === "string" && { forkOf: settings["forkOf"] }),
});

const summaryOfOpen = (session: Session, before: StoredSummary | undefined): StoredSummary => {
  const newest = session.rowsBefore(Infinity, ENDS).rows;
  const oldest = before?.firstPrompt === undefined ? session.rowsAfter(0, ENDS).rows : [];
  const rows = [...new Set([...oldest, ...newest])];
  const { seq, rev, head, rowCount } = session;
  return summaryOf({ seq, rev, head, rowCount, lastOrder: newest.at(-1)?.order ?? 0, rows }, before);
};

/** If the host died, the log may still say that the session runs. */
const phaseWithoutProcess = (phase: Phase): Phase => (phase === "died" || isRunning(phase) ? "died" : "ended");

const faces = new WeakMap<Session, readonly unknown[]>();

/** Whether the overview differs from the last call. Cheap, because unchanged values are the same objects. */
export const hasNewFace = (session: Session): boolean => {
  const { phase, requests, queue, tasks, gauges, title, mode, model, changes, budget } = session.head;
  const order = session.rowsBefore(Infinity, 1).rows[0]?.order;
  const face = [phase, requests, queue, tasks, gauges, title, mode, model, changes, budget, order];
  const before = faces.get(session);
  faces.set(session, face);
  return before === undefined || face.some((each, at) => each !== before[at]);
};
