// `quarterdeck attach`: a session of the server on a terminal, starting with its last prompts. Typed text is sent, and
// requests are asked here too. Leaving ends nothing.

import type { Client, SessionView } from "@quarterdeck/client";
import { HeldOutput } from "../terminal/held-output.ts";
import { openKeyboard } from "../terminal/printer.ts";
import type { KeyboardStreams } from "../terminal/printer.ts";
import { clip } from "../terminal/terminal.ts";
import type { SessionOutput } from "../terminal/terminal.ts";
import { oneLine } from "../terminal/tool-lines.ts";
import { Printout } from "../terminal/printout.ts";
import { UserError } from "../user-error.ts";
import { isOver, isResting } from "@quarterdeck/session";
import type { SessionSummary } from "@quarterdeck/session/bridge";
import { everySession, findSession, ready } from "./find-session.ts";
import { followInJson, followInText } from "./follow-session.ts";
import type { SessionFollower } from "./follow-session.ts";
import { Questions } from "./questions.ts";
import { explained, withClient } from "./remote-client.ts";
import type { RemoteOptions } from "./remote-client.ts";

export interface AttachOptions extends RemoteOptions, SessionOutput {
  /** Undefined: a person picks one from the list. */
  readonly session: string | undefined;
  /** The session that was used last. */
  readonly newest?: boolean;
  /** How many past prompts to show, with their turns. */
  readonly last: number;
  /** False: show the past and exit. */
  readonly follows: boolean;
  /** The size of the terminal now. Default: that of the start. */
  readonly sizeNow?: () => { readonly width: number; readonly columns: number };
  /** Where the person types. Default: this terminal. */
  readonly streams?: KeyboardStreams;
}

export const attach = (options: AttachOptions): Promise<number> =>
  withClient(options, async (client) => {
    const { json, write, paint, follows, interactive, signal } = options;
    const output = new HeldOutput();
    const say = output.through(options.say);
    const chosen = await chosenSession(client, options);
    if (chosen === undefined) return 1;
    const { id, title, cwd } = chosen;
    const view = client.session(id);
    await ready(view);
    const about = clip(oneLine(`${title ?? id.slice(0, 8)}, ${stateOf(chosen)}, in ${cwd}`), options.width);
    if (!json) say(`${paint("dim", about)}\n`);
    const asksHere = interactive && !json && follows;
    const sizeNow = options.sizeNow ?? (() => ({ width: options.width, columns: options.columns ?? Infinity }));
    const printout = new Printout({
      paint,
      write: output.through(write),
      showsRequests: !asksHere,
      get width() {
        return sizeNow().width;
      },
      get columns() {
        return sizeNow().columns;
      },
    });
    const place = await startOf(client, view, options.last);
    const follower = json
      ? followInJson({ client, view, after: place.seq, write })
      : followInText(view, printout, place.order);
    const stopTelling = client.onNotice(({ text, session = id }) => {
      if (session === id) say(`${oneLine(text)}\n`);
    });
    try {
      await follower.caughtUp();
      if (!follows) {
        printout.end();
        return 0;
      }
      const typist = asksHere ? typing(client, view, follower, output, { ...options, say }) : undefined;
      try {
        await Promise.race([aborted(signal), lost(client, view, say), ...(typist === undefined ? [] : [typist.left])]);
      } finally {
        typist?.close();
      }
      return 0;
    } finally {
      stopTelling();
      follower.stop();
    }
  });

/** Named, or used last, or picked by a person. Undefined if they pick none. */
const chosenSession = async (client: Client, options: AttachOptions): Promise<SessionSummary | undefined> => {
  const { session, newest = false, interactive, json, streams, signal, say } = options;
  if (session !== undefined) return findSession(client, session);
  const live = await everySession(client, "live");
  const sessions = (live.length > 0 && !newest ? live : await everySession(client)).filter(({ archived }) => !archived);
  if (sessions.length === 0) throw new UserError("No sessions yet. Start one with `quarterdeck run` or on the page.");
  if (newest) return sessions.toSorted((a, b) => b.updatedAt - a.updatedAt)[0];
  const keyboard = interactive && !json ? openKeyboard({ ...(streams !== undefined && { streams }) }) : undefined;
  try {
    if (keyboard?.pick === undefined)
      throw new UserError("Name a session: the start of its id, or its title. --last selects the newest one.");
    say("Which session? Arrows or digits, then Enter. Esc leaves.\n");
    const picked = await keyboard.pick({ options: sessions.map(lineOf) }, signal);
    return picked.kind === "options" ? sessions[picked.at[0]!] : undefined;
  } finally {
    keyboard?.close();
  }
};

const stateOf = ({ phase, waiting }: SessionSummary): string => (waiting.length > 0 ? "needs you" : phase);

const lineOf = (session: SessionSummary): string => {
  const { id, title, cwd } = session;
  return [id.slice(0, 8), stateOf(session), title ?? "(no title)", cwd].map(oneLine).join("  ");
};

/** The last row and the last fact before the last prompts. */
const startOf = async (client: Client, view: SessionView, last: number): Promise<{ order: number; seq: number }> => {
  if (last === 0) {
    const { lastSeq } = await client.call("session/events", { session: view.id, seqs: [] });
    return { order: view.snapshot.rows.at(-1)?.order ?? 0, seq: lastSeq };
  }
  const prompts = () => view.snapshot.rows.filter((row) => row.kind === "prompt" && row.parent === undefined);
  while (prompts().length < last && view.snapshot.more) await view.loadBefore();
  const first = prompts().at(-last);
  return first === undefined ? { order: 0, seq: 0 } : { order: first.order - 1, seq: Math.min(...first.seqs) - 1 };
};

const HINTS = [
  "Each line you type is sent; a pasted text is one prompt.",
  "Press Ctrl-D to leave; the session continues.",
];

const typing = (
  client: Client,
  view: SessionView,
  follower: SessionFollower,
  output: HeldOutput,
  { say, paint, streams }: AttachOptions,
) => {
  const left = Promise.withResolvers<void>();
  // Ctrl-C leaves too, also during a question.
  const keyboard = openKeyboard({ onInterrupt: left.resolve, ...(streams !== undefined && { streams }) });
  keyboard.onClose(left.resolve);
  const caughtUp = () => follower.caughtUp();
  const questions = new Questions(client, view, { kind: "ask", keyboard, output, caughtUp });
  say(`\n${HINTS.map((hint) => `${paint("dim", hint)}\n`).join("")}`);
  keyboard.onTyping({
    begins: () => output.typing(() => keyboard.show("\n")),
    ends: () => output.typed(),
    // During a turn, a prompt is shown when its own turn begins.
    comesBack: () => {
      const { phase } = view.snapshot.head;
      return isResting(phase) || isOver(phase);
    },
  });
  keyboard.onLine((line) => {
    if (line.trim() === "") return;
    client.command("session/prompt", { session: view.id, content: line }).catch((error: unknown) => {
      say(`${paint("red", oneLine((explained(error) as Error).message))}\n`);
    });
  });
  return {
    left: left.promise,
    close: () => {
      questions.stop();
      keyboard.close();
    },
  };
};

/** Reports when the server is away and back. Rejects when the connection is over. */
const lost = (client: Client, view: SessionView, say: (text: string) => void): Promise<never> =>
  new Promise((_, reject) => {
    let isAway = false;
    client.onState((state) => {
      if (state.status === "refused") reject(new UserError(`The server refused the connection: ${state.reason}`));
      else if (state.status === "open" && isAway) say("The server is back.\n");
      else if (state.status === "waiting" && !isAway) say("The connection to the server is lost. Reconnecting.\n");
      isAway = state.status !== "open";
    });
    view.subscribe(() => {
      const { status, error } = view.snapshot;
      if (status === "failed") reject(new UserError(error?.message ?? "The session no longer exists."));
    });
  });

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
