// A session in one color and one line, for lists and titles.

import type { SessionSummary } from "@quarterdeck/client";
import { isRunning, toolTitle } from "@quarterdeck/client/content";
import { baseName, plural } from "./format.ts";
import { PHASE_WORDS, wantsTo } from "./names.ts";
import type { Tone } from "./tone.ts";

export interface SessionWords {
  readonly tone: Tone;
  readonly line: string;
}

export const titleOf = (summary: Pick<SessionSummary, "title" | "cwd">): string =>
  summary.title ?? `Session in ${baseName(summary.cwd)}`;

/** The session that this one was forked from, as far as it still exists. */
export const forkWords = (
  { forkOf }: Pick<SessionSummary, "forkOf">,
  sessions: readonly SessionSummary[],
): string | undefined => {
  if (forkOf === undefined) return undefined;
  const parent = sessions.find(({ id }) => id === forkOf);
  return parent === undefined ? "Fork of a deleted session" : `Fork of ${titleOf(parent)}`;
};

type Waiting = SessionSummary["waiting"][number];

const ASKS: Readonly<Record<Waiting["kind"], (waiting: Waiting) => string>> = {
  permission: ({ tool, about }) => (tool === undefined ? about : wantsTo(tool)),
  question: () => "asks you a question",
  plan: () => "has a plan to review",
  elicitation: () => "a server needs input",
  dialog: () => "needs a choice",
  hook: () => "a hook is waiting",
  mcp: () => "a server is waiting",
};

export const waitingLine = (waiting: readonly Waiting[]): string => {
  const [first] = waiting;
  if (first === undefined) return "";
  const line = ASKS[first.kind](first);
  return waiting.length === 1 ? line : `${line} and ${plural(waiting.length - 1, "more", "more")}`;
};

/** What is asked, without the name of its tool. */
export const askedWords = ({ about, tool }: Waiting): string => {
  const named = tool === undefined ? "" : `${toolTitle(tool)}: `;
  return about.startsWith(named) ? about.slice(named.length) : about;
};

export const wordsOf = (summary: SessionSummary): SessionWords => {
  const { phase, waiting, lastText, origin, held, live, queued, tasks } = summary;
  if (waiting.length > 0) return { tone: "brass", line: waitingLine(waiting) };
  if (isRunning(phase)) {
    const also = [queued > 0 && `${queued} queued`, tasks > 0 && plural(tasks, "task")].filter(Boolean);
    return { tone: phase === "thinking" ? "think" : "sea", line: [PHASE_WORDS[phase], ...also].join(" · ") };
  }
  if (held) return { tone: "sea", line: "open in a terminal" };
  if (phase === "died") return { tone: "stop", line: "stopped unexpectedly" };
  if (phase === "error") return { tone: "stop", line: "last turn failed" };
  if (phase === "starting" && live) return { tone: "sea", line: "starting" };
  const said = withoutMarkup(lastText ?? "") || PHASE_WORDS[phase];
  if (tasks > 0) return { tone: "sea", line: `${plural(tasks, "background task")} · ${said}` };
  return { tone: live ? "go" : "plain", line: origin === "terminal" ? `from the terminal · ${said}` : said };
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
