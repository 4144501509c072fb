// Questions of Claude and forms of MCP servers. An editor with forms gets one form. Any other editor gets one dialog for each
// question, so that a question can always be answered.

import type {
  CreateElicitationRequest,
  ElicitationPropertySchema,
  ElicitationSchema,
} from "@agentclientprotocol/sdk/unstable";
import type { OpenRequest, ParamsOf } from "@quarterdeck/client";
import { isRecord, readToolInput } from "@quarterdeck/protocol";
import type { Question } from "@quarterdeck/protocol";
import { visibleText } from "@quarterdeck/session";
import type { Abilities } from "./abilities.ts";
import { LONGEST_TITLE } from "./permission-dialog.ts";
import type { DialogChoice, DialogWithChoices } from "./permission-dialog.ts";
import { shownTitle } from "./shown-text.ts";

type BridgeAnswer = ParamsOf<"session/respond">["answer"];
type Elicited = Extract<OpenRequest["request"], { subtype: "elicitation" }>;
/** A form without the session that it belongs to. */
type Form = Pick<Extract<CreateElicitationRequest, { mode: "form" }>, "mode" | "message" | "requestedSchema">;
type Page = Pick<Extract<CreateElicitationRequest, { mode: "url" }>, "mode" | "message" | "url" | "elicitationId">;

export const questionsOf = (request: OpenRequest["request"]): readonly Question[] | undefined => {
  if (request.subtype !== "can_use_tool") return undefined;
  const call = readToolInput(request.tool_name, request.input);
  return call.tool === "AskUserQuestion" && call.input.questions.length > 0 ? call.input.questions : undefined;
};

// One form.

const keyOf = (index: number): string => `question_${String(index + 1)}`;
const otherOf = (index: number): string => `${keyOf(index)}_other`;

export const askedForm = (questions: readonly Question[]): Form => ({
  mode: "form",
  message: visibleText(questions.map(({ question }) => question).join("\n")),
  requestedSchema: {
    type: "object",
    properties: Object.fromEntries(
      questions.flatMap((question, index): [string, ElicitationPropertySchema][] => [
        [keyOf(index), choicesOf(question)],
        [
          otherOf(index),
          { type: "string", title: "Other", description: "In your own words, instead of a choice above" },
        ],
      ]),
    ),
  },
});

const choicesOf = ({ question, header, options, multiSelect }: Question): ElicitationPropertySchema => {
  const about = { title: shownTitle(header ?? question), description: visibleText(question) };
  const choices = options.map(({ label, description }, index) => ({
    const: String(index),
    title: shownTitle(label),
    ...(description !== undefined && { description: shownTitle(description) }),
  }));
  if (multiSelect === true) return { type: "array", ...about, items: { anyOf: choices } };
  return { type: "string", ...about, oneOf: choices };
};

/** Undefined if nothing was answered: the request stays open. */
export const questionAnswers = (
  questions: readonly Question[],
  content: Readonly<Record<string, unknown>>,
): BridgeAnswer | undefined => {
  const answers = questions.map((question, index): [string, string[]] => {
    const other = content[otherOf(index)];
    const given = content[keyOf(index)];
    const labels = (Array.isArray(given) ? given : [given]).flatMap((each) => labelOf(question, each));
    return [question.question, typeof other === "string" && other.trim() !== "" ? [other.trim()] : labels];
  });
  const given = answers.filter(([, labels]) => labels.length > 0);
  return given.length === 0 ? undefined : { kind: "answers", answers: Object.fromEntries(given) };
};

const labelOf = ({ options }: Question, value: unknown): string[] => {
  const option = typeof value === "string" && /^\d{1,3}$/u.test(value) ? options[Number(value)] : undefined;
  return option === undefined ? [] : [option.label];
};

// One dialog after another.

const DECLINED: BridgeAnswer = { kind: "deny", message: "The user declined to answer." };

type Step = { readonly kind: "chosen"; readonly label: string } | { readonly kind: "done" } | { readonly kind: "deny" };

export const questionSteps = function* (
  open: OpenRequest,
  questions: readonly Question[],
  { onlyKinds = false }: Partial<Pick<Abilities, "onlyKinds">> = {},
): Generator<DialogWithChoices<Step>, BridgeAnswer, Step> {
  const answers: Record<string, string[]> = {};
  for (const question of questions) {
    const chosen: string[] = [];
    if (onlyKinds) {
      // Such an editor has one button for all answers, so each answer is a question.
      for (const option of question.options) {
        const step = yield optionDialog(open, question, option);
        if (step.kind === "chosen") chosen.push(step.label);
        if (step.kind === "chosen" && question.multiSelect !== true) break;
      }
      if (chosen.length === 0) return DECLINED;
      answers[question.question] = chosen;
      continue;
    }
    for (;;) {
      const step = yield questionDialog(open, question, chosen);
      if (step.kind === "deny") return DECLINED;
      if (step.kind === "chosen") chosen.push(step.label);
      if (question.multiSelect !== true || step.kind === "done" || chosen.length === question.options.length) break;
    }
    answers[question.question] = chosen;
  }
  return { kind: "answers", answers };
};

const optionDialog = (
  { id, request }: OpenRequest,
  { question }: Question,
  { label, description }: Question["options"][number],
): DialogWithChoices<Step> => {
  const option = description === undefined ? label : `${label} (${description})`;
  const title = shownTitle(`${question} · ${option}?`, LONGEST_TITLE);
  return {
    choices: [
      { id: "allow_once", name: shownTitle(label), kind: "allow_once", answer: { kind: "chosen", label } },
      { id: "reject_once", name: "Not this one", kind: "reject_once", answer: { kind: "done" } },
    ],
    dialog: {
      options: [],
      toolCall: {
        toolCallId: request.subtype === "can_use_tool" ? request.tool_use_id : id,
        title,
        kind: "other",
        status: "pending",
      },
    },
  };
};

const questionDialog = (
  { id, request }: OpenRequest,
  question: Question,
  chosen: readonly string[],
): DialogWithChoices<Step> => {
  const left = question.options.flatMap(({ label, description }, index) =>
    chosen.includes(label) ? [] : [{ label, description, index }],
  );
  const about = left.map(({ label, description }) =>
    visibleText(description === undefined ? `- ${label}` : `- ${label}: ${description}`),
  );
  const so = chosen.length === 0 ? [] : [`Chosen: ${visibleText(chosen.join(", "))}`];
  const text = [visibleText(question.question), ...about, ...so].join("\n");
  const choices: DialogChoice<Step>[] = [
    ...left.map(({ label, index }): DialogChoice<Step> => ({
      id: `option-${String(index)}`,
      name: shownTitle(label),
      kind: "allow_once",
      answer: { kind: "chosen", label },
    })),
    ...(question.multiSelect === true && chosen.length > 0
      ? [{ id: "done", name: "Done", kind: "allow_once", answer: { kind: "done" } } satisfies DialogChoice<Step>]
      : []),
    { id: "decline", name: "Do not answer", kind: "reject_once", answer: { kind: "deny" } },
  ];
  return {
    choices,
    dialog: {
      options: [],
      toolCall: {
        toolCallId: request.subtype === "can_use_tool" ? request.tool_use_id : id,
        title: shownTitle(question.question),
        kind: "other",
        status: "pending",
        content: [{ type: "content", content: { type: "text", text } }],
      },
    },
  };
};

// Forms of MCP servers.

/** The form for an editor with forms, or the address for an editor that opens pages. Undefined for any other editor. */
export const formAnswer = (request: Elicited, { forms, urls }: Abilities): Form | Page | undefined => {
  const message = visibleText(request.message);
  if (request.mode === "url") {
    const { url, elicitation_id: elicitationId } = request;
    const isWeb = url !== undefined && /^https?:\/\//u.test(url);
    return urls && isWeb && elicitationId !== undefined ? { mode: "url", message, url, elicitationId } : undefined;
  }
  const schema = forms ? schemaOf(request) : undefined;
  return schema === undefined ? undefined : { mode: "form", message, requestedSchema: schema };
};

const SIMPLE: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean", "array"]);

/** Only plain fields. Any other schema is filled in on the page. */
const schemaOf = ({ requested_schema: schema }: Elicited): ElicitationSchema | undefined => {
  const properties = schema?.["properties"];
  if (!isRecord(properties)) return undefined;
  const fields = Object.values(properties);
  if (!fields.every((field) => isRecord(field) && SIMPLE.has(field["type"]))) return undefined;
  const required = schema?.["required"];
  return {
    type: "object",
    properties: properties as Record<string, ElicitationPropertySchema>,
    ...(Array.isArray(required) && { required: required.filter((name) => typeof name === "string") }),
  };
};
