// Asks a person at a terminal what the CLI asks. First it shows the whole request. A person who has not seen the end
// can only deny it. What the person types becomes a `PersonsAnswer`. The caller converts it for the host or the server.

import { answerQuestions, readToolInput } from "@quarterdeck/protocol";
import type { PermissionSuggestion, PermissionUpdate, Question } from "@quarterdeck/protocol";
import type { Answer } from "@quarterdeck/host";
import { visibleText } from "@quarterdeck/session";
import type { OpenRequest } from "@quarterdeck/session";
import type { RequestPreview } from "@quarterdeck/session/bridge";
import { showToEnd } from "./pager.ts";
import type { Keyboard } from "./printer.ts";
import { clip } from "./terminal.ts";
import { wholeRequest } from "./whole-request.ts";

export type PersonsAnswer =
  | { readonly kind: "allow"; readonly updatedPermissions?: readonly PermissionUpdate[] }
  | { readonly kind: "deny"; readonly message: string; readonly nobody?: true }
  /** By the question's text. */
  | { readonly kind: "answers"; readonly answers: Readonly<Record<string, readonly string[]>> }
  /** A terminal has no form for this request. */
  | { readonly kind: "declined" };

export interface AskOptions {
  readonly keyboard: Keyboard;
  /** What a file would become. */
  readonly preview?: RequestPreview | undefined;
  readonly signal?: AbortSignal;
}

/** Rejects with an AbortError if the request ends while it is asked. Closing the input is a denial. */
export const askPerson = async (open: OpenRequest, asking: AskOptions): Promise<PersonsAnswer> => {
  try {
    return await answerTo(open, asking);
  } catch (error) {
    if (asking.signal?.aborted === true || !(error instanceof Error && "code" in error && ENDS.has(error.code)))
      throw error;
    return nobodysAnswer(open);
  }
};
/** Error codes of an input that was closed before or during the question. */
const ENDS: ReadonlySet<unknown> = new Set(["ABORT_ERR", "ERR_USE_AFTER_CLOSE"]);

const answerTo = async ({ request }: OpenRequest, asking: AskOptions): Promise<PersonsAnswer> => {
  const { keyboard, preview, signal } = asking;
  const isPermission = request.subtype === "can_use_tool";
  const rules = isPermission ? sessionRules(request.permission_suggestions ?? []) : [];
  const whole = wholeRequest(request, { preview, rules, rulesKey: "a" });
  const ask = async (text: string): Promise<string> => (await keyboard.ask(`    ${text}: `, signal)).trim();
  // The text before it may have stopped in the middle of a line.
  keyboard.show("\n");
  let isRead = await showToEnd(keyboard, whole, signal);
  if (!isPermission) return { kind: "declined" };
  while (!isRead) {
    const typed = await ask("Not shown to its end. Enter = show again, n = deny, or type a reason");
    if (!/^(?:|y|yes|a|always|q)$/iu.test(typed)) return denial(typed);
    isRead = await showToEnd(keyboard, whole, signal);
  }
  const call = readToolInput(request.tool_name, request.input);
  if (call.tool === "AskUserQuestion") {
    const answers: Record<string, string[]> = {};
    for (const question of call.input.questions) {
      const { header = "Answer", multiSelect, options } = question;
      const choices = options.map(({ label }, index) => `${index + 1} = ${inLine(label)}`).join(", ");
      const several = multiSelect === true ? " (several: 1,2)" : "";
      const asked = `${inLine(header)}: ${choices}${several}, or your own words`;
      answers[question.question] = (await picked(question, asking)) ?? chosenOf(question, await ask(asked));
    }
    return { kind: "answers", answers };
  }
  const always = rules.length > 0 ? ", a = allow for this session" : "";
  const typed = await ask(`y = allow${always}, n = deny, or a reason to deny`);
  if (/^y(es)?$/i.test(typed)) return { kind: "allow" };
  if (/^a(lways)?$/i.test(typed) && rules.length > 0) return { kind: "allow", updatedPermissions: rules };
  return denial(typed);
};

/** With keys, at a terminal. The whole question is right above, so here it is one row. */
const picked = async (
  { question, header, options, multiSelect }: Question,
  { keyboard, signal }: AskOptions,
): Promise<string[] | undefined> => {
  if (keyboard.pick === undefined) return undefined;
  const about = clip(inLine(`${header ?? "Answer"}: ${question}`), (keyboard.size()?.columns ?? 80) - 5);
  const keys = multiSelect === true ? "Arrows, Space selects several" : "Arrows or digits";
  keyboard.show(`    ${about}\n    ${keys}, Enter answers, or your own words: \n`);
  const labels = options.map(({ label }) => inLine(label));
  const answer = await keyboard.pick({ options: labels, several: multiSelect === true, words: true }, signal);
  return answer.kind === "options"
    ? answer.at.map((at) => options[at]!.label)
    : [answer.kind === "words" ? answer.text : ""];
};

const denial = (typed: string): PersonsAnswer => ({
  kind: "deny",
  message: /^n?o?$/i.test(typed) ? "The user declined." : typed,
});

const inLine = (text: string): string => visibleText(text).replaceAll(/\s+/gu, " ");

/** In a script nobody can be asked, so the request is denied. */
export const nobodysAnswer = ({ request }: OpenRequest): PersonsAnswer =>
  request.subtype === "can_use_tool"
    ? { kind: "deny", message: "Nobody is here to answer.", nobody: true }
    : { kind: "declined" };

/** The answer in words, for the person who gave it. */
export const answerWords = (answer: PersonsAnswer): string => {
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

/** The answer in the host's form. */
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
      if (call?.tool !== "AskUserQuestion") throw new Error("Answers were given to a request that is not a question.");
      const answers = Object.fromEntries(Object.entries(answer.answers).map(([text, given]) => [text, [...given]]));
      return { behavior: "allow", updatedInput: answerQuestions(call.input, answers) };
    }
    case "declined":
      return request.subtype === "elicitation" ? { action: "decline" } : { behavior: "cancelled" };
  }
};

/** Options by their numbers, or the typed text. */
export const chosenOf = ({ options }: Question, typed: string): string[] => {
  const labels = typed.split(/[\s,]+/).map((number) => options[Number(number) - 1]?.label);
  return typed !== "" && labels.every((label) => label !== undefined) ? labels : [typed];
};

/** The rules that the CLI suggests, for this session only. They change no file, no mode and no folders. */
export const sessionRules = (suggestions: readonly PermissionSuggestion[]): PermissionUpdate[] =>
  suggestions.flatMap((update) =>
    update.type === "addRules" && "rules" in update ? [{ ...update, destination: "session" }] : [],
  );
