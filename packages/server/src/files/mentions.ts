// Completes an @-mention: files and folders from the CLI if it offers them, otherwise from our own search; servers by
// name; agents. Text after `server:` is a URI that only the MCP server knows, so it is passed through.

import { homedir } from "node:os";
import { resolve } from "node:path";
import { HostError } from "@quarterdeck/host";
import type { Session } from "@quarterdeck/host";
import type { ResultOf, Suggestion } from "@quarterdeck/session/bridge";
import { isRecord } from "@quarterdeck/protocol";
import { matchPath } from "./fuzzy.ts";
import type { Match } from "./fuzzy.ts";
import type { GitSight } from "./shared-git.ts";
import { resourcesOfRows } from "./listed-resources.ts";
import type { ListedResource } from "./listed-resources.ts";
import { filesBelow } from "./walker.ts";

export interface SuggestOptions {
  /** A real path that the caller may see. */
  readonly folder: string;
  readonly sight: GitSight;
  readonly session?: Session;
  readonly query: string;
  readonly limit: number;
}

const CLI_MS = 1500;
/** Sessions whose CLI does not know this request. */
const without = new WeakSet<Session>();

export const suggest = async ({
  folder,
  sight,
  session,
  query,
  limit,
}: SuggestOptions): Promise<ResultOf<"files/suggest">> => {
  const servers = serverNames(session);
  const colon = query.indexOf(":");
  const server = colon === -1 ? undefined : servers.find((name) => name === query.slice(0, colon));
  if (server !== undefined) {
    const matches: [number, number][] = [[0, query.length]];
    const known = listedResources(session)
      .flatMap((each) => (each.value.startsWith(`${server}:`) ? scored(each, query) : []))
      .toSorted((a, b) => b.score - a.score)
      .slice(0, limit)
      .map(({ score: _score, ...suggestion }) => suggestion);
    const typed = { kind: "resource" as const, value: query, about: server, matches };
    const isKnown = known.some(({ value }) => value === query);
    return { suggestions: [...known, ...(isKnown ? [] : [typed])], incomplete: false };
  }
  const resources = listedResources(session);
  const names = [
    ...resources,
    ...servers.map((name) => ({ kind: "server" as const, value: `${name}:` })),
    ...agentNames(session).map((name) => ({ kind: "agent" as const, value: `agent-${name}` })),
  ];
  const named = query === "" ? [] : names.flatMap((each) => scored(each, query));
  const files = (await fromCli(folder, sight, session, query)) ?? (await fromWalk(folder, sight, query, limit));
  const suggestions = [...files.suggestions, ...named].toSorted((a, b) => b.score - a.score).slice(0, limit);
  return {
    suggestions: suggestions.map(({ score: _score, ...suggestion }) => suggestion),
    incomplete: files.incomplete || files.suggestions.length + named.length > limit,
  };
};

type Scored = Suggestion & Pick<Match, "score">;
interface Found {
  readonly suggestions: readonly Scored[];
  readonly incomplete: boolean;
}

const scored = (each: Pick<Suggestion, "kind" | "value" | "about">, query: string): Scored[] => {
  const match = matchPath(each.value, query);
  return match === undefined ? [] : [{ ...each, ...match }];
};

const fromCli = async (
  folder: string,
  { seen }: GitSight,
  session: Session | undefined,
  query: string,
): Promise<Found | undefined> => {
  if (session?.isLive !== true || without.has(session) || query === "") return undefined;
  try {
    const { suggestions } = await session.request({ subtype: "file_suggestions", query }, { timeoutMs: CLI_MS });
    // In the CLI's own order, which is by its score.
    const found = suggestions.flatMap(({ path }, index): Scored[] => {
      // The CLI lists every file that it finds, so hidden ones are removed here.
      if (!seen.shows(resolve(folder, path.replace(/^~(?=\/|$)/u, homedir())))) return [];
      const kind = path.endsWith("/") ? "folder" : "file";
      return [{ kind, value: path, matches: matchPath(path, query)?.matches ?? [], score: 2000 - index }];
    });
    // The CLI returns an empty list while its index is not ready.
    return found.length === 0 ? undefined : { suggestions: found, incomplete: false };
  } catch (error) {
    // An older CLI, or a busy one: use our own search.
    if (!(error instanceof HostError) || error.code !== "request-timeout") without.add(session);
    return undefined;
  }
};

const fromWalk = async (folder: string, sight: GitSight, query: string, limit: number): Promise<Found> => {
  const { files, folders, incomplete } = await filesBelow(folder, sight);
  const best: Scored[] = [];
  const offer = (kind: "file" | "folder", value: string): void => {
    const match = matchPath(value, query);
    if (match === undefined) return;
    if (best.length > limit && match.score <= best.at(-1)!.score) return;
    best.push({ kind, value, ...match });
    best.sort((a, b) => b.score - a.score);
    if (best.length > limit + 1) best.pop();
  };
  for (const path of folders) offer("folder", path);
  for (const path of files) offer("file", path);
  return { suggestions: best, incomplete: incomplete || best.length > limit };
};

const serverNames = (session: Session | undefined): string[] =>
  (session?.head.servers ?? []).filter(({ status }) => status === "connected").map(({ name }) => name);

const MOST_ROWS = 500;

const listedResources = (session: Session | undefined): readonly ListedResource[] =>
  resourcesOfRows(session?.rowsBefore(Infinity, MOST_ROWS).rows ?? []);

const agentNames = (session: Session | undefined): string[] => {
  const agents = session?.head.about["agents"];
  return (Array.isArray(agents) ? agents : []).flatMap((agent: unknown) =>
    typeof agent === "string" ? [agent] : isRecord(agent) && typeof agent["name"] === "string" ? [agent["name"]] : [],
  );
};
