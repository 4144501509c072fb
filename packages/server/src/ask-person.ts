// Asks a person at a terminal what the CLI asks. What is typed becomes an answer of our own, which is then put into the words of
// whoever hands it on: the host, or a server.

import { createInterface } from "node:readline/promises";
import type { Interface } from "node:readline/promises";
import { answerQuestions, readToolInput } from "@quarterdeck/protocol";
import type { PermissionSuggestion, PermissionUpdate, Question } from "@quarterdeck/protocol";
import type { Answer } from "@quarterdeck/host";
import type { OpenRequest } from "@quarterdeck/session";
import { printable } from "./terminal.ts";

export type PersonsAnswer =
  | { readonly kind: "allow"; readonly updatedPermissions?: readonly PermissionUpdate[] }
  | { readonly kind: "deny"; readonly message: string; readonly nobody?: true }
  /** By the question's text. */
  | { readonly kind: "answers"; readonly answers: Readonly<Record<string, readonly string[]>> }
  /** A terminal has no form for it. */
  | { readonly kind: "declined" };

/** The keyboard of whoever runs this. Ctrl-C is a key there: it must be the signal that it is elsewhere. */
export const openKeyboard = (): Interface =>
  createInterface({ input: process.stdin, output: process.stderr }).on("SIGINT", () => {
    process.kill(process.pid, "SIGINT");
  });

/** Rejects with an AbortError where the request is over while it is asked. Who closes the input has refused. */
export const askPerson = async (
  terminal: Interface,
  open: OpenRequest,
  signal?: AbortSignal,
): Promise<PersonsAnswer> => {
  const { request } = open;
  if (request.subtype !== "can_use_tool") return { kind: "declined" };
  const ask = async (text: string): Promise<string> =>
    (await terminal.question(`    ${text}: `, signal === undefined ? {} : { signal })).trim();
  try {
    return await answerTo(request, ask);
  } catch (error) {
    if (signal?.aborted === true || !(error instanceof Error && "code" in error && ENDS.has(error.code))) throw error;
    return nobodysAnswer(open);
  }
};
/** Of an input that was closed while, or before, it was asked for. */
const ENDS: ReadonlySet<unknown> = new Set(["ABORT_ERR", "ERR_USE_AFTER_CLOSE"]);

type Permission = Extract<OpenRequest["request"], { subtype: "can_use_tool" }>;

const answerTo = async (request: Permission, ask: (text: string) => Promise<string>): Promise<PersonsAnswer> => {
  const call = readToolInput(request.tool_name, request.input);
  if (call.tool === "AskUserQuestion") {
    const answers: Record<string, string[]> = {};
    for (const question of call.input.questions) {
      const { header = "Answer", multiSelect, options } = question;
      const choices = options.map(({ label }, index) => `${index + 1} = ${printable(label)}`).join(", ");
      const several = multiSelect === true ? " (several: 1,2)" : "";
      const typed = await ask(`${printable(header)}: ${choices}${several}, or your own words`);
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
    ? { kind: "deny", message: "Nobody is here to answer.", nobody: true }
    : { kind: "declined" };

/** As it is told to whoever gave it. */
export const inWords = (answer: PersonsAnswer): string => {
  switch (answer.kind) {
    case "allow":
      return answer.updatedPermissions === undefined ? "allow" : "allow for this session";
    case "deny":
      return `deny: ${answer.message}`;
    case "answers":
      return Object.values(answer.answers)
        .map((given) => given.join(", "))
        .join("; ");
    case "declined":
      return "declined";
  }
};

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
