// A request of the CLI as a dialog with choices. It shows everything that a person must see before they allow it, with
// marks for hidden characters. It offers the choices that this device may make.

import type {
  PermissionOptionKind,
  RequestPermissionRequest,
  ToolCallContent,
} from "@agentclientprotocol/sdk/unstable";
import { allows, needs } from "@quarterdeck/client/policy";
import type { OpenRequest, ParamsOf, RequestPreview, Role } from "@quarterdeck/client";
import { ruleText } from "@quarterdeck/permissions/words";
import { readToolInput } from "@quarterdeck/protocol";
import type { PermissionUpdate } from "@quarterdeck/protocol";
import { fieldsBesideDiff, NO_CHANGES, textsIn, warningsOf } from "@quarterdeck/session";
import { sessionRules } from "../terminal/ask-person.ts";
import { wholeRequest } from "../terminal/whole-request.ts";
import { fenced, shown, shownValue, shownTitle } from "./shown-text.ts";
import { callTitle, diff, diffsOf, toolKindOf } from "./tool-call.ts";

type BridgeAnswer = ParamsOf<"session/respond">["answer"];

export interface DialogChoice<T> {
  readonly id: string;
  readonly name: string;
  readonly kind: PermissionOptionKind;
  readonly answer: T;
}

export interface DialogWithChoices<T> {
  readonly dialog: Omit<RequestPermissionRequest, "sessionId">;
  readonly choices: readonly DialogChoice<T>[];
}

type Asked = Extract<OpenRequest["request"], { subtype: "can_use_tool" }>;

/** A longer request is not shown here, so it cannot be allowed here. */
const MOST_SHOWN = 150_000;

export const permissionDialog = (
  open: OpenRequest,
  preview: RequestPreview | undefined,
  folders: readonly string[],
  role: Role | undefined,
): DialogWithChoices<BridgeAnswer> => {
  const { request } = open;
  if (request.subtype !== "can_use_tool") return otherDialog(open);
  const { tool_name: name, input, tool_use_id: toolCallId } = request;
  const isPlan = readToolInput(name, input).tool === "ExitPlanMode";
  const isLong = JSON.stringify([input, preview]).length > MOST_SHOWN;
  const known = { suggested: request.permission_suggestions ?? [] };
  return {
    dialog: {
      options: [],
      toolCall: {
        toolCallId,
        title: isPlan ? "Plan ready for review" : callTitle(name, input, folders[0]),
        kind: toolKindOf(name),
        status: "pending",
        content: isLong
          ? [text("This request is too long for this dialog. Read and answer it on the page, or deny it here.")]
          : isPlan
            ? planContent(input)
            : [...changeOf(name, input, preview), ...wholeOf(request, preview)],
        ...(!isLong && { rawInput: shownValue(input) }),
      },
    },
    choices: (isPlan ? planChoices() : callChoices(request)).filter(
      ({ answer }) =>
        (!isLong || answer.kind === "deny") &&
        allows(role, "session/respond", { answer }, known) &&
        needs("session/respond", { answer }, known).confirm === undefined,
    ),
  };
};

export const LONGEST_TITLE = 20_000;

/**
 * The same for an editor that shows a title and one button for each kind of choice. The title also says what the texts of the
 * dialog say. The ids are those that such editors know.
 */
export const dialogOfKinds = <T>({ dialog, choices }: DialogWithChoices<T>): DialogWithChoices<T> => {
  const { toolCall } = dialog;
  const texts = (toolCall.content ?? []).flatMap((block) =>
    block.type === "content" && block.content.type === "text" ? block.content.text.split("\n") : [],
  );
  const lines = texts.map((line) => line.trim()).filter((line) => line !== "" && !/^`{3,}\w*$/u.test(line));
  const whole = shownTitle([toolCall.title, ...lines].join(" · "), Number.POSITIVE_INFINITY);
  const isLong = whole.length > LONGEST_TITLE;
  const title = isLong
    ? "This request is too long for this editor. Read and answer it on the page, or deny it here."
    : whole;
  const kept = new Map<PermissionOptionKind, DialogChoice<T>>();
  for (const choice of choices) {
    if (isLong && choice.kind.startsWith("allow")) continue;
    // Two choices may be permanent: first the mode, then the rules of this call. The rules allow less, so they win.
    if (choice.kind === "allow_always" || !kept.has(choice.kind)) kept.set(choice.kind, { ...choice, id: choice.kind });
  }
  return { dialog: { ...dialog, toolCall: { ...toolCall, title } }, choices: [...kept.values()] };
};

/** What would change, with the text of the file as it is now. */
const changeOf = (
  name: string,
  input: Readonly<Record<string, unknown>>,
  preview: RequestPreview | undefined,
): ToolCallContent[] => {
  const { path, before, text: after, kind } = preview ?? {};
  if (path !== undefined && after !== undefined && (kind === "diff" || kind === "new-file"))
    return [diff(path, before ?? null, after)];
  return diffsOf(name, input, preview?.hunks ?? []);
};

/** Every field that no diff shows, as the terminal shows it. */
const wholeOf = (request: Asked, preview: RequestPreview | undefined): ToolCallContent[] => {
  const { tool_name: name, input } = request;
  const isChange = preview !== undefined && preview.hunks.length > 0;
  const rest = isChange ? { ...request, input: fieldsBesideDiff(name, input) } : request;
  const warnings = isChange ? warningsOf(textsIn(input).join("\n")).map((warning) => `Look closely: ${warning}.`) : [];
  const lines = [...warnings, ...wholeRequest(rest).map((line) => line.text)];
  return [text(fenced(lines.join("\n")))];
};

const text = (content: string): ToolCallContent => ({ type: "content", content: { type: "text", text: content } });

const planContent = ({ plan }: Readonly<Record<string, unknown>>): ToolCallContent[] => [
  text(typeof plan === "string" ? shown(plan) : "The plan is in the conversation."),
];

const allow = (updatedPermissions: PermissionUpdate[] = []): BridgeAnswer => ({
  kind: "allow",
  ...(updatedPermissions.length > 0 && { updatedPermissions }),
});

const callChoices = (request: Asked): DialogChoice<BridgeAnswer>[] => {
  const rules = sessionRules(request.permission_suggestions ?? []);
  const named = rules.flatMap((update) => ("rules" in update ? update.rules.map(ruleText) : []));
  const mode = (request.permission_suggestions ?? []).find(
    (update): update is Extract<PermissionUpdate, { type: "setMode" }> =>
      update.type === "setMode" && "mode" in update && update.mode === "acceptEdits",
  );
  return [
    { id: "allow", name: "Allow", kind: "allow_once", answer: allow() },
    ...(mode === undefined
      ? []
      : [
          {
            id: "edits",
            name: "Allow all edits in this session",
            kind: "allow_always" as const,
            answer: allow([{ ...mode, destination: "session" }]),
          },
        ]),
    ...(rules.length === 0
      ? []
      : [
          {
            id: "session",
            name: shownTitle(`Allow for this session: ${named.join(", ")}`),
            kind: "allow_always" as const,
            answer: allow(rules),
          },
        ]),
    { id: "deny", name: "Deny", kind: "reject_once", answer: { kind: "deny", message: "The user declined." } },
    {
      id: "stop",
      name: "Deny and stop",
      kind: "reject_once",
      answer: { kind: "deny", message: "The user declined and stopped the turn.", interrupt: true },
    },
  ];
};

const into = (mode: "default" | "acceptEdits"): BridgeAnswer =>
  allow([{ type: "setMode", mode, destination: "session" }]);

const planChoices = (): DialogChoice<BridgeAnswer>[] => [
  { id: "approve", name: "Approve, and ask before each edit", kind: "allow_once", answer: into("default") },
  { id: "approve-edits", name: "Approve, and accept edits", kind: "allow_always", answer: into("acceptEdits") },
  {
    id: "plan",
    name: "Keep planning",
    kind: "reject_once",
    answer: { kind: "deny", message: NO_CHANGES },
  },
];

/** A form or a dialog that this editor cannot show. It can be declined here, and answered on another device. */
const otherDialog = ({ id, request }: OpenRequest): DialogWithChoices<BridgeAnswer> => {
  const lines = wholeRequest(request).map((line) => line.text);
  const isForm = request.subtype === "elicitation";
  const isPage = isForm && request.mode === "url";
  const where = isPage
    ? "Open the address in a browser, then say that you are done."
    : "Answer it on the page of Quarterdeck, or decline it here.";
  return {
    dialog: {
      options: [],
      toolCall: {
        toolCallId: id,
        title: shownTitle(
          isForm ? `${request.display_name ?? request.mcp_server_name}: ${request.message}` : "Claude Code asks",
        ),
        kind: "other",
        status: "pending",
        content: [{ type: "content", content: { type: "text", text: `${where}\n\n${fenced(lines.join("\n"))}` } }],
      },
    },
    choices: [
      ...(isPage
        ? [
            {
              id: "done",
              name: "Done",
              kind: "allow_once" as const,
              answer: { kind: "elicitation", action: "accept" } satisfies BridgeAnswer,
            },
          ]
        : []),
      {
        id: "decline",
        name: "Decline",
        kind: "reject_once",
        answer: isForm
          ? { kind: "elicitation", action: "decline" }
          : { kind: "dialog", result: { behavior: "cancelled" } },
      },
    ],
  };
};
