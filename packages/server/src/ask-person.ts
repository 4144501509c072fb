// Asks a person at a terminal what the CLI asks. What is typed becomes an answer of our own, which is then put into the words of
// whoever hands it on: the host, or a server.

import type { Interface } from "node:readline/promises";
import { answerQuestions, readToolInput } from "@quarterdeck/protocol";
import type { PermissionSuggestion, PermissionUpdate, Question } from "@quarterdeck/protocol";
import type { Answer } from "@quarterdeck/host";
import type { OpenRequest } from "@quarterdeck/session";

export type PersonsAnswer =
  | { readonly kind: "allow"; readonly updatedPermissions?: readonly PermissionUpdate[] }
  | { readonly kind: "deny"; readonly message: string }
  /** By the question's text. */
  | { readonly kind: "answers"; readonly answers: Readonly<Record<string, readonly string[]>> }
  /** A terminal has no form for it. */
  | { readonly kind: "declined" };

export const askPerson = async (terminal: Interface, { request }: OpenRequest): Promise<PersonsAnswer> => {
  if (request.subtype !== "can_use_tool") return { kind: "declined" };
  const call = readToolInput(request.tool_name, request.input);
  if (call.tool === "AskUserQuestion") {
    const answers: Record<string, string[]> = {};
    for (const question of call.input.questions) answers[question.question] = await choose(terminal, question);
    return { kind: "answers", answers };
  }
  const updates = sessionRules(request.permission_suggestions ?? []);
  const always = updates.length > 0 ? ", a = allow for this session" : "";
  const typed = (await terminal.question(`    y = allow${always}, n = deny, or a reason to deny: `)).trim();
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

const choose = async (terminal: Interface, question: Question): Promise<string[]> => {
  const typed = (
    await terminal.question(
      `    ${question.header ?? "Answer"}: number${question.multiSelect === true ? "s" : ""} or your own words: `,
    )
  ).trim();
  const numbers = typed.split(/[\s,]+/).map(Number);
  const labels = numbers.map((number) => question.options[number - 1]?.label);
  return typed !== "" && labels.every((label) => label !== undefined) ? labels : [typed];
};

/** The rules that the CLI suggests, for this session alone: neither a file nor the mode nor the folders change. */
export const sessionRules = (suggestions: readonly PermissionSuggestion[]): PermissionUpdate[] =>
  suggestions.flatMap((update) =>
    update.type === "addRules" && "rules" in update ? [{ ...update, destination: "session" }] : [],
  );
