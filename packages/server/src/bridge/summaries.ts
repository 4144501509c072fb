// Sessions in a few words: of those in memory from their heads, of the others from what the store keeps in memory for its list.
// No log is read and no fold loaded, however many sessions there are.

import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { summaryOf } from "@quarterdeck/host";
import type {
  EventStore,
  Host,
  Session,
  SessionEntry,
  SessionSummary as HostSummary,
  Transcript,
} from "@quarterdeck/host";
import type { OpenRequest } from "@quarterdeck/session";
import type { ParamsOf, ResultOf, SessionSummary } from "@quarterdeck/session/bridge";
import { Refusal } from "./refusal.ts";

export interface SummariesOptions {
  readonly host: Host;
  readonly store: EventStore;
  readonly watching: (session: string) => number;
  readonly transcripts: () => Promise<readonly Transcript[]>;
  /** Whether a terminal has the session open now. */
  readonly isHeld: (cliSession: string) => boolean;
}

type ListParams = ParamsOf<"sessions/list">;
const LIMIT = 100;
const ABOUT_CHARACTERS = 160;

export class Summaries {
  readonly #options: SummariesOptions;
  /** Of sessions in memory: made from what changed since the last one. */
  readonly #latest = new WeakMap<Session, HostSummary>();
  readonly #projects = new Map<string, string>();

  constructor(options: SummariesOptions) {
    this.#options = options;
  }

  of(id: string): SessionSummary | undefined {
    const { host, store } = this.#options;
    const session = host.opened(id);
    // Of one in memory whose beginning is known, the list has nothing to add.
    if (session !== undefined && this.#latest.has(session)) {
      const record = store.session(id);
      return record && this.#summary({ record, usedAt: record.updatedAt, lastSeq: 0, bytes: 0 });
    }
    const entry = store.list().find(({ record }) => record.id === id);
    return entry && this.#summary(entry);
  }

  /** For whoever has just made it. */
  must(id: string): SessionSummary {
    const summary = this.of(id);
    if (summary === undefined) throw new Refusal("unknown-session", "There is no such session.", { session: id });
    return summary;
  }

  async list(params: ListParams): Promise<ResultOf<"sessions/list">> {
    const own = this.#options.store.list();
    const sessions = own.map((entry) => this.#summary(entry));
    if (params.terminal === true) {
      const known = new Set(own.map(({ record }) => record.cliSessionId ?? record.id));
      const others = (await this.#options.transcripts()).filter(({ id }) => !known.has(id));
      sessions.push(...others.map((transcript) => this.#ofTranscript(transcript)));
    }
    const found = sessions.filter((summary) => fits(summary, params)).toSorted(urgentThenNewest);
    const from = params.cursor === undefined ? 0 : startAfter(found, params.cursor);
    const page = found.slice(from, from + (params.limit ?? LIMIT));
    const last = page.at(-1);
    const isMore = from + page.length < found.length && last !== undefined;
    return { sessions: page, total: found.length, ...(isMore && { nextCursor: cursorAt(last) }) };
  }

  async projects(): Promise<ResultOf<"projects/list">> {
    const { sessions } = await this.list({ terminal: true, limit: Infinity });
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

  #summary(entry: SessionEntry): SessionSummary {
    const { host, watching, isHeld } = this.#options;
    const { record } = entry;
    const session = host.opened(record.id);
    const summary = session === undefined ? entry.summary : this.#latestOf(session, entry);
    const isLive = session?.isLive === true;
    const title = record.title ?? summary?.title ?? summary?.firstPrompt;
    const { context } = summary ?? {};
    const share = context?.window === undefined ? undefined : context.used / context.window;
    return {
      id: record.id,
      ...(title !== undefined && title !== "" && { title }),
      cwd: record.cwd,
      project: this.#projectOf(record.cwd),
      createdAt: record.createdAt,
      updatedAt: Math.max(entry.usedAt, session?.head.lastEventAt ?? 0),
      archived: record.archived,
      live: isLive,
      // Of a host that was killed, the store has what it saw last; the process is gone.
      phase: session?.head.phase ?? (summary === undefined || summary.phase === "ended" ? "ended" : "died"),
      since: session?.head.since ?? summary?.since ?? record.createdAt,
      lastEventAt: session?.head.lastEventAt ?? entry.usedAt,
      ...(summary?.model !== undefined && { model: summary.model }),
      ...(summary?.mode !== undefined && { mode: summary.mode }),
      costUsd: summary?.costUsd ?? 0,
      ...(share !== undefined && { contextShare: share }),
      waiting: (session?.head.requests ?? []).flatMap(waitingOf),
      queued: summary?.queued ?? 0,
      tasks: isLive ? (summary?.runningTasks ?? 0) : 0,
      ...(summary?.lastText !== undefined && { lastText: summary.lastText }),
      lastOrder: summary?.lastOrder ?? 0,
      watching: watching(record.id),
      origin: "quarterdeck",
      held: !isLive && isHeld(record.cliSessionId ?? record.id),
      ...(typeof record.settings["forkOf"] === "string" && { forkOf: record.settings["forkOf"] }),
    };
  }

  #latestOf(session: Session, entry: SessionEntry): HostSummary {
    const known = this.#latest.get(session) ?? entry.summary;
    const before = known !== undefined && known.rev <= session.rev ? known : undefined;
    if (before?.rev === session.rev) return before;
    const { rev, rows } = session.changes(before?.rev ?? 0);
    const lastOrder = rows.reduce((most, row) => Math.max(most, row.order), before?.lastOrder ?? 0);
    const summary = summaryOf({ seq: 0, rowCount: 0, rev, head: session.head, lastOrder, rows }, before);
    this.#latest.set(session, summary);
    return summary;
  }

  #ofTranscript({ id, cwd = "/", updatedAt, firstPrompt }: Transcript): SessionSummary {
    const { watching, isHeld } = this.#options;
    return {
      id,
      ...(firstPrompt !== undefined && { title: firstPrompt.slice(0, 80) }),
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
      held: isHeld(id),
    };
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

const urgentThenNewest = (a: SessionSummary, b: SessionSummary): number =>
  Number(b.waiting.length > 0) - Number(a.waiting.length > 0) || b.updatedAt - a.updatedAt || (a.id < b.id ? -1 : 1);

/** A place in the order, not a number: the list may have changed until the next page. */
const cursorAt = ({ waiting, updatedAt, id }: SessionSummary): string =>
  `${Number(waiting.length > 0)}:${updatedAt}:${id}`;

const startAfter = (sessions: readonly SessionSummary[], cursor: string): number => {
  const [, urgent, updatedAt, id] = /^([01]):(\d+(?:\.\d+)?):(.+)$/s.exec(cursor) ?? [];
  if (urgent === undefined || id === undefined) throw new Refusal("bad-request", "This cursor is not of this list.");
  const [isUrgent, at] = [Number(urgent), Number(updatedAt)];
  const index = sessions.findIndex((one) => {
    const oneUrgent = Number(one.waiting.length > 0);
    if (oneUrgent !== isUrgent) return oneUrgent < isUrgent;
    return one.updatedAt !== at ? one.updatedAt < at : one.id > id;
  });
  return index === -1 ? sessions.length : index;
};

const waitingOf = ({ id, kind, at, request }: OpenRequest): SessionSummary["waiting"] => {
  if (kind === "hook" || kind === "mcp") return [];
  const tool = request.subtype === "can_use_tool" ? { tool: request.tool_name } : {};
  return [{ id, kind, at, about: aboutOf(request), ...tool }];
};

/** What a person would call the call by. */
const TELLING = ["command", "file_path", "notebook_path", "path", "url", "pattern", "query", "description", "prompt"];

const aboutOf = (request: OpenRequest["request"]): string => {
  if (request.subtype === "elicitation") return cut(request.message);
  if (request.subtype === "request_user_dialog") return cut(request.dialog_kind);
  if (request.subtype !== "can_use_tool") return request.subtype;
  const { tool_name: tool, input } = request;
  const [question] = Array.isArray(input["questions"]) ? (input["questions"] as { question?: unknown }[]) : [];
  const telling = question?.question ?? TELLING.map((name) => input[name]).find((value) => typeof value === "string");
  return cut(typeof telling === "string" ? `${tool}: ${telling}` : tool);
};

const cut = (text: string): string => {
  const line = text
    .slice(0, 4 * ABOUT_CHARACTERS)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length <= ABOUT_CHARACTERS ? line : `${line.slice(0, ABOUT_CHARACTERS).replace(/[\uD800-\uDBFF]$/, "")}…`;
};
