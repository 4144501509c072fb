// Answers to open requests. What a client says is checked against the server's own copy: the process, the exact input by its hash,
// the kind of answer.

import type { Answer } from "@quarterdeck/host";
import { answerQuestions, isRecord } from "@quarterdeck/protocol";
import type { ToolInputs } from "@quarterdeck/protocol";
import type { Actor, ClosedRequest, Head, OpenRequest } from "@quarterdeck/session";
import type { BridgeAnswer } from "@quarterdeck/session/bridge/schema";
import { previewOf } from "../../files/request-preview.ts";
import { actorOf, sightOf } from "../parts.ts";
import { mustBeAllowed } from "../must-be-allowed.ts";
import type { Handlers, Parts } from "../parts.ts";
import { Refusal } from "../../refusal.ts";
import { isMode, ours } from "./session.ts";

export const requestsMethods = (parts: Parts): Handlers<"session/respond" | "requests/preview"> => ({
  "session/respond": async ({ session: id, requestId, incarnation, inputHash, answer }, { device }) => {
    const session = ours(parts, id);
    const by = actorOf(device);
    const open = session.head.requests.find((request) => request.id === requestId);
    if (open === undefined) {
      const earlier = ownAnswer(session.head, requestId, by, answer, parts.startedAt);
      if (earlier !== undefined) return { by, at: earlier.at };
      if (!session.head.closedRequests.some((closed) => closed.id === requestId))
        throw new Refusal("unknown-request", "The request does not exist.", { requestId });
    } else {
      mustBeKnownModes(answer);
      mustBeAllowed(device, "session/respond", { answer }, { suggested: suggestedIn(open) });
    }
    const given = open === undefined ? DENIED : answerTo(open, answer);
    const { at } = await session.respond(requestId, given, by, { incarnation, inputHash });
    return { by, at };
  },

  "requests/preview": async ({ session: id, requestId }, { device }) => {
    const open = ours(parts, id).head.requests.find((request) => request.id === requestId);
    if (open === undefined) throw new Refusal("not-open", "This request is not open.", { requestId });
    return previewOf(open.request, sightOf(parts, device).named);
  },
});

/** For a closed request, the host says why. The content of the answer no longer matters. */
const DENIED: Answer = { behavior: "deny", message: "" };

/** A command that was sent again to a server which has been restarted meanwhile: it was done, and the log says so. */
const ownAnswer = (
  head: Head,
  requestId: string,
  by: Actor,
  answer: BridgeAnswer,
  startedAt: number,
): ClosedRequest | undefined => {
  const behavior = answer.kind === "deny" ? "deny" : "allow";
  return head.closedRequests.find(
    (closed) =>
      closed.id === requestId &&
      closed.fate === "answered" &&
      closed.at < startedAt &&
      closed.by?.id === by.id &&
      (closed.behavior === undefined || closed.behavior === behavior),
  );
};

/** The CLI may accept a spelling that we do not know. */
const mustBeKnownModes = (answer: BridgeAnswer): void => {
  if (answer.kind !== "allow") return;
  for (const update of answer.updatedPermissions ?? [])
    if (update.type === "setMode" && !isMode(update.mode))
      throw new Refusal("invalid-answer", `The mode ${JSON.stringify(update.mode)} does not exist.`);
};

const suggestedIn = ({ request }: OpenRequest) =>
  (request.subtype === "can_use_tool" && request.permission_suggestions) || [];

const answerTo = (open: OpenRequest, answer: BridgeAnswer): Answer => {
  const wrong = (): Refusal =>
    new Refusal("invalid-answer", `A request of kind ${open.kind} does not accept an answer of kind ${answer.kind}.`, {
      kind: open.kind,
    });
  const { request } = open;
  switch (open.kind) {
    case "permission":
    case "plan":
      if (answer.kind === "allow") return allowed(answer);
      if (answer.kind === "deny") return denied(answer);
      throw wrong();
    case "question":
      if (answer.kind === "deny") return denied(answer);
      if (answer.kind !== "answers" || request.subtype !== "can_use_tool") throw wrong();
      return { behavior: "allow", updatedInput: answeredInput(request.input, answer) };
    case "elicitation":
      if (answer.kind !== "elicitation") throw wrong();
      return elicited(answer);
    case "dialog":
      if (answer.kind !== "dialog" || !isRecord(answer.result)) throw wrong();
      return answer.result as Answer;
    default:
      throw new Refusal("unknown-request", "The host answers this request itself.", { requestId: open.id });
  }
};

type Of<K extends BridgeAnswer["kind"]> = Extract<BridgeAnswer, { kind: K }>;

/** Without an edit that a person made, the host sends its own copy of what was asked. */
const allowed = ({ updatedInput, updatedPermissions }: Of<"allow">): Answer => ({
  behavior: "allow",
  ...(updatedInput !== undefined && { updatedInput }),
  ...(updatedPermissions !== undefined && { updatedPermissions }),
});

const denied = ({ message, interrupt }: Of<"deny">): Answer => ({
  behavior: "deny",
  message,
  ...(interrupt === true && { interrupt }),
});

const elicited = ({ action, content }: Of<"elicitation">): Answer => ({
  action,
  ...(isRecord(content) && { content }),
});

const answeredInput = (
  input: Readonly<Record<string, unknown>>,
  { answers, notes }: Of<"answers">,
): Readonly<Record<string, unknown>> => {
  const annotations = Object.fromEntries(
    Object.entries(notes ?? {}).map(([question, note]) => [question, { notes: note }]),
  );
  const given = notes === undefined ? undefined : annotations;
  return { ...answerQuestions(input as unknown as ToolInputs["AskUserQuestion"], answers, given) };
};
