// A question form as data: what was asked, what is chosen so far, what would be sent. Tolerant: a malformed question is
// shown as text and can be answered in words.

import { isRecord } from "@quarterdeck/client/content";
import type { Input } from "./asked.ts";

export interface Option {
  readonly label: string;
  readonly description?: string;
  readonly preview?: string;
}
export interface AskedQuestion {
  readonly question: string;
  readonly header?: string;
  readonly options: readonly Option[];
  readonly multiple: boolean;
}
export interface QuestionReply {
  readonly chosen: readonly string[];
  /** Free text beside or instead of the options. */
  readonly other: string;
  readonly notes: string;
}

export const NO_REPLY: QuestionReply = { chosen: [], other: "", notes: "" };

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

/** What was stored by this page, or by another version of it. */
export const isReplies = (value: unknown): value is readonly QuestionReply[] =>
  Array.isArray(value) &&
  value.every(
    (reply: unknown) =>
      isRecord(reply) &&
      Array.isArray(reply["chosen"]) &&
      reply["chosen"].every((label: unknown) => typeof label === "string") &&
      typeof reply["other"] === "string" &&
      typeof reply["notes"] === "string",
  );

export const questionsOf = (input: Input): AskedQuestion[] => {
  const { questions } = input;
  if (!Array.isArray(questions)) return [];
  return questions.flatMap((value: unknown): AskedQuestion[] => {
    if (!isRecord(value)) return [];
    const question = text(value["question"]);
    if (question === undefined) return [];
    const header = text(value["header"]);
    const options = Array.isArray(value["options"]) ? value["options"] : [];
    return [
      {
        question,
        ...(header !== undefined && { header }),
        multiple: value["multiSelect"] === true,
        options: options.flatMap((option: unknown): Option[] => {
          const label = typeof option === "string" ? option : isRecord(option) ? text(option["label"]) : undefined;
          if (label === undefined) return [];
          const description = isRecord(option) ? text(option["description"]) : undefined;
          const preview = isRecord(option) ? text(option["preview"]) : undefined;
          return [
            { label, ...(description !== undefined && { description }), ...(preview !== undefined && { preview }) },
          ];
        }),
      },
    ];
  });
};

export const withChoice = (question: AskedQuestion, reply: QuestionReply, label: string): QuestionReply => {
  if (!question.multiple) return { ...reply, chosen: reply.chosen[0] === label ? [] : [label], other: "" };
  const chosen = reply.chosen.includes(label)
    ? reply.chosen.filter((other) => other !== label)
    : [...reply.chosen, label];
  // In the order in which they are offered, not in that of the clicks.
  return {
    ...reply,
    chosen: question.options.map((option) => option.label).filter((option) => chosen.includes(option)),
  };
};

export const isAnswered = (reply: QuestionReply | undefined): boolean =>
  reply !== undefined && (reply.chosen.length > 0 || reply.other.trim() !== "");

export const answersFrom = (questions: readonly AskedQuestion[], replies: readonly (QuestionReply | undefined)[]) => {
  const answers: Record<string, string | string[]> = {};
  const notes: Record<string, string> = {};
  questions.forEach(({ question, multiple }, at) => {
    const reply = replies[at];
    if (reply === undefined) return;
    const given = [...reply.chosen, ...(reply.other.trim() === "" ? [] : [reply.other.trim()])];
    if (given.length > 0) answers[question] = multiple ? given : given[0]!;
    if (reply.notes.trim() !== "") notes[question] = reply.notes.trim();
  });
  return { answers, ...(Object.keys(notes).length > 0 && { notes }) };
};
