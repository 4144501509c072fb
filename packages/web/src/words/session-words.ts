// A session in one color and one line, for lists and titles.

import type { SessionSummary } from "@quarterdeck/client";
import { hasFailed, isRunning, toolTitle } from "@quarterdeck/client/content";
import { baseName } from "./format.ts";
import { PHASE_WORDS, wantsTo, WORDS } from "./names.ts";
import type { Tone } from "./tone.ts";

export interface SessionWords {
  readonly tone: Tone;
  readonly line: string;
}

export const sessionTitleOf = (summary: Pick<SessionSummary, "title" | "cwd">): string =>
  summary.title ?? WORDS.sessionIn(baseName(summary.cwd));

/** The session that this one was forked from, if it still exists. */
export const forkWords = (
  { forkOf }: Pick<SessionSummary, "forkOf">,
  sessions: readonly SessionSummary[],
): string | undefined => {
  if (forkOf === undefined) return undefined;
  const parent = sessions.find(({ id }) => id === forkOf);
  return parent === undefined ? WORDS.forkOfNone : WORDS.forkOf(sessionTitleOf(parent));
};

type Waiting = SessionSummary["waiting"][number];

const ASKS: Readonly<Record<Waiting["kind"], (waiting: Waiting) => string>> = {
  permission: ({ tool, about }) => (tool === undefined ? about : wantsTo(tool)),
  question: () => WORDS.question,
  plan: () => WORDS.plan,
  elicitation: () => WORDS.input,
  dialog: () => WORDS.choice,
  hook: () => WORDS.hook,
  mcp: () => WORDS.server,
};

export const waitingLine = (waiting: readonly Waiting[]): string =>
  withMore(waiting, (first) => ASKS[first.kind](first));

const withMore = (waiting: readonly Waiting[], lineOf: (first: Waiting) => string): string => {
  const [first] = waiting;
  if (first === undefined) return "";
  const line = lineOf(first);
  return waiting.length === 1 ? line : WORDS.andMore(line, waiting.length - 1);
};

const NAMED: Readonly<Record<string, (subject: string) => string>> = {
  Bash: WORDS.runThe,
  Edit: WORDS.editThe,
  MultiEdit: WORDS.editThe,
  Write: WORDS.writeThe,
  Read: WORDS.readThe,
};

/** Also names the file or the command, for lists where nothing else does. */
export const namedWaitingLine = ({ waiting, cwd }: Pick<SessionSummary, "waiting" | "cwd">): string =>
  withMore(waiting, (first) => {
    const { kind, tool } = first;
    const named = kind === "permission" && tool !== undefined && Object.hasOwn(NAMED, tool) ? NAMED[tool] : undefined;
    return named === undefined ? ASKS[kind](first) : named(askedWords(first, cwd));
  });

/** What is asked, without the name of its tool. A path in the session's folder is named from there. */
export const askedWords = ({ about, tool }: Waiting, cwd?: string): string => {
  const named = tool === undefined ? "" : `${toolTitle(tool)}: `;
  const words = about.startsWith(named) ? about.slice(named.length) : about;
  return cwd !== undefined && words.startsWith(`${cwd}/`) ? words.slice(cwd.length + 1) : words;
};

export const sessionWords = (summary: SessionSummary): SessionWords => {
  const { phase, waiting, lastText, origin, held, live, queued, tasks } = summary;
  if (waiting.length > 0) return { tone: "brass", line: waitingLine(waiting) };
  if (isRunning(phase)) {
    const also = [queued > 0 && WORDS.queued(queued), tasks > 0 && WORDS.tasks(tasks)].filter(Boolean);
    return { tone: phase === "thinking" ? "think" : "sea", line: [PHASE_WORDS[phase], ...also].join(" · ") };
  }
  if (held) return { tone: "sea", line: WORDS.held };
  if (hasFailed(phase)) return { tone: "stop", line: PHASE_WORDS[phase] };
  if (phase === "starting" && live) return { tone: "sea", line: PHASE_WORDS.starting };
  const said = withoutMarkup(lastText ?? "") || PHASE_WORDS[phase];
  if (tasks > 0) return { tone: "sea", line: `${WORDS.jobs(tasks)} · ${said}` };
  return { tone: live ? "go" : "plain", line: origin === "terminal" ? `${WORDS.fromOut} · ${said}` : said };
};

/**
 * One line of Markdown as words: marks of headings, lists, links and emphasis are removed, those of a glob are kept.
 */
export const withoutMarkup = (text: string): string =>
  text
    .replaceAll(/(^|\s)#{1,6}(?=\s)|^\s*(?:>|[-*+]|\d+\.)(?=\s)/gu, "$1")
    .replaceAll(/!?\[([^\][]+)\]\([^\s()]*\)/gu, "$1")
    .replaceAll(/(?<![\w*/])(?:\*{1,2}|~~)(?=[^\s*/.])|(?<=[^\s*/])(?:\*{1,2}|~~)(?![\w*/]|\.\w)|`+/gu, "")
    .replaceAll(/\s+/gu, " ")
    .trim();
