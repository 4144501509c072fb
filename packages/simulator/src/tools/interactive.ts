// Tools that ask the user: questions, and entering and leaving plan mode.
import { existsSync, readFileSync } from "node:fs";
import { isRecord, listAt, recordAt, textAt } from "../json.ts";
import type { Json } from "../json.ts";
import type { Session, Tool } from "../session-contract.ts";

export const askUserQuestion: Tool = {
  params: { questions: "array", answers: "object?", annotations: "object?", metadata: "object?" },
  interactive: true,
  isParallel: () => true,
  normalize: (input) => ({
    ...input,
    questions: listAt(input, "questions")
      .filter(isRecord)
      .map(({ question, header, options, multiSelect }) => ({
        question,
        header,
        options,
        multiSelect: multiSelect ?? false,
      })),
  }),
  run: (input) => {
    const questions = listAt(input, "questions").filter(isRecord);
    const answers = recordAt(input, "answers");
    const annotations = isRecord(input.annotations) ? input.annotations : undefined;
    return {
      content: answerText(questions, answers, annotations),
      result: { questions: input.questions, answers, ...(annotations === undefined ? {} : { annotations }) },
    };
  },
};

const answerText = (questions: readonly Json[], answers: Json, annotations: Json | undefined): string => {
  let isPlain = true;
  const parts = questions.flatMap((question) => {
    const text = textAt(question, "question") ?? "";
    const given = answers[text];
    if (given === undefined) return [];
    const answer = Array.isArray(given) ? given.join(", ") : typeof given === "string" ? given : JSON.stringify(given);
    const labels = listAt(question, "options")
      .filter(isRecord)
      .map(({ label }) => label);
    const note = recordAt(annotations, text);
    const preview = textAt(note, "preview");
    const notes = textAt(note, "notes");
    if (notes !== undefined || !answer.split(", ").every((part) => labels.includes(part))) isPlain = false;
    return [
      `"${text}"="${answer}"${preview === undefined ? "" : ` selected preview:\n${preview}`}${notes === undefined ? "" : ` notes: ${notes}`}`,
    ];
  });
  if (parts.length === 0) return "The user did not answer the questions.";
  return isPlain
    ? `Your questions have been answered: ${parts.join(", ")}. You can now continue with these answers in mind.`
    : `The user answered: ${parts.join(", ")}. Read the answers carefully — they may request clarification, changes, or that you not proceed — and follow what they actually say.`;
};

const ENTERED =
  "Entered plan mode. You should now focus on exploring the codebase and designing an implementation approach.";

export const enterPlanMode: Tool = {
  params: {},
  harmless: true,
  run: (_, { session }) => {
    session.setMode("plan");
    return {
      content: `${ENTERED}\n\nIn plan mode, you should:\n1. Thoroughly explore the codebase to understand existing patterns\n2. Identify similar features and architectural approaches\n3. Consider multiple approaches and their trade-offs\n4. Use AskUserQuestion if you need to clarify the approach\n5. Design a concrete implementation strategy\n6. When ready, use ExitPlanMode to present your plan for approval\n\nRemember: DO NOT write or edit any files yet. This is a read-only exploration and planning phase.`,
      result: { message: ENTERED },
    };
  },
};

const planOf = (session: Session): string | undefined =>
  existsSync(session.planFile) ? readFileSync(session.planFile, "utf8") : undefined;

export const exitPlanMode: Tool = {
  params: "any",
  interactive: true,
  normalize: (_, session) => {
    const plan = planOf(session);
    return plan === undefined ? {} : { plan, planFilePath: session.planFile };
  },
  check: (_, session) =>
    session.permissions.mode === "plan"
      ? undefined
      : "You are not in plan mode. To enter plan mode, call the EnterPlanMode tool first. If your plan was already approved, continue with implementation.",
  run: (_, { session }) => {
    // The host's answer may have chosen the next mode.
    if (session.permissions.mode === "plan") session.setMode("default");
    const plan = planOf(session);
    return {
      content:
        plan === undefined
          ? "User has approved exiting plan mode. You can now proceed."
          : `User has approved your plan. You can now start coding. Start with updating your todo list if applicable\n\nYour plan has been saved to: ${session.planFile}\nYou can refer back to it if needed during implementation.\n\n## Approved Plan:\n${plan}`,
      result: { plan: plan ?? null, isAgent: false, filePath: session.planFile },
    };
  },
};
