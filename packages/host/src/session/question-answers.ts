// Answers to AskUserQuestion as programs write them: by the text of the question, by its header or by its number, with one label or
// several. They are converted to the form that every CLI takes. What cannot be converted is refused in words: the CLI
// would treat it as "did not answer", and nobody would notice.

import { answerQuestions, answersOf, isRecord } from "@quarterdeck/protocol";
import type { RequestOf, ToolInputs } from "@quarterdeck/protocol";
import { HostError } from "../host-error.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The input that answers the questions. Without `answers`, the CLI tells the model that nobody answered. */
export const answeredInput = ({ input, tool_use_id: id }: RequestOf<"can_use_tool">, given: Fields): Fields => {
  if (!Object.hasOwn(given, "answers")) return { ...input, ...given };
  const asked = input as unknown as ToolInputs["AskUserQuestion"];
  const questions = Array.isArray(asked.questions) ? asked.questions : [];
  const refuse = (what: string): never => {
    const list = questions.map(
      ({ question }, index) => `${JSON.stringify(String(index))} or ${JSON.stringify(question)}`,
    );
    throw new HostError(
      "invalid-answer",
      `${what} \`updatedInput.answers\` has a label or a list of labels for each question, by its number or its text: ${list.join("; ")}.`,
      { toolUseId: id },
    );
  };
  const { answers } = given;
  if (!isRecord(answers)) return refuse("The answers are not an object.");
  const byHeader = new Map(questions.map(({ header, question }) => [header, question]));
  const texts = new Set(questions.map(({ question }) => question));
  const named: [string, unknown][] = [];
  for (const [key, answer] of Object.entries(answers)) {
    const isText =
      typeof answer === "string" || (Array.isArray(answer) && answer.every((each) => typeof each === "string"));
    if (!isText) return refuse(`The answer to ${JSON.stringify(key)} is neither a text nor a list of texts.`);
    const isNumber = /^\d+$/.test(key) && Number(key) < questions.length;
    const text = texts.has(key) || isNumber ? key : byHeader.get(key);
    if (text === undefined) return refuse(`No question has the number or the text ${JSON.stringify(key)}.`);
    named.push([text, answer]);
  }
  const chosen = answersOf({ answers: Object.fromEntries(named) }, questions);
  if (Object.keys(chosen).length < named.length) return refuse("A question is answered twice.");
  const annotations = isRecord(given["annotations"]) ? { annotations: given["annotations"] } : {};
  return { ...answerQuestions(asked, chosen), ...annotations };
};
