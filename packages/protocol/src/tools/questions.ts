// Answers to AskUserQuestion. It reads every form that hosts have sent, and writes the form that every CLI accepts.
// That form has the questions, and answers keyed by the text of the question. Several labels are one string. It reads
// index keys (S2) but never writes them, because 2.1.325 treats them as "did not answer".

import { isRecord } from "../json.ts";
import { ProtocolError } from "../protocol-error.ts";
import { Question } from "./tool-inputs.ts";
import type { QuestionAnnotation, ToolInputs } from "./tool-inputs.ts";

/** Joins labels like the CLI: an ambiguous label is quoted. */
const joinLabels = (labels: readonly string[]): string =>
  labels.map((label) => (label.includes(", ") || label.includes('"') ? JSON.stringify(label) : label)).join(", ");

const QUOTED = /^"(?:[^"\\]|\\.)*"/;

const splitJoined = (text: string): string[] | undefined => {
  const labels: string[] = [];
  let left = text;
  for (;;) {
    const quoted = QUOTED.exec(left)?.[0];
    if (quoted !== undefined) {
      try {
        labels.push(JSON.parse(quoted) as string);
      } catch {
        return undefined; // an escape that JSON does not know, so it is not our quoting
      }
    } else {
      const cut = left.indexOf(", ");
      labels.push(cut === -1 ? left : left.slice(0, cut));
    }
    left = left.slice((quoted ?? labels.at(-1) ?? "").length);
    if (left === "") return labels;
    if (!left.startsWith(", ")) return undefined;
    left = left.slice(2);
  }
};

/** A list in one string is split only if every part is an offered label. Free text stays whole. */
const chosenIn = (answer: string, question: Question | undefined): string[] => {
  const labels = new Set(question?.options.map((option) => option.label));
  if (question?.multiSelect !== true || labels.has(answer)) return [answer];
  const plain = answer.split(",").map((label) => label.trim());
  for (const parts of [splitJoined(answer), plain]) {
    if (parts !== undefined && parts.length > 1 && parts.every((label) => labels.has(label))) return parts;
  }
  const only = splitJoined(answer);
  return only?.length === 1 && only[0] !== undefined && labels.has(only[0]) ? only : [answer];
};

/**
 * The answers in a tool input, an `updatedInput` or a result, by the text of the question. `asked` are the questions of
 * the call. They are needed for the dialect that answers by index without the questions.
 */
export const answersOf = (input: unknown, asked: readonly Question[] = []): Record<string, string[]> => {
  const answers = isRecord(input) && Object.hasOwn(input, "answers") ? input["answers"] : undefined;
  if (!isRecord(answers)) return {};
  const own = isRecord(input) && Array.isArray(input["questions"]) ? input["questions"] : [];
  const questions = own.length > 0 ? own.filter((question): question is Question => Question.accepts(question)) : asked;
  const byText = new Map(questions.map((question) => [question.question, question]));
  return Object.fromEntries(
    Object.entries(answers).map(([key, answer]) => {
      const question = byText.get(key) ?? (/^\d+$/.test(key) ? questions[Number(key)] : undefined);
      const given = Array.isArray(answer) ? answer : [answer];
      const texts = given.filter((text) => typeof text === "string");
      const chosen = Array.isArray(answer) ? texts : texts.flatMap((text) => chosenIn(text, question));
      return [question?.question ?? key, chosen];
    }),
  );
};

/**
 * Builds the `updatedInput` with the answers. A question without an answer is left out. An answer without its question
 * throws. `annotations[…].unanswered` may be sent only if the CLI has `ask_user_question_unanswered_v1`.
 */
export const answerQuestions = (
  input: ToolInputs["AskUserQuestion"],
  answers: Readonly<Record<string, string | readonly string[]>>,
  annotations?: Readonly<Record<string, QuestionAnnotation>>,
): ToolInputs["AskUserQuestion"] => {
  const asked = new Set(input.questions.map((question) => question.question));
  for (const text of [...Object.keys(answers), ...Object.keys(annotations ?? {})]) {
    if (!asked.has(text)) throw new ProtocolError("invalid-answer", `No question reads: ${text}`);
  }
  const given = Object.entries(answers).map(([text, answer]) => [
    text,
    typeof answer === "string" ? answer : joinLabels(answer),
  ]);
  const { annotations: _, ...rest } = input;
  return {
    ...rest,
    answers: Object.fromEntries(given) as Record<string, string>,
    ...(annotations !== undefined && { annotations: { ...annotations } }),
  };
};
