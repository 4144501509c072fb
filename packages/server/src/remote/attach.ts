// `quarterdeck attach`: a session of the server on a terminal, from its last prompts on. What is typed is sent; what is asked is asked here
// too. Leaving ends nothing.

import { createInterface } from "node:readline/promises";
import type { Interface } from "node:readline/promises";
import type { Client, SessionView } from "@quarterdeck/client";
import type { Paint } from "../terminal.ts";
import { Transcript } from "../transcript.ts";
import { UserError } from "../user-error.ts";
import { findSession, ready } from "./find-session.ts";
import { FollowedSession, inJson } from "./follow-session.ts";
import { Questions } from "./questions.ts";
import { explained, withClient } from "./remote-client.ts";
import type { RemoteOptions } from "./remote-client.ts";

export interface AttachOptions extends RemoteOptions {
  readonly session: string;
  /** So many prompts of the past, with what came of them. */
  readonly last: number;
  /** Shows what there is, and goes. */
  readonly follows: boolean;
  readonly json: boolean;
  readonly write: (text: string) => void;
  readonly say: (text: string) => void;
  readonly paint: Paint;
  readonly width: number;
  /** Where somebody types; nothing where nobody does. */
  readonly keyboard?: { readonly input: NodeJS.ReadableStream; readonly output: NodeJS.WritableStream };
  readonly signal: AbortSignal;
}

export const attach = (options: AttachOptions): Promise<number> =>
  withClient(options, async (client) => {
    const { json, write, say, paint, follows, keyboard, signal } = options;
    const { id, title, cwd, phase } = await findSession(client, options.session);
    const view = client.session(id);
    await ready(view);
    if (!json) say(`${paint("dim", `${title ?? id.slice(0, 8)}, ${phase}, in ${cwd}`)}\n`);
    const transcript = new Transcript(options);
    const followed = new FollowedSession({
      client,
      view,
      after: await placeOf(client, view, options.last),
      ...(json ? inJson(write) : { transcript }),
    });
    const stopTelling = client.onNotice(({ text, session = id }) => {
      if (session === id) say(`${text}\n`);
    });
    try {
      await followed.caughtUp();
      if (!follows) {
        transcript.end();
        return 0;
      }
      const typist = json || keyboard === undefined ? undefined : typing(client, view, keyboard, options);
      try {
        await Promise.race([aborted(signal), lost(client, view, say), ...(typist === undefined ? [] : [typist.left])]);
      } finally {
        typist?.close();
      }
      return 0;
    } finally {
      stopTelling();
      followed.stop();
    }
  });

/** The event before the last prompts. */
const placeOf = async (client: Client, view: SessionView, last: number): Promise<number> => {
  if (last === 0) return (await client.call("session/events", { session: view.id, seqs: [] })).lastSeq;
  const prompts = () => view.snapshot.rows.filter((row) => row.kind === "prompt" && row.parent === undefined);
  while (prompts().length < last && view.snapshot.more) await view.loadBefore();
  const first = prompts().at(-last);
  return first === undefined ? 0 : Math.min(...first.seqs) - 1;
};

const typing = (
  client: Client,
  view: SessionView,
  keyboard: NonNullable<AttachOptions["keyboard"]>,
  { say, paint }: AttachOptions,
) => {
  const terminal: Interface = createInterface(keyboard);
  const questions = new Questions(client, view, { kind: "ask", terminal });
  say(`${paint("dim", "Each line you type is sent. Ctrl-D leaves; the session goes on.")}\n`);
  terminal.on("line", (line) => {
    if (line.trim() === "") return;
    client.command("session/prompt", { session: view.id, content: line }).catch((error: unknown) => {
      say(`${paint("red", (explained(error) as Error).message)}\n`);
    });
  });
  // Ctrl-C leaves too, whoever has the keyboard.
  const left = new Promise<void>((resolve) => {
    terminal.on("close", () => resolve());
    terminal.on("SIGINT", () => resolve());
  });
  return {
    left,
    close: () => {
      questions.stop();
      terminal.close();
    },
  };
};

/** Says when the server is away and back; rejects when it is over. */
const lost = (client: Client, view: SessionView, say: (text: string) => void): Promise<never> =>
  new Promise((_, reject) => {
    let isAway = false;
    client.onState((state) => {
      if (state.status === "refused")
        reject(new UserError(`The server does not let this command in any more: ${state.reason}`));
      else if (state.status === "open" && isAway) say("The server is back.\n");
      else if (state.status === "waiting" && !isAway) say("The server is away; waiting for it.\n");
      isAway = state.status !== "open";
    });
    view.subscribe(() => {
      const { status, error } = view.snapshot;
      if (status === "failed") reject(new UserError(error?.message ?? "The session is gone."));
    });
  });

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
