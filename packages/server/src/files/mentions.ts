// Completes an @-mention: files and folders from the CLI if it offers them, otherwise from our own search; servers by
// name; agents. Text after `server:` is a URI that only the MCP server knows, so it is passed through.

import { homedir } from "node:os";
import { relative, resolve } from "node:path";
import { HostError } from "@quarterdeck/host";
import type { Session } from "@quarterdeck/host";
import type { ResultOf, FileSuggestion } from "@quarterdeck/session/bridge";
import { filePathIn, isRecord } from "@quarterdeck/protocol";
import type { Match } from "./fuzzy.ts";
import { rankMention } from "./rank-mentions.ts";
import type { FilesInUse } from "./rank-mentions.ts";
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
  /** Files that the person looks at. */
  readonly open?: readonly string[];
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
  open = [],
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
  const use = { open: new Set(open.map((path) => within(folder, path))), recent: recentFiles(folder, session) };
  const found = await fromCli(folder, sight, session, query, use);
  // The list of the CLI is short and in its own order, so the names that it left out come from our search.
  const files = joined(found, await fromWalk(folder, sight, query, limit, use), limit);
  const suggestions = [...files.suggestions, ...named].toSorted((a, b) => b.score - a.score).slice(0, limit);
  return {
    suggestions: suggestions.map(({ score: _score, ...suggestion }) => suggestion),
    incomplete: files.incomplete || files.suggestions.length + named.length > limit,
  };
};

type Scored = FileSuggestion & Pick<Match, "score">;
interface Found {
  readonly suggestions: readonly Scored[];
  readonly incomplete: boolean;
}

/** Relative to the folder, as it is offered. */
const within = (folder: string, path: string): string => {
  const own = relative(folder, resolve(folder, path));
  return own === "" || own.startsWith("..") ? path : own;
};

const RECENT_ROWS = 300;
const MOST_RECENT = 40;

/** Files that the session read or changed recently, newest first. */
const recentFiles = (folder: string, session: Session | undefined): readonly string[] => {
  const found = new Set<string>();
  for (const row of (session?.rowsBefore(Infinity, RECENT_ROWS).rows ?? []).toReversed()) {
    const path = row.kind === "tool" ? filePathIn(row.input) : undefined;
    if (typeof path === "string") found.add(within(folder, path));
    if (found.size >= MOST_RECENT) break;
  }
  return [...found];
};

const joined = (some: Found | undefined, others: Found, limit: number): Found => {
  const known = new Set(some?.suggestions.map(({ value }) => value));
  const all = [...(some?.suggestions ?? []), ...others.suggestions.filter(({ value }) => !known.has(value))];
  return { suggestions: all.toSorted((a, b) => b.score - a.score).slice(0, limit + 1), incomplete: others.incomplete };
};

const scored = (each: Pick<FileSuggestion, "kind" | "value" | "about">, query: string): Scored[] => {
  const match = rankMention(each.value, query);
  return match === undefined ? [] : [{ ...each, ...match }];
};

const fromCli = async (
  folder: string,
  { seen }: GitSight,
  session: Session | undefined,
  query: string,
  use: FilesInUse,
): Promise<Found | undefined> => {
  if (session?.isLive !== true || without.has(session) || query === "") return undefined;
  try {
    const { suggestions } = await session.request({ subtype: "file_suggestions", query }, { timeoutMs: CLI_MS });
    const found = suggestions.flatMap(({ path }): Scored[] => {
      // The CLI lists every file that it finds, so hidden ones are removed here.
      if (!seen.shows(resolve(folder, path.replace(/^~(?=\/|$)/u, homedir())))) return [];
      const kind = path.endsWith("/") ? "folder" : "file";
      const match = rankMention(path, query, use);
      return [{ kind, value: path, matches: match?.matches ?? [], score: match?.score ?? 0 }];
    });
    // The CLI returns an empty list while its index is not ready.
    return found.length === 0 ? undefined : { suggestions: found, incomplete: false };
  } catch (error) {
    // An older CLI, or a busy one: use our own search.
    if (!(error instanceof HostError) || error.code !== "request-timeout") without.add(session);
    return undefined;
  }
};

const fromWalk = async (
  folder: string,
  sight: GitSight,
  query: string,
  limit: number,
  use: FilesInUse,
): Promise<Found> => {
  const { files, folders, incomplete } = await filesBelow(folder, sight);
  const best: Scored[] = [];
  const offer = (kind: "file" | "folder", value: string): void => {
    const match = rankMention(value, query, use);
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
