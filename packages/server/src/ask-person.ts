// Asks a person at a terminal what the CLI asks. What is typed becomes an answer of our own, which is then put into the words of
// whoever hands it on: the host, or a server.

import type { Interface } from "node:readline/promises";
import { answerQuestions, readToolInput } from "@quarterdeck/protocol";
import type { PermissionSuggestion, PermissionUpdate, Question } from "@quarterdeck/protocol";
import type { Answer } from "@quarterdeck/host";
import type { OpenRequest } from "@quarterdeck/session";

export type PersonsAnswer =
  | { readonly kind: "allow"; readonly updatedPermissions?: readonly PermissionUpdate[] }
  | { readonly kind: "deny"; readonly message: string; readonly interrupt?: boolean }
  /** By the question's text. */
  | { readonly kind: "answers"; readonly answers: Readonly<Record<string, readonly string[]>> }
  /** A terminal has no form for it. */
  | { readonly kind: "declined" };

/** Rejects with an AbortError where the request is over while it is asked. */
export const askPerson = async (
  terminal: Interface,
  { request }: OpenRequest,
  signal?: AbortSignal,
): Promise<PersonsAnswer> => {
  if (request.subtype !== "can_use_tool") return { kind: "declined" };
  const ask = async (text: string): Promise<string> =>
    (await terminal.question(`    ${text}: `, signal === undefined ? {} : { signal })).trim();
  const call = readToolInput(request.tool_name, request.input);
  if (call.tool === "AskUserQuestion") {
    const answers: Record<string, string[]> = {};
    for (const question of call.input.questions) {
      const { header = "Answer", multiSelect } = question;
      const typed = await ask(`${header}: number${multiSelect === true ? "s" : ""} or your own words`);
      answers[question.question] = chosenOf(question, typed);
    }
    return { kind: "answers", answers };
  }
  const updates = sessionRules(request.permission_suggestions ?? []);
  const always = updates.length > 0 ? ", a = allow for this session" : "";
  const typed = await ask(`y = allow${always}, n = deny, or a reason to deny`);
  if (/^y(es)?$/i.test(typed)) return { kind: "allow" };
  if (/^a(lways)?$/i.test(typed) && updates.length > 0) return { kind: "allow", updatedPermissions: updates };
  return { kind: "deny", message: /^n?o?$/i.test(typed) ? "The user declined." : typed };
};

/** In a script nobody can be asked: what would be done is refused. */
export const nobodysAnswer = ({ request }: OpenRequest): PersonsAnswer =>
  request.subtype === "can_use_tool"
    ? { kind: "deny", message: "Nobody is here to answer: this runs in a script." }
    : { kind: "declined" };

/** As the host takes it. */
export const hostAnswerOf = ({ request }: OpenRequest, answer: PersonsAnswer): Answer => {
  switch (answer.kind) {
    case "allow": {
      const { updatedPermissions } = answer;
      return { behavior: "allow", ...(updatedPermissions !== undefined && { updatedPermissions }) };
    }
    case "deny":
      return { behavior: "deny", message: answer.message };
    case "answers": {
      const call = request.subtype === "can_use_tool" ? readToolInput(request.tool_name, request.input) : undefined;
      if (call?.tool !== "AskUserQuestion") throw new Error("Answers were given to what is no question.");
      const answers = Object.fromEntries(Object.entries(answer.answers).map(([text, given]) => [text, [...given]]));
      return { behavior: "allow", updatedInput: answerQuestions(call.input, answers) };
    }
    case "declined":
      return request.subtype === "elicitation" ? { action: "decline" } : { behavior: "cancelled" };
  }
};

/** Options by their numbers, or what was typed. */
export const chosenOf = ({ options }: Question, typed: string): string[] => {
  const labels = typed.split(/[\s,]+/).map((number) => options[Number(number) - 1]?.label);
  return typed !== "" && labels.every((label) => label !== undefined) ? labels : [typed];
};

/** The rules that the CLI suggests, for this session alone: neither a file nor the mode nor the folders change. */
export const sessionRules = (suggestions: readonly PermissionSuggestion[]): PermissionUpdate[] =>
  suggestions.flatMap((update) =>
    update.type === "addRules" && "rules" in update ? [{ ...update, destination: "session" }] : [],
  );
