// Commands that steer the sessions of a running server: `ls`, `attach`, `send`, `approve`, `deny`. Clients like any other, with the
// role of this computer.

import { createInterface } from "node:readline/promises";
import { BridgeError } from "@quarterdeck/client";
import type { Client, SessionView } from "@quarterdeck/client";
import type { OpenRequest } from "@quarterdeck/session";
import type { SessionSummary } from "@quarterdeck/session/bridge";
import { sessionRules } from "../ask-person.ts";
import { requestLines } from "../request-lines.ts";
import { clip } from "../terminal.ts";
import type { Paint } from "../terminal.ts";
import { oneLine } from "../tool-lines.ts";
import { Transcript } from "../transcript.ts";
import { UserError } from "../user-error.ts";
import { respond } from "./bridge-answer.ts";
import { FollowedSession } from "./follow-session.ts";
import { needServer } from "./local-client.ts";

export interface SteerOptions {
  readonly dataDir: string;
  readonly version: string;
  readonly write: (text: string) => void;
  readonly paint: Paint;
  readonly width: number;
  /** Somebody is at the terminal. */
  readonly interactive: boolean;
  readonly signal: AbortSignal;
}

export const listSessions = (
  options: SteerOptions & { readonly json: boolean; readonly all: boolean },
): Promise<number> =>
  asClient(options, async (client) => {
    const { sessions } = await client.call("sessions/list", { limit: 500, state: options.all ? "all" : "live" });
    if (options.json) options.write(`${JSON.stringify(sessions, null, 2)}\n`);
    else if (sessions.length === 0) {
      options.write(
        options.all ? "No sessions yet.\n" : "No session has a process. `quarterdeck ls --all` shows every one.\n",
      );
    } else for (const session of sessions) options.write(sessionLines(session, options));
    return 0;
  });

const sessionLines = (
  { id, phase, title, lastText, cwd, waiting, costUsd }: SessionSummary,
  { paint, width }: SteerOptions,
): string => {
  const head = `${paint("bold", id.slice(0, 8))}  ${phase.padEnd(10)}`;
  const about = clip(oneLine(title ?? lastText ?? ""), Math.max(20, width - 50));
  const lines = waiting.map(({ id: request, about: what, tool }) =>
    paint("yellow", `          waits: ${clip(oneLine(`${tool ?? ""} ${what}`), width - 40)}  (${request.slice(0, 8)})`),
  );
  return [`${head}${about}  ${paint("dim", `${cwd}  $${costUsd.toFixed(2)}`)}`, ...lines].join("\n") + "\n";
};

export const sendPrompt = (
  options: SteerOptions & { readonly session: string; readonly prompt: string },
): Promise<number> =>
  asClient(options, async (client) => {
    const { id } = await found(client, options.session);
    await client.command("session/prompt", { session: id, content: options.prompt });
    options.write(`Sent to ${id.slice(0, 8)}.\n`);
    return 0;
  });

export interface AnswerOptions extends SteerOptions {
  readonly session: string;
  readonly request?: string;
  readonly answer:
    | { readonly kind: "allow"; readonly forSession: boolean }
    | { readonly kind: "deny"; readonly message: string };
}

export const answerRequest = (options: AnswerOptions): Promise<number> =>
  asClient(options, async (client) => {
    const { id } = await found(client, options.session);
    const view = client.session(id);
    await ready(view);
    const open = requestOf(view.snapshot.head.requests.filter(isForPeople), options.request);
    const looks = { paint: options.paint, width: options.width, cwd: undefined, isKnown: false };
    for (const line of requestLines(open.request, looks)) options.write(`${line}\n`);
    // Without its name this could be another one than was meant; so it is shown first.
    if (options.request === undefined && !(await isMeant(options))) return 1;
    const { answer } = options;
    const { request } = open;
    const suggestions = request.subtype === "can_use_tool" ? (request.permission_suggestions ?? []) : [];
    const { by } = await respond(
      client,
      id,
      open,
      answer.kind === "deny"
        ? answer
        : { kind: "allow", ...(answer.forSession && { updatedPermissions: sessionRules(suggestions) }) },
    );
    options.write(`${answer.kind === "deny" ? "Denied" : "Allowed"} by ${by.name ?? by.id}.\n`);
    return 0;
  });

const requestOf = (requests: readonly OpenRequest[], wanted: string | undefined): OpenRequest => {
  if (requests.length === 0) throw new UserError("Nothing waits for an answer in this session.");
  const matching = wanted === undefined ? requests : requests.filter(({ id }) => id.startsWith(wanted));
  if (matching.length === 1) return matching[0]!;
  const names = requests.map(({ id }) => id.slice(0, 8)).join(", ");
  throw new UserError(`Which one? These wait: ${names}.`);
};

const isForPeople = ({ kind }: OpenRequest): boolean => kind !== "hook" && kind !== "mcp";

const isMeant = async ({ interactive, answer, signal }: AnswerOptions): Promise<boolean> => {
  if (!interactive) {
    throw new UserError("In a script, name the request too: `quarterdeck ls` shows its id.");
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const typed = await terminal.question(`${answer.kind === "deny" ? "Deny" : "Allow"} this? y or n: `, { signal });
    return /^y(es)?$/iu.test(typed.trim());
  } finally {
    terminal.close();
  }
};

export const attach = (options: SteerOptions & { readonly session: string; readonly json: boolean }): Promise<number> =>
  asClient(options, async (client) => {
    const { id } = await found(client, options.session);
    const view = client.session(id);
    await ready(view);
    const lastPrompt = view.snapshot.rows.findLast((row) => row.kind === "prompt");
    const session = new FollowedSession({
      client,
      view,
      after: (lastPrompt?.seqs[0] ?? 1) - 1,
      ...(!options.json && { transcript: new Transcript(options) }),
      onEvent: (event) => {
        if (options.json) options.write(`${JSON.stringify(event)}\n`);
      },
    });
    const typing = options.interactive && !options.json ? typed(client, id, options.signal) : undefined;
    await (typing ?? aborted(options.signal));
    session.stop();
    return 0;
  });

/** Each line is a prompt, until the end of input. */
const typed = async (client: Client, session: string, signal: AbortSignal): Promise<void> => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr, signal });
  process.stderr.write("Each line you type is sent. Ctrl-D leaves; the session goes on.\n");
  for await (const line of terminal) {
    if (line.trim() !== "") await client.command("session/prompt", { session, content: line });
  }
};

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

/** By the beginning of its id, or by its title. */
export const found = async (client: Client, wanted: string): Promise<SessionSummary> => {
  const { sessions } = await client.call("sessions/list", { limit: 500, state: "all" });
  const matching = sessions.filter(({ id, title }) => id.startsWith(wanted) || title === wanted);
  if (matching.length === 1) return matching[0]!;
  throw new UserError(
    matching.length === 0
      ? `There is no session ${wanted} here.`
      : `${wanted} means ${String(matching.length)} sessions: give more of the id.`,
  );
};

/** Resolves when the session is there, rejects where it cannot be had. */
export const ready = (view: SessionView): Promise<void> =>
  new Promise((resolve, reject) => {
    const look = (): void => {
      const { status, error } = view.snapshot;
      if (status === "loading") return;
      stop();
      if (status === "ready") resolve();
      else reject(new UserError(error?.message ?? "The session cannot be opened."));
    };
    const stop = view.subscribe(look);
    look();
  });

const asClient = async (options: SteerOptions, work: (client: Client) => Promise<number>): Promise<number> => {
  const client = await needServer(options);
  try {
    return await work(client);
  } catch (error) {
    throw error instanceof BridgeError ? new UserError(error.message) : error;
  } finally {
    client.close();
  }
};
