// Comments on lines: what they are, how they follow their lines, and the prompt that they become. Pure.

import { shownPath } from "../../timeline/paths.ts";
import type { Side } from "./diff-rows.ts";
import { WORDS } from "./words.ts";

export interface Comment {
  readonly id: string;
  readonly path: string;
  readonly side: Side;
  readonly from: number;
  readonly to: number;
  /** The lines when it was written. They find the place again after the file has moved. */
  readonly quote: readonly string[];
  readonly text: string;
  /** Being written: not collected yet. */
  readonly draft?: boolean | undefined;
  /** When it went to the session. */
  readonly sentAt?: number | undefined;
}

const LONGEST_TEXT = 20_000;
const MOST_QUOTED = 200;

export const decodeComments = (value: unknown): readonly Comment[] =>
  Array.isArray(value) ? value.flatMap((one) => decodeComment(one)) : [];

const decodeComment = (value: unknown): readonly Comment[] => {
  if (typeof value !== "object" || value === null) return [];
  const { id, path, side, from, to, quote, text, draft, sentAt } = value as Record<string, unknown>;
  const isWhole =
    typeof id === "string" &&
    typeof path === "string" &&
    (side === "old" || side === "new") &&
    Number.isSafeInteger(from) &&
    Number.isSafeInteger(to) &&
    Array.isArray(quote) &&
    quote.every((line) => typeof line === "string") &&
    typeof text === "string";
  if (!isWhole) return [];
  return [
    {
      ...{ id, path, side, from: from as number, to: to as number, quote, text },
      ...(draft === true && { draft: true }),
      ...(typeof sentAt === "number" && { sentAt }),
    },
  ];
};

export interface LineSpan {
  readonly from: number;
  readonly to: number;
}

/** A line of a side, if the diff or the file shows it. */
export type TextAt = (line: number) => string | undefined;

/** A comment's lines are searched within this distance of their former place. */
const NEAR = 2000;

/**
 * Where the commented lines are now: where they were, or at the nearest place that has the same lines. Undefined if the lines changed.
 * Lines that the view does not know count as unchanged only at their former place.
 */
export const spanOf = ({ from, quote }: Comment, at: TextAt): LineSpan | undefined => {
  const length = Math.max(1, quote.length);
  const place = (start: number): LineSpan => ({ from: start, to: start + length - 1 });
  const fits = (start: number, strict: boolean): boolean =>
    quote.every((line, offset) => {
      const found = at(start + offset);
      return found === undefined ? !strict : found === line;
    });
  if (fits(from, false)) return place(from);
  for (let distance = 1; distance <= NEAR; distance++) {
    if (from - distance >= 1 && fits(from - distance, true)) return place(from - distance);
    if (fits(from + distance, true)) return place(from + distance);
  }
  return undefined;
};

/** What became of a comment's lines. */
export type CommentFate = "collected" | "waiting" | "touched" | "untouched";

/** `turnEndedAt`: when the last turn ended, if one has. */
export const fateOf = (
  { sentAt }: Comment,
  turnEndedAt: number | undefined,
  place: LineSpan | undefined,
): CommentFate => {
  if (sentAt === undefined) return "collected";
  if (place === undefined) return "touched";
  return turnEndedAt !== undefined && turnEndedAt > sentAt ? "untouched" : "waiting";
};

export const spanWords = ({ from, to }: LineSpan): string =>
  from === to ? WORDS.comment.line(from) : WORDS.comment.lines(from, to);
export const commentName = ({ from, to }: LineSpan): string =>
  from === to ? WORDS.comment.onLine(from) : WORDS.comment.onLines(from, to);

/** As many backticks as the text needs, so that no quoted line ends the quote. */
const fenceFor = (lines: readonly string[]): string => {
  const longest = lines.reduce((most, line) => Math.max(most, /^\s*(`{3,})/u.exec(line)?.[1]?.length ?? 0), 2);
  return "`".repeat(longest + 1);
};

const blockOf = ({ path, side, from, to, quote, text }: Comment): string => {
  const where = from === to ? `line ${from}` : `lines ${from}-${to}`;
  const was = side === "old" ? " (before the change)" : "";
  const shown = quote.slice(0, MOST_QUOTED);
  const fence = fenceFor(shown);
  const cut = quote.length > shown.length ? `\n… ${quote.length - shown.length} more lines` : "";
  return `${path}, ${where}${was}:\n${fence}\n${shown.join("\n")}${cut}\n${fence}\n${text.trim().slice(0, LONGEST_TEXT)}`;
};

/** One prompt with all comments, in the order of files and lines. */
export const reviewPrompt = (comments: readonly Comment[]): string => {
  const ordered = comments.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.from - b.from));
  const blocks = ordered.map(blockOf);
  if (blocks.length === 1) return `Address this comment:\n\n${blocks[0]!}`;
  return `Address these comments:\n\n${blocks.map((block, at) => `${at + 1}. ${block}`).join("\n\n")}`;
};

/** As the session names its files. */
export const withShownPaths = (comments: readonly Comment[], cwd: string | undefined): readonly Comment[] =>
  comments.map((comment) => ({ ...comment, path: shownPath(comment.path, cwd) }));

/** One question about a place, without the others. */
export const questionOf = (comment: Comment): string => blockOf(comment);

/** The whole review as Markdown: what was said, and the changes that it is about. */
export const reviewText = (comments: readonly Comment[], patch: string): string => {
  const said = comments.filter(({ draft }) => draft !== true);
  const fence = fenceFor(patch.split("\n"));
  const blocks = said.map((comment, at) => `${at + 1}. ${blockOf(comment)}\n`);
  const words = said.length === 0 ? "No comments.\n" : blocks.join("\n");
  return `# Review\n\n## Comments\n\n${words}\n## Changes\n\n${fence}diff\n${patch.replace(/\n$/u, "")}\n${fence}\n`;
};
