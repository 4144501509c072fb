// A request of the CLI in a few lines, for a person who follows a session. A permission has its effect, and a question
// its options. Long text is cut here. A person who answers a request sees all of it (whole-request.ts).

import { ruleText } from "@quarterdeck/permissions/words";
import { filePathIn, readToolInput } from "@quarterdeck/protocol";
import type { CliRequest, PermissionSuggestion, Question } from "@quarterdeck/protocol";
import { FlowingText } from "./flowing-text.ts";
import { cellWidthOf, clip, wrapWords } from "./terminal.ts";
import { oneLine, toolHeader } from "./tool-lines.ts";
import type { Looks } from "./tool-lines.ts";

export interface RequestLooks extends Looks {
  /** The call that it is about is right above. */
  readonly isKnown: boolean;
}

/** Empty for a request that is answered without a person. */
export const requestLines = (request: CliRequest, looks: RequestLooks): string[] => {
  switch (request.subtype) {
    case "can_use_tool":
      return toolRequestLines(request, looks);
    case "elicitation":
      return [label(`${request.mcp_server_name} asks`, looks) + oneLine(request.message)];
    case "request_user_dialog":
      return [label("Dialog", looks) + oneLine(request.dialog_kind)];
    case "hook_callback":
      return [label(`Hook ${request.input.hook_event_name}`, looks).trimEnd()];
    case "mcp_message":
      return [];
  }
};

type ToolRequest = Extract<CliRequest, { subtype: "can_use_tool" }>;

const toolRequestLines = (request: ToolRequest, looks: RequestLooks): string[] => {
  const call = readToolInput(request.tool_name, request.input);
  if (call.tool === "AskUserQuestion")
    return call.input.questions.flatMap((question) => questionLines(question, looks));
  if (call.tool === "ExitPlanMode") return planLines(call.input.plan ?? "(no plan)", looks);
  const name = label(request.agent_id === undefined ? "Permission?" : "Permission for a subagent?", looks);
  const header = looks.isKnown
    ? ""
    : toolHeader(request.tool_name, request.input, { ...looks, width: looks.width - cellWidthOf(name) });
  const about = [request.description, request.decision_reason].filter(
    (text) => text !== undefined && text !== STOCK_REASON && !isNameOfFile(text, request.input),
  );
  const choices = ["once", ...(request.permission_suggestions ?? []).map(offerOf), "no"].map((choice) =>
    looks.paint("dim", `[${clip(oneLine(choice), looks.width - 2)}]`),
  );
  const first = looks.isKnown ? clip(oneLine(about.shift() ?? ""), looks.width - cellWidthOf(name)) : header;
  // Without a description, the choices follow at once.
  if (first === "") return wrapWords([name.trimEnd(), ...choices], looks.width);
  return [
    name + first,
    ...about.map((text) => looks.paint("dim", clip(oneLine(text ?? ""), looks.width))),
    ...wrapWords(choices, looks.width),
  ];
};

/** The CLI's default text. */
const STOCK_REASON = "This command requires approval";

/** The CLI describes a change of a file by its name, which the call already shows. */
const isNameOfFile = (text: string, input: Record<string, unknown>): boolean => {
  const path = filePathIn(input);
  return typeof path === "string" && path.endsWith(text);
};

const questionLines = ({ question, header, options, multiSelect }: Question, looks: Looks): string[] => [
  label(header ?? "Question", looks) + oneLine(question) + (multiSelect === true ? " (any number)" : ""),
  ...options.map(({ label: name, description }) => {
    const about = description === undefined ? "" : clip(oneLine(description), looks.width - cellWidthOf(name) - 6);
    return `  ◦ ${oneLine(name)}  ${looks.paint("dim", about)}`;
  }),
];

/** Above a plan that a person is asked about. */
export const PLAN_TITLE = "A plan, to be approved";

const planLines = (plan: string, looks: Looks): string[] => {
  let text = "";
  const flow = new FlowingText((piece) => (text += piece), { ...looks, indent: "" });
  flow.push(plan.trim());
  flow.end();
  return [label(PLAN_TITLE, looks).trimEnd(), ...text.trimEnd().split("\n")];
};

const label = (text: string, { paint }: Looks): string => `${paint(["yellow", "bold"], oneLine(text))}  `;

/** For an unknown suggestion, we can only show its type. */
const offerOf = (suggestion: PermissionSuggestion): string => {
  const always = "destination" in suggestion && suggestion.destination !== "session" ? "always" : "for this session";
  if ("mode" in suggestion) return `${always}: ${suggestion.mode}`;
  if ("directories" in suggestion) return `${always}: ${suggestion.directories.join(", ")}`;
  if (!("rules" in suggestion)) return suggestion.type;
  return `${always}: ${suggestion.behavior} ${suggestion.rules.map(ruleText).join(", ")}`;
};
