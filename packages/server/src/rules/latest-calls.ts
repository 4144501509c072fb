// The latest tool calls in a folder, from the sessions that ran there. The read is bounded: a folder may have thousands of sessions
// with millions of rows.

import type { EventStore, Host } from "@quarterdeck/host";
import { toolSubject, toolTitle } from "@quarterdeck/protocol";
import type { Row } from "@quarterdeck/session";

export interface LatestCall {
  readonly toolUseId: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly at: number;
  /** In a few words. */
  readonly about: string;
}

export const MOST_CALLS = 200;
const MOST_SESSIONS = 20;
/** Sum over all sessions. */
const MOST_ROWS = 2000;
const PAGE_ROWS = 100;
/** A session that is not folded yet is left out if its log is larger: folding it would block all clients. */
const MOST_BYTES = 20 * 1024 * 1024;
const ABOUT_CHARACTERS = 120;

interface From {
  readonly host: Host;
  readonly store: EventStore;
}

/** The newest first. Sessions are read from the last used one back, until there are enough calls. */
export const latestCalls = ({ host, store }: From, folder: string): readonly LatestCall[] => {
  const calls: LatestCall[] = [];
  let rowsLeft = MOST_ROWS;
  for (const id of sessionsIn({ host, store }, folder)) {
    const view = host.view(id);
    for (let before = Infinity; rowsLeft > 0 && calls.length < MOST_CALLS;) {
      const { rows, more } = view.rowsBefore(before, Math.min(PAGE_ROWS, rowsLeft));
      calls.push(...rows.toReversed().flatMap(callOf));
      rowsLeft -= rows.length;
      if (!more || rows.length === 0) break;
      before = rows[0]!.order;
    }
  }
  return calls.toSorted((a, b) => b.at - a.at).slice(0, MOST_CALLS);
};

const sessionsIn = ({ host, store }: From, folder: string): readonly string[] =>
  store
    .list()
    .filter(
      ({ record, lastSeq, bytes, summary }) =>
        record.cwd === folder &&
        (host.opened(record.id) !== undefined || summary?.seq === lastSeq || bytes <= MOST_BYTES),
    )
    .slice(0, MOST_SESSIONS)
    .map(({ record }) => record.id);

const callOf = (row: Row): readonly LatestCall[] => {
  if (row.kind !== "tool") return [];
  const input = row.decision?.updatedInput ?? row.input;
  return [{ toolUseId: row.toolUseId, tool: row.name, input, at: row.at, about: aboutOf(row.name, input) }];
};

const aboutOf = (tool: string, input: LatestCall["input"]): string => {
  const words = `${toolTitle(tool)} ${toolSubject(tool, input).slice(0, 2 * ABOUT_CHARACTERS)}`;
  const line = words.replaceAll(/\s+/gu, " ").trim();
  return line.length > ABOUT_CHARACTERS ? `${line.slice(0, ABOUT_CHARACTERS - 1)}…` : line;
};
