// A session as a file: its events as the role sees them, one per line; as Markdown; or as one HTML page that works
// offline. Rows are read page by page, so that a long session needs no more memory than a short one.

import type { EventStore } from "@quarterdeck/host";
import type { Event } from "@quarterdeck/session";
import type { Role } from "@quarterdeck/session/bridge";
import { seenFact } from "@quarterdeck/session/bridge/seen-answers";
import { Translator } from "../ccpocket/translate.ts";
import type { Download } from "../http/contract.ts";
import type { Exported } from "./exported.ts";
import { htmlOf } from "./html.ts";
import { markdownOf } from "./markdown.ts";

export type ExportFormat = "ndjson" | "ccpocket" | "markdown" | "html";

const PAGE = 500;

export const exportEvents = (
  store: EventStore,
  session: string,
  format: "ndjson" | "ccpocket",
  role: Role,
): Download => ({
  name: `session-${session}.${format === "ndjson" ? "ndjson" : "ccpocket.jsonl"}`,
  mediaType: "application/x-ndjson",
  body: eventLines(store, session, format === "ndjson" ? (event) => [seenFact(event, role)] : pocketLines(session)),
});

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

async function* eventLines(
  store: EventStore,
  session: string,
  linesOf: (event: Event) => readonly unknown[],
): AsyncGenerator<string> {
  for (let after = 0; ;) {
    const events = store.read(session, after, PAGE);
    if (events.length === 0) return;
    yield events.flatMap((event) => linesOf(event).map((line) => `${JSON.stringify(line)}\n`)).join("");
    after = events.at(-1)!.seq;
    // Other work can run between two pages.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export const exportRows = (exported: Exported, format: "markdown" | "html"): Download => {
  const [ending, mediaType, pieces] =
    format === "markdown"
      ? ["md", "text/markdown; charset=utf-8", markdownOf(exported)]
      : ["html", "text/html; charset=utf-8", htmlOf(exported)];
  return { name: `session-${exported.id}.${ending}`, mediaType, body: inTurns(pieces) };
};

async function* inTurns(pieces: Iterable<string>): AsyncGenerator<string> {
  let gathered = "";
  for (const piece of pieces) {
    gathered += piece;
    if (gathered.length < 65_536) continue;
    yield gathered;
    gathered = "";
    await new Promise((resolve) => setImmediate(resolve));
  }
  yield gathered;
}
