// A session as a file: its events as the role sees them, one per line; as Markdown; or as one HTML page that works
// offline. Rows are read page by page, so that a long session needs no more memory than a short one.

import type { EventStore } from "@quarterdeck/host";
import type { Event, Row } from "@quarterdeck/session";
import type { Role } from "@quarterdeck/session/bridge";
import { seenFact } from "@quarterdeck/session/bridge/seen-answers";
import { Translator } from "../ccpocket/translate.ts";
import type { Download } from "../http/contract.ts";
import type { Exported } from "./exported.ts";
import { htmlOf } from "./html.ts";
import { markdownOf } from "./markdown.ts";
import { cleanJson, cleanWords, Findings, textsInJson, textsOf } from "./redaction.ts";
import { chosenWords } from "./row-words.ts";
import type { ExportPart, RowWords } from "./row-words.ts";

export type ExportFormat = "ndjson" | "ccpocket" | "markdown" | "html";

const PAGE = 500;

/** What a person chose for an export. */
export interface ExportChoice {
  readonly without?: readonly ExportPart[] | undefined;
  /** Removes secrets, except those with these ids. Without it nothing is removed. */
  readonly redact?: { readonly keep: readonly string[] } | undefined;
}

export const exportEvents = (
  store: EventStore,
  session: string,
  format: "ndjson" | "ccpocket",
  role: Role,
  { redact }: ExportChoice = {},
): Download => {
  const linesOf = format === "ndjson" ? (event: Event) => [seenFact(event, role)] : pocketLines(session);
  return {
    name: `session-${session}.${format === "ndjson" ? "ndjson" : "ccpocket.jsonl"}`,
    mediaType: "application/x-ndjson",
    body:
      redact === undefined
        ? textLines(linesIn(store, session, linesOf))
        : cleanLines(store, session, linesOf, redact.keep),
  };
};

/** Records a session like ccpocket's own bridge, so that its app can replay it. */
const pocketLines = (sessionId: string): ((event: Event) => readonly unknown[]) => {
  const translator = new Translator();
  return (event) =>
    translator.messagesOf(event).map((message) => ({
      ts: new Date(event.at).toISOString(),
      direction: "outgoing",
      message: { ...message, sessionId, historySeq: event.seq },
    }));
};

type LinesOf = (event: Event) => readonly unknown[];

/** The lines of each page of events. Other work can run between two pages. */
async function* linesIn(store: EventStore, session: string, linesOf: LinesOf): AsyncGenerator<readonly unknown[]> {
  for (let after = 0; ;) {
    const events = store.read(session, after, PAGE);
    if (events.length === 0) return;
    yield events.flatMap(linesOf);
    after = events.at(-1)!.seq;
    await otherWork();
  }
}

async function* textLines(pages: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  for await (const lines of pages) yield lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

async function* cleanLines(
  store: EventStore,
  session: string,
  linesOf: LinesOf,
  keep: readonly string[],
): AsyncGenerator<string> {
  const findings = new Findings();
  for await (const lines of linesIn(store, session, (event) => [event])) findings.add("", textsInJson(lines));
  const clean = findings.remover(keep);
  for await (const lines of linesIn(store, session, linesOf))
    yield lines.map((line) => `${JSON.stringify(cleanJson(line, clean))}\n`).join("");
}

const otherWork = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Rows that can be read more than once. */
export type ExportSource = Omit<Exported, "rows"> & { readonly rows: Iterable<Row> };

export const exportRows = (source: ExportSource, format: "markdown" | "html", choice: ExportChoice = {}): Download => {
  const [ending, mediaType, write] =
    format === "markdown"
      ? (["md", "text/markdown; charset=utf-8", markdownOf] as const)
      : (["html", "text/html; charset=utf-8", htmlOf] as const);
  return { name: `session-${source.id}.${ending}`, mediaType, body: written(source, choice, write) };
};

async function* written(
  source: ExportSource,
  { without = [], redact }: ExportChoice,
  write: (exported: Exported) => Iterable<string>,
): AsyncGenerator<string> {
  const left = new Set(without);
  if (redact === undefined) {
    yield* inTurns(write({ ...source, rows: wordsIn(source.rows, left) }));
    return;
  }
  const clean = (await secretsOf(source)).remover(redact.keep);
  const rows = wordsIn(source.rows, left, (words) => cleanWords(words, clean));
  yield* inTurns(write({ ...source, title: clean(source.title), cwd: clean(source.cwd), rows }));
}

const wordsIn = (
  rows: Iterable<Row>,
  without: ReadonlySet<ExportPart>,
  change: (words: RowWords) => RowWords = (words) => words,
): Iterable<RowWords> => ({
  *[Symbol.iterator]() {
    for (const row of rows) {
      const words = chosenWords(row, without);
      if (words !== undefined) yield change(words);
    }
  },
});

/** The secrets in everything that an export can contain. */
export const secretsOf = async ({ title, rows }: Pick<ExportSource, "title" | "rows">): Promise<Findings> => {
  const findings = new Findings();
  let read = 0;
  for (const row of rows) {
    const words = chosenWords(row, new Set());
    if (words !== undefined) findings.add(row.id, textsOf(words));
    if (++read % PAGE === 0) await otherWork();
  }
  findings.add("", [title]);
  return findings;
};

async function* inTurns(pieces: Iterable<string>): AsyncGenerator<string> {
  let gathered = "";
  for (const piece of pieces) {
    gathered += piece;
    if (gathered.length < 65_536) continue;
    yield gathered;
    gathered = "";
    await otherWork();
  }
  yield gathered;
}
