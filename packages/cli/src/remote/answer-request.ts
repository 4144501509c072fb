// `quarterdeck approve` and `quarterdeck deny`: show the whole request before it is answered. On a terminal it is shown
// to its end, then confirmed. A script names the request, and gets all of it on its output.

import type { Client } from "@quarterdeck/client";
import { readToolInput } from "@quarterdeck/protocol";
import type { OpenRequest } from "@quarterdeck/session";
import type { SessionSummary } from "@quarterdeck/session/bridge";
import { chosenOf, sessionRules } from "../terminal/ask-person.ts";
import type { PersonsAnswer } from "../terminal/ask-person.ts";
import { showToEnd } from "../terminal/pager.ts";
import { openKeyboard } from "../terminal/printer.ts";
import { jsonText } from "../terminal/terminal.ts";
import type { Paint } from "../terminal/terminal.ts";
import { oneLine } from "../terminal/tool-lines.ts";
import { UserError } from "../user-error.ts";
import { terminalRowsOf, wholeRequest } from "../terminal/whole-request.ts";
import type { TrueLine } from "../terminal/whole-request.ts";
import { fetchPreview, respond } from "./bridge-answer.ts";
import { everySession, findRequest, openRequests } from "./find-session.ts";
import type { FoundRequest } from "./find-session.ts";
import { withClient } from "./remote-client.ts";
import type { RemoteOptions } from "./remote-client.ts";

export type GivenDecision =
  | {
      readonly kind: "allow";
      readonly forSession: boolean;
      /** One answer per question, in order. */
      readonly answers: readonly string[];
    }
  | { readonly kind: "deny"; readonly message: string; readonly interrupt: boolean };

export interface AnswerOptions extends RemoteOptions {
  /** A session or a request. Without it, open requests are listed. */
  readonly wanted?: string;
  readonly request?: string;
  readonly decision: GivenDecision;
  readonly json: boolean;
  readonly write: (text: string) => void;
  readonly paint: Paint;
  readonly columns: number;
  /** A person is at the terminal. */
  readonly interactive: boolean;
  readonly signal: AbortSignal;
}

export const answerRequest = (options: AnswerOptions): Promise<number> =>
  withClient(options, async (client) => {
    const { wanted, request, decision, interactive } = options;
    if (wanted === undefined) return showWaiting(client, options);
    const found = await findRequest(client, wanted, request);
    const answer = answerOf(found.open, decision);
    if (options.json) return answerInJson(client, found, answer, options);
    const whole = await wholeOf(client, found.session.id, found.open, answer);
    const asks = interactive && (decision.kind === "allow" || !found.isNamed);
    if (asks && !(await isMeant(whole, options))) return 1;
    if (!asks) writeAll(whole, options);
    if (!asks && !found.isNamed) throw unnamed();
    const { by } = await respond(client, found.session.id, found.open, answer);
    options.write(`${decision.kind === "deny" ? "Denied" : "Allowed"} by ${by.name ?? by.id}.\n`);
    return 0;
  });

/** One object: the request is written before it is answered, and the outcome after that. */
const answerInJson = async (
  client: Client,
  { session, open, isNamed }: FoundRequest,
  answer: PersonsAnswer,
  { write }: AnswerOptions,
): Promise<number> => {
  if (!isNamed) throw unnamed();
  write(jsonText({ session: session.id, request: open.id, asked: open.request }).slice(0, -1));
  try {
    const outcome = await respond(client, session.id, open, answer);
    write(`,${jsonText({ answer: answer.kind, ...outcome }).slice(1, -1)}`);
    return 0;
  } finally {
    write("}\n");
  }
};

const unnamed = (): UserError => new UserError("In a script, name the request too. `quarterdeck ls` shows its id.");

const wholeOf = async (client: Client, session: string, open: OpenRequest, answer?: PersonsAnswer) =>
  wholeRequest(open.request, {
    preview: await fetchPreview(client, session, open),
    rules: answer?.kind === "allow" ? answer.updatedPermissions : undefined,
  });

const writeAll = (whole: readonly TrueLine[], { write, ...looks }: AnswerOptions): void => {
  for (const row of terminalRowsOf(whole, looks)) write(`${row}\n`);
};

const showWaiting = async (client: Client, options: AnswerOptions): Promise<number> => {
  const sessions = await everySession(client, "waiting");
  const all: { session: SessionSummary; open: OpenRequest }[] = [];
  for (const session of sessions)
    for (const open of await openRequests(client, session.id)) all.push({ session, open });
  const { json, write, paint, decision } = options;
  if (json)
    write(
      `${jsonText(
        all.map(({ session, open }) => ({ session: session.id, ...open })),
        2,
      )}\n`,
    );
  else if (all.length === 0) write("No session needs you.\n");
  for (const { session, open } of json ? [] : all) {
    const verb = decision.kind === "deny" ? "deny" : "approve";
    const title = oneLine(session.title ?? session.id.slice(0, 8));
    write(`${paint("bold", title)}  ${paint("dim", oneLine(session.cwd))}\n`);
    writeAll(await wholeOf(client, session.id, open), options);
    write(`${paint("dim", `quarterdeck ${verb} ${open.id.slice(0, 8)}`)}\n\n`);
  }
  return 0;
};

const answerOf = ({ kind, request }: OpenRequest, decision: GivenDecision): PersonsAnswer => {
  if (kind === "dialog") throw new UserError("This dialog can be answered only on the page.");
  if (kind === "elicitation") {
    if (decision.kind === "deny") return { kind: "declined" };
    throw new UserError("This request is a form. Fill it in on the page, or decline it with `quarterdeck deny`.");
  }
  if (decision.kind === "deny") {
    const { message, interrupt } = decision;
    return { kind: "deny", message, ...(interrupt && { interrupt }) };
  }
  if (request.subtype !== "can_use_tool")
    throw new UserError("This request cannot be answered from a terminal. Answer it on the page.");
  const call = readToolInput(request.tool_name, request.input);
  if (call.tool === "AskUserQuestion") {
    const { questions } = call.input;
    if (decision.answers.length !== questions.length)
      throw new UserError(
        `This request asks ${String(questions.length)} ${questions.length === 1 ? "question" : "questions"}. Use --answer for each one, in order, with a number or words.`,
      );
    return {
      kind: "answers",
      answers: Object.fromEntries(
        questions.map((question, index) => [question.question, chosenOf(question, decision.answers[index]!)]),
      ),
    };
  }
  if (decision.answers.length > 0) throw new UserError("This request is not a question. Omit --answer.");
  const rules = decision.forSession ? sessionRules(request.permission_suggestions ?? []) : [];
  if (decision.forSession && rules.length === 0)
    throw new UserError("The CLI suggests no rule for this session. Omit --for-session.");
  return { kind: "allow", ...(rules.length > 0 && { updatedPermissions: rules }) };
};

/** Only a person who has seen the end can say yes. */
const isMeant = async (whole: readonly TrueLine[], { decision, signal }: AnswerOptions): Promise<boolean> => {
  const keyboard = openKeyboard();
  try {
    const isRead = await showToEnd(keyboard, whole, signal);
    if (!isRead && decision.kind === "allow") {
      keyboard.show("Nothing was allowed: you stopped before the end.\n");
      return false;
    }
    const typed = await keyboard.ask(`${decision.kind === "deny" ? "Deny" : "Allow"} this? y or n: `, signal);
    return /^y(es)?$/iu.test(typed.trim());
  } finally {
    keyboard.close();
  }
};
