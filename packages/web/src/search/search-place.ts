// A search as the address has it: `q`, `project`, `kind` (several, with commas) and `since` (`7d`, or a day).

import type { ParamsOf, SearchKind } from "@quarterdeck/client";

type Params = ParamsOf<"sessions/search">;

export interface SearchPlace {
  readonly q: string;
  readonly project: string;
  readonly kinds: readonly SearchKind[];
  /** Empty: any time. */
  readonly since: string;
}

const NAMED: Readonly<Record<SearchKind, true>> = {
  prompt: true,
  answer: true,
  command: true,
  file: true,
  tool: true,
  thinking: true,
  other: true,
};
export const NAMED_KINDS = Object.keys(NAMED) as SearchKind[];

export const readPlace = (query: string): SearchPlace => {
  const fields = new URLSearchParams(query);
  const named = (fields.get("kind") ?? "").split(",");
  const since = fields.get("since") ?? "";
  return {
    q: (fields.get("q") ?? "").slice(0, 200),
    project: fields.get("project") ?? "",
    kinds: NAMED_KINDS.filter((kind) => named.includes(kind)),
    since: startOf(since, 0) === undefined ? "" : since,
  };
};

export const hrefOfPlace = ({ q, project, kinds, since }: SearchPlace): string => {
  const fields = new URLSearchParams();
  if (q !== "") fields.set("q", q);
  if (project !== "") fields.set("project", project);
  if (kinds.length > 0) fields.set("kind", kinds.join(","));
  if (since !== "") fields.set("since", since);
  const text = fields.toString();
  return text === "" ? "#/search" : `#/search?${text}`;
};

const DAY_MS = 86_400_000;

/** Milliseconds. `7d` are the seven days before now, `2026-11-01` begins at that midnight here. */
export const startOf = (since: string, now: number): number | undefined => {
  const days = /^(\d{1,4})d$/u.exec(since)?.[1];
  if (days !== undefined) return now - Number(days) * DAY_MS;
  if (!/^\d{4}-\d{2}-\d{2}$/u.test(since)) return undefined;
  const at = new Date(`${since}T00:00:00`).getTime();
  return Number.isNaN(at) ? undefined : at;
};

/** Undefined if there is nothing to search for. */
export const paramsOf = ({ q, project, kinds, since }: SearchPlace, limit: number, now: number): Params | undefined => {
  if (!/[\p{L}\p{N}]/u.test(q)) return undefined;
  const start = startOf(since, now);
  return {
    query: q.trim(),
    limit,
    ...(project !== "" && { project }),
    ...(kinds.length > 0 && { kinds: [...kinds] }),
    ...(start !== undefined && { since: start }),
  };
};

/** Hits by session, in the order of the newest hit of each. */
export const bySession = <H extends { readonly session: string }>(
  hits: readonly H[],
): readonly { readonly session: string; readonly hits: readonly H[] }[] =>
  [...Map.groupBy(hits, ({ session }) => session)].map(([session, found]) => ({ session, hits: found }));
