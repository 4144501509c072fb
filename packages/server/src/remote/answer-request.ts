// `quarterdeck approve` and `quarterdeck deny`: what is answered is shown, and what is not named is asked about first.

import { createInterface } from "node:readline/promises";
import type { Client } from "@quarterdeck/client";
import { readToolInput } from "@quarterdeck/protocol";
import type { OpenRequest } from "@quarterdeck/session";
import type { SessionSummary } from "@quarterdeck/session/bridge";
import { chosenOf, sessionRules } from "../ask-person.ts";
import type { PersonsAnswer } from "../ask-person.ts";
import { requestLines } from "../request-lines.ts";
import type { Paint } from "../terminal.ts";
import { UserError } from "../user-error.ts";
import { respond } from "./bridge-answer.ts";
import { everySession, findRequest, openRequests } from "./find-session.ts";
import { withClient } from "./remote-client.ts";
import type { RemoteOptions } from "./remote-client.ts";

export type Decision =
  | {
      readonly kind: "allow";
      readonly forSession: boolean;
      /** One for each question, in order. */
      readonly answers: readonly string[];
    }
  | { readonly kind: "deny"; readonly message: string; readonly interrupt: boolean };

export interface AnswerOptions extends RemoteOptions {
  /** A session, or a request; nothing shows what waits. */
  readonly wanted?: string;
  readonly request?: string;
  readonly decision: Decision;
  readonly json: boolean;
  readonly write: (text: string) => void;
  readonly paint: Paint;
  readonly width: number;
  /** Somebody is at the terminal. */
  readonly interactive: boolean;
  readonly signal: AbortSignal;
}

export const answerRequest = (options: AnswerOptions): Promise<number> =>
  withClient(options, async (client) => {
    const { wanted, request, decision, json, write } = options;
    if (wanted === undefined) return showWaiting(client, options);
    const { session, open, isNamed } = await findRequest(client, wanted, request);
    const answer = answerOf(open, decision);
    if (!json) show(open, options);
    // Without its name this could be another one than was meant; so it is shown first.
    if (!isNamed && !(await isMeant(options))) return 1;
    const outcome = await respond(client, session.id, open, answer);
    const { by } = outcome;
    const done = decision.kind === "deny" ? "Denied" : "Allowed";
    write(
      json
        ? `${JSON.stringify({ session: session.id, request: open.id, answer: answer.kind, ...outcome })}\n`
        : `${done} by ${by.name ?? by.id}.\n`,
    );
    return 0;
  });

const showWaiting = async (client: Client, options: AnswerOptions): Promise<number> => {
  const sessions = await everySession(client, "waiting");
  const all: { session: SessionSummary; open: OpenRequest }[] = [];
  for (const session of sessions)
    for (const open of await openRequests(client, session.id)) all.push({ session, open });
  const { json, write, paint, decision } = options;
  if (json)
    write(
      `${JSON.stringify(
        all.map(({ session, open }) => ({ session: session.id, ...open })),
        null,
        2,
      )}\n`,
    );
  else if (all.length === 0) write("Nothing waits for you.\n");
  for (const { session, open } of json ? [] : all) {
    const verb = decision.kind === "deny" ? "deny" : "approve";
    write(`${paint("bold", session.title ?? session.id.slice(0, 8))}  ${paint("dim", session.cwd)}\n`);
    show(open, options);
    write(`${paint("dim", `quarterdeck ${verb} ${open.id.slice(0, 8)}`)}\n\n`);
  }
  return 0;
};

const show = ({ request }: OpenRequest, { write, paint, width }: AnswerOptions): void => {
  for (const line of requestLines(request, { paint, width, cwd: undefined, isKnown: false })) write(`${line}\n`);
};

const answerOf = ({ kind, request }: OpenRequest, decision: Decision): PersonsAnswer => {
  if (kind === "dialog") throw new UserError("This dialog can only be answered in the page.");
  if (kind === "elicitation") {
    if (decision.kind === "deny") return { kind: "declined" };
    throw new UserError(
      "This asks for a form to be filled in, which is done in the page. `quarterdeck deny` declines it.",
    );
  }
  if (decision.kind === "deny") {
    const { message, interrupt } = decision;
    return { kind: "deny", message, ...(interrupt && { interrupt }) };
  }
  if (request.subtype !== "can_use_tool") throw new UserError("This cannot be answered from a terminal.");
  const call = readToolInput(request.tool_name, request.input);
  if (call.tool === "AskUserQuestion") {
    const { questions } = call.input;
    if (decision.answers.length !== questions.length)
      throw new UserError(
        `This asks ${String(questions.length)} ${questions.length === 1 ? "question" : "questions"}: give --answer for each, in order; a number, or words.`,
      );
    return {
      kind: "answers",
      answers: Object.fromEntries(
        questions.map((question, index) => [question.question, chosenOf(question, decision.answers[index]!)]),
      ),
    };
  }
  if (decision.answers.length > 0) throw new UserError("This is no question: leave --answer out.");
  const rules = decision.forSession ? sessionRules(request.permission_suggestions ?? []) : [];
  if (decision.forSession && rules.length === 0)
    throw new UserError("The CLI suggests nothing to allow for this session: leave --for-session out.");
  return { kind: "allow", ...(rules.length > 0 && { updatedPermissions: rules }) };
};

const isMeant = async ({ interactive, decision, signal }: AnswerOptions): Promise<boolean> => {
  if (!interactive) throw new UserError("In a script, name the request too: `quarterdeck ls` shows its id.");
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const typed = await terminal.question(`${decision.kind === "deny" ? "Deny" : "Allow"} this? y or n: `, { signal });
    return /^y(es)?$/iu.test(typed.trim());
  } finally {
    terminal.close();
  }
};
