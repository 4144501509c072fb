// Who or what decided about each call, over all sessions, the newest first. It comes from the rows that the fold made of the log. It
// is read page by page: sessions are opened only when their newest decision can be next, and a place in time is found by halving.

import { isInside } from "@quarterdeck/host";
import type { EventStore, Host, ReadableSession } from "@quarterdeck/host";
import { placeOfRule } from "@quarterdeck/session";
import type { Row, ToolRow } from "@quarterdeck/session";
import type { ParamsOf, ResultOf } from "@quarterdeck/session/bridge";
import { Refusal } from "../refusal.ts";

export type AuditFilter = Omit<ParamsOf<"audit/list">, "cursor" | "limit">;
type Listed = ResultOf<"audit/list">["entries"][number];
/** With the whole input. */
export interface AuditEntry extends Omit<Listed, "input" | "cut"> {
  readonly input: Readonly<Record<string, unknown>>;
  /** Its place in the session. */
  readonly order: number;
}

export interface AuditParts {
  readonly host: Host;
  readonly store: EventStore;
}

const PAGE_ROWS = 200;
/** Rows that one call of `audit/list` looks at. */
const MOST_ROWS = 20_000;
/** A session that is not folded yet is left out if its log is larger, because folding it would block all clients. */
const MOST_BYTES = 20 * 1024 * 1024;
const INPUT_CHARACTERS = 4000;
const LIMIT = 100;

export const listAudit = (
  parts: AuditParts,
  { cursor, limit = LIMIT, ...filter }: ParamsOf<"audit/list">,
): ResultOf<"audit/list"> => {
  const after = cursor === undefined ? undefined : placeIn(cursor);
  const entries: Listed[] = [];
  let rows = 0;
  let last: Place | undefined = after;
  const { steps, skipped } = auditOf(parts, filter, after);
  for (const step of steps) {
    rows += step.rows;
    last = step;
    if (step.entry !== undefined) entries.push(shortened(step.entry));
    if (entries.length >= limit || rows >= MOST_ROWS)
      return { entries, nextCursor: cursorOf(last), skipped: [...skipped] };
  }
  return { entries, skipped: [...skipped] };
};

/** Everything that fits the filter, for an export. */
export function* allOfAudit(parts: AuditParts, filter: AuditFilter): Generator<AuditEntry | undefined> {
  for (const { entry } of auditOf(parts, filter, undefined).steps) yield entry;
}

/** The position of a reader, who has seen everything newer. In one millisecond, sessions follow by id, and rows by order. */
interface Place {
  readonly at: number;
  readonly session: string;
  readonly order: number;
}

interface Step extends Place {
  /** Rows that were read for it. */
  readonly rows: number;
  readonly entry: AuditEntry | undefined;
}

const auditOf = (
  { host, store }: AuditParts,
  filter: AuditFilter,
  after: Place | undefined,
): { readonly steps: Generator<Step>; readonly skipped: ReadonlySet<string> } => {
  const skipped = new Set<string>();
  const sessions = store
    .list()
    .filter(
      ({ record }) =>
        (filter.session === undefined || record.id === filter.session) &&
        (filter.folder === undefined || isInside(record.cwd, filter.folder)),
    )
    .toSorted((a, b) => b.usedAt - a.usedAt);
  const isReadable = ({ record, summary, lastSeq, bytes }: (typeof sessions)[number]): boolean =>
    host.opened(record.id) !== undefined || summary?.seq === lastSeq || bytes <= MOST_BYTES;

  function* merged(): Generator<Step> {
    const open: { readonly steps: Generator<Step>; next: Step }[] = [];
    let unopened = 0;
    for (;;) {
      const newest = open.reduce<(typeof open)[number] | undefined>(
        (best, one) => (best === undefined || isNewer(one.next, best.next) ? one : best),
        undefined,
      );
      const candidate = sessions[unopened];
      if (candidate !== undefined && (newest === undefined || candidate.usedAt >= newest.next.at)) {
        unopened += 1;
        if (!isReadable(candidate)) skipped.add(candidate.record.id);
        else {
          const { id, cwd, title } = candidate.record;
          const steps = stepsIn(host.view(id), { session: id, folder: cwd, title }, filter, after);
          const first = steps.next();
          if (first.done !== true) open.push({ steps, next: first.value });
        }
        continue;
      }
      if (newest === undefined) return;
      yield newest.next;
      const next = newest.steps.next();
      if (next.done === true) open.splice(open.indexOf(newest), 1);
      else newest.next = next.value;
    }
  }
  return { steps: merged(), skipped };
};

const isNewer = (a: Place, b: Place): boolean => a.at > b.at || (a.at === b.at && a.session > b.session);

function* stepsIn(
  view: ReadableSession,
  about: { readonly session: string; readonly folder: string; readonly title: string | undefined },
  filter: AuditFilter,
  after: Place | undefined,
): Generator<Step> {
  const { session } = about;
  const until = Math.min(filter.until ?? Infinity, after?.at ?? Infinity);
  const isSeen = ({ at, order }: Row): boolean => {
    if (after === undefined || at < after.at) return false;
    if (at > after.at) return true;
    return session === after.session ? order >= after.order : session > after.session;
  };
  for (let before = until === Infinity ? Infinity : orderAfter(view, until); ;) {
    const { rows, more } = view.rowsBefore(before, PAGE_ROWS);
    let read = 0;
    for (const row of rows.toReversed()) {
      read += 1;
      if (row.at > until || isSeen(row)) continue;
      if (filter.from !== undefined && row.at < filter.from) return;
      const entry = row.kind === "tool" ? entryOf(row, about) : undefined;
      if (entry === undefined || !fits(entry, filter)) continue;
      yield { at: row.at, session, order: row.order, rows: read, entry };
      read = 0;
    }
    const first = rows[0];
    if (first === undefined) return;
    // A page without a decision still counts, so that a long search can be continued.
    yield { at: first.at, session, order: first.order, rows: read, entry: undefined };
    if (!more) return;
    before = first.order;
  }
}

/** The first place in the order behind every row of this time or earlier. Rows are in the order of their time. */
const orderAfter = (view: ReadableSession, at: number): number => {
  let [low, high] = [0, (view.rowsBefore(Infinity, 1).rows[0]?.order ?? 0) + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = view.rowsAfter(middle, 1).rows[0];
    if (row === undefined || row.at > at) high = middle;
    else low = middle + 1;
  }
  return low + 1;
};

const entryOf = (
  row: ToolRow,
  { session, folder, title }: { readonly session: string; readonly folder: string; readonly title: string | undefined },
): AuditEntry | undefined => {
  const { decision, state } = row;
  // Without a decision, only a call that ran or was refused shows that something decided.
  const behavior = decision?.behavior ?? BEHAVIORS[state];
  if (behavior === undefined) return undefined;
  const {
    decider = decision?.by === undefined ? "unknown" : "person",
    by,
    rule,
    policy,
    mode,
    reason,
  } = decision ?? {};
  const matched = rule?.text ?? policy?.rule;
  return {
    session,
    ...(title !== undefined && { title }),
    folder,
    rowId: row.id,
    order: row.order,
    at: decision?.at ?? row.at,
    tool: row.name,
    input: decision?.updatedInput ?? row.input,
    behavior,
    decider,
    ...(by !== undefined && { by }),
    ...(matched !== undefined && { rule: matched }),
    ...(rule !== undefined && { place: placeOfRule(rule) }),
    ...(policy !== undefined && { policy: { id: policy.id, name: policy.name } }),
    ...(row.askedBy !== undefined && { askedBy: row.askedBy.name }),
    ...(mode !== undefined && { mode }),
    ...(reason !== undefined && { reason }),
    ...(decision?.updatedInput !== undefined && { edited: true as const }),
  };
};
const BEHAVIORS: Readonly<Partial<Record<ToolRow["state"], "allow" | "deny">>> = {
  done: "allow",
  failed: "allow",
  denied: "deny",
};

const fits = (entry: AuditEntry, { decider, behavior, text = "" }: AuditFilter): boolean =>
  (decider === undefined || entry.decider === decider) &&
  (behavior === undefined || entry.behavior === behavior) &&
  (text.trim() === "" || hasWords(entry, text));

/** Every word, in any order and any case. */
const hasWords = ({ tool, input, rule, policy, by }: AuditEntry, text: string): boolean => {
  const all = [tool, JSON.stringify(input), rule, policy?.name, by?.name].join("\n").toLowerCase();
  return text
    .toLowerCase()
    .trim()
    .split(/\s+/u)
    .every((word) => all.includes(word));
};

const shortened = ({ input, order: _order, ...entry }: AuditEntry): Listed => {
  const text = JSON.stringify(input);
  return text.length <= INPUT_CHARACTERS
    ? { ...entry, input: text }
    : { ...entry, input: text.slice(0, INPUT_CHARACTERS), cut: true };
};

const cursorOf = ({ at, order, session }: Place): string => `${String(at)}:${String(order)}:${session}`;

const placeIn = (cursor: string): Place => {
  const found = /^(\d+(?:\.\d+)?):(\d+(?:\.\d+)?):(.+)$/u.exec(cursor);
  if (found === null) throw new Refusal("bad-request", "This cursor is not one of the audit.");
  return { at: Number(found[1]), order: Number(found[2]), session: found[3]! };
};
