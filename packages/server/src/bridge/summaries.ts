// Session summaries: from the host, without reading any session, and from the CLI's own transcripts.

import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { requestHash } from "@quarterdeck/host";
import type { Host, SessionOverview, Transcript } from "@quarterdeck/host";
import { toolSubject, toolTitle } from "@quarterdeck/protocol";
import { generatedTitle } from "@quarterdeck/session";
import type { OpenRequest } from "@quarterdeck/session";
import { urgentThenNewest } from "@quarterdeck/session/bridge";
import type { ParamsOf, ResultOf, SessionSummary } from "@quarterdeck/session/bridge";
import type { ContainedPaths } from "../files/contract.ts";
import type { MadeWorktree } from "../git/ledger.ts";
import { quickLine } from "../notify/quick-answer.ts";
import { Refusal } from "../refusal.ts";
import type { Transcripts } from "./transcripts.ts";

export interface SummariesOptions {
  readonly host: Host;
  readonly transcripts: Transcripts;
  readonly watching: (session: string) => number;
  readonly worktreeAt: (folder: string) => MadeWorktree | undefined;
}

type ListParams = ParamsOf<"sessions/list">;
const LIMIT = 100;
const ABOUT_CHARACTERS = 160;

export class Summaries {
  readonly #options: SummariesOptions;
  readonly #projects = new Map<string, string>();

  constructor(options: SummariesOptions) {
    this.#options = options;
  }

  /** The summaries of these ids, if they exist. */
  of(ids: ReadonlySet<string>): ReadonlyMap<string, SessionSummary> {
    const overviews = this.#options.host.overviews().filter(({ id }) => ids.has(id));
    return new Map(overviews.map((overview) => [overview.id, this.#summary(overview)]));
  }

  /** For a caller that has just made the session. */
  must(id: string): SessionSummary {
    const summary = this.of(new Set([id])).get(id);
    if (summary === undefined) throw new Refusal("unknown-session", "The session does not exist.", { session: id });
    return summary;
  }

  /** Includes terminal sessions only if the caller sees their folder. */
  async list(
    params: ListParams,
    seen: ContainedPaths,
    isFor: (summary: SessionSummary) => boolean = () => true,
  ): Promise<ResultOf<"sessions/list">> {
    const { host, transcripts } = this.#options;
    await transcripts.lookForHolders();
    const own = host.overviews();
    const sessions = own.map((overview) => this.#summary(overview));
    if (params.terminal === true) {
      const known = new Set(own.flatMap(({ id, cliSessionId }) => [id, cliSessionId ?? id]));
      const others = (await transcripts.all(seen)).filter(({ id }) => !known.has(id));
      sessions.push(...others.map((transcript) => this.#ofTranscript(transcript)));
    }
    const found = sessions.filter((summary) => fits(summary, params) && isFor(summary)).toSorted(urgentThenNewest);
    const from = params.cursor === undefined ? 0 : startAfter(found, params.cursor);
    const page = found.slice(from, from + (params.limit ?? LIMIT));
    const last = page.at(-1);
    const isMore = from + page.length < found.length && last !== undefined;
    return { sessions: page, total: found.length, ...(isMore && { nextCursor: cursorAt(last) }) };
  }

  async projects(
    seen: ContainedPaths,
    isFor?: (summary: SessionSummary) => boolean,
  ): Promise<ResultOf<"projects/list">> {
    const { sessions } = await this.list({ terminal: true, limit: Infinity }, seen, isFor);
    const byPath = Map.groupBy(sessions, ({ project }) => project);
    const projects = [...byPath].map(([path, ofProject]) => ({
      path,
      name: basename(path) || path,
      sessions: ofProject.length,
      live: ofProject.filter(({ live }) => live).length,
      lastAt: Math.max(...ofProject.map(({ updatedAt }) => updatedAt)),
    }));
    return { projects: projects.toSorted((a, b) => b.lastAt - a.lastAt) };
  }

  /** Every session of the host with its project, for reports. */
  withProjects(): { readonly overview: SessionOverview; readonly project: string }[] {
    return this.#options.host.overviews().map((overview) => ({ overview, project: this.#projectOf(overview.cwd) }));
  }

  /** The sessions of a project. Undefined if no project is named: all of them. */
  idsOf(project: string | undefined): ReadonlySet<string> | undefined {
    if (project === undefined) return undefined;
    const { host, worktreeAt } = this.#options;
    const ofProject = host
      .list()
      .filter(({ cwd }) => (worktreeAt(cwd)?.repository ?? this.#projectOf(cwd)) === project || cwd === project);
    return new Set(ofProject.map(({ id }) => id));
  }

  #summary(overview: SessionOverview): SessionSummary {
    const { watching, transcripts, worktreeAt } = this.#options;
    const { id, cwd, live, context } = overview;
    const worktree = worktreeAt(cwd);
    const { title } = overview;
    const share = context?.window === undefined ? undefined : context.used / context.window;
    return {
      id,
      ...(title !== undefined && title !== "" && { title }),
      cwd,
      project: worktree?.repository ?? this.#projectOf(cwd),
      createdAt: overview.createdAt,
      updatedAt: overview.updatedAt,
      archived: overview.archived,
      live,
      phase: overview.phase,
      since: overview.since,
      lastEventAt: overview.lastEventAt,
      ...(overview.model !== undefined && { model: overview.model }),
      ...(overview.mode !== undefined && { mode: overview.mode }),
      costUsd: overview.costUsd,
      ...(share !== undefined && { contextShare: share }),
      waiting: overview.requests.map((request) => waitingOf(request, cwd)),
      queued: overview.queued,
      ...(overview.changes !== undefined && { changes: overview.changes }),
      tasks: live ? overview.runningTasks : 0,
      ...(overview.lastText !== undefined && { lastText: overview.lastText }),
      lastOrder: overview.lastOrder,
      watching: watching(id),
      origin: "quarterdeck",
      held: !live && transcripts.isHeld(overview.cliSessionId ?? id),
      ...(overview.handedOver !== undefined && { handedOver: overview.handedOver }),
      ...(overview.forkOf !== undefined && { forkOf: overview.forkOf }),
      ...(worktree !== undefined && { worktree: markOf(worktree) }),
    };
  }

  #ofTranscript({ id, cwd = "/", updatedAt, firstPrompt = "" }: Transcript): SessionSummary {
    const { watching, transcripts } = this.#options;
    const title = generatedTitle(firstPrompt);
    return {
      id,
      ...(title !== undefined && { title }),
      cwd,
      project: this.#projectOf(cwd),
      createdAt: updatedAt,
      updatedAt,
      archived: false,
      live: false,
      phase: "ended",
      since: updatedAt,
      lastEventAt: updatedAt,
      costUsd: 0,
      waiting: [],
      queued: 0,
      tasks: 0,
      lastOrder: 0,
      watching: watching(id),
      origin: "terminal",
      held: transcripts.isHeld(id),
    };
  }

  /** The repository of a folder, or the folder itself. A worktree that we made belongs to its repository. */
  projectOf(cwd: string): string {
    return this.#options.worktreeAt(cwd)?.repository ?? this.#projectOf(cwd);
  }

  #projectOf(cwd: string): string {
    let project = this.#projects.get(cwd);
    if (project === undefined) {
      project = repositoryOf(cwd) ?? cwd;
      this.#projects.set(cwd, project);
    }
    return project;
  }
}

const markOf = ({ name, branch, base, repository }: MadeWorktree) => ({ name, branch, base, repository });

const repositoryOf = (folder: string): string | undefined => {
  if (existsSync(join(folder, ".git"))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : repositoryOf(parent);
};

const fits = (summary: SessionSummary, { query, project, state = "all" }: ListParams): boolean => {
  if (project !== undefined && summary.project !== project && summary.cwd !== project) return false;
  if (query !== undefined && !mentions(summary, query.toLowerCase())) return false;
  switch (state) {
    case "all":
      return true;
    case "archived":
      return summary.archived;
    case "live":
      return summary.live && !summary.archived;
    case "waiting":
      return summary.waiting.length > 0 && !summary.archived;
    case "ended":
      return !summary.live && !summary.archived;
  }
};

const mentions = ({ id, title, cwd, lastText }: SessionSummary, words: string): boolean =>
  [id, title, cwd, lastText].some((text) => text?.toLowerCase().includes(words) === true);

/** A position in the order, not a number: the list may change before the next page. */
const cursorAt = ({ waiting, updatedAt, id }: SessionSummary): string =>
  `${Number(waiting.length > 0)}:${updatedAt}:${id}`;

const startAfter = (sessions: readonly SessionSummary[], cursor: string): number => {
  const [, urgent, updatedAt, id] = /^([01]):(\d+(?:\.\d+)?):(.+)$/s.exec(cursor) ?? [];
  if (urgent === undefined || id === undefined)
    throw new Refusal("bad-request", "The cursor does not belong to this list.");
  const [isUrgent, at] = [Number(urgent), Number(updatedAt)];
  const index = sessions.findIndex((one) => {
    const oneUrgent = Number(one.waiting.length > 0);
    if (oneUrgent !== isUrgent) return oneUrgent < isUrgent;
    return one.updatedAt !== at ? one.updatedAt < at : one.id > id;
  });
  return index === -1 ? sessions.length : index;
};

/** What a request asks for, in one line. */
export const aboutRequest = ({ request }: OpenRequest): string => aboutOf(request);

const waitingOf = (open: OpenRequest, cwd: string): SessionSummary["waiting"][number] => {
  const { id, kind, at, incarnation, request } = open;
  const tool = request.subtype === "can_use_tool" ? { tool: request.tool_name } : {};
  const line = quickLine(open, cwd);
  const quick = line === undefined ? {} : { quick: { line, incarnation, inputHash: requestHash(request) } };
  return { id, kind, at, about: aboutOf(request), ...tool, ...quick };
};

const aboutOf = (request: OpenRequest["request"]): string => {
  if (request.subtype === "elicitation") return cut(request.message);
  if (request.subtype === "request_user_dialog") return cut(request.dialog_kind);
  if (request.subtype !== "can_use_tool") return request.subtype;
  const { tool_name: tool, input } = request;
  const subject = toolSubject(tool, input);
  return cut(subject === "" ? toolTitle(tool) : `${toolTitle(tool)}: ${subject}`);
};

const cut = (text: string): string => {
  const line = text
    .slice(0, 4 * ABOUT_CHARACTERS)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length <= ABOUT_CHARACTERS ? line : `${line.slice(0, ABOUT_CHARACTERS).replace(/[\uD800-\uDBFF]$/, "")}…`;
};
