// A person's answer at a terminal, as a call to the server. It names the process that asked and the hash of what was
// shown.

import { BridgeError, hashOf } from "@quarterdeck/client";
import type { Client } from "@quarterdeck/client";
import type { OpenRequest } from "@quarterdeck/session";
import type { ParamsOf, RequestPreview, ResultOf } from "@quarterdeck/session/bridge";
import type { PersonsAnswer } from "../terminal/ask-person.ts";
import { hasPreview } from "../terminal/whole-request.ts";

type BridgeAnswer = ParamsOf<"session/respond">["answer"];

export const respond = async (
  client: Client,
  session: string,
  open: OpenRequest,
  answer: PersonsAnswer,
): Promise<ResultOf<"session/respond">> =>
  client.command("session/respond", {
    session,
    requestId: open.id,
    incarnation: open.incarnation,
    inputHash: await hashOf(open.request),
    answer: bridgeAnswerOf(open, answer),
  });

/** What a file would become. Without it the input itself is shown, which contains the same. */
export const fetchPreview = async (
  client: Client,
  session: string,
  { id, request }: OpenRequest,
): Promise<RequestPreview | undefined> => {
  if (!hasPreview(request)) return undefined;
  try {
    return await client.call("requests/preview", { session, requestId: id });
  } catch (error) {
    if (error instanceof BridgeError) return undefined;
    throw error;
  }
};

const bridgeAnswerOf = ({ request }: OpenRequest, answer: PersonsAnswer): BridgeAnswer => {
  switch (answer.kind) {
    case "allow": {
      const { updatedPermissions } = answer;
      return {
        kind: "allow",
        ...(updatedPermissions !== undefined && { updatedPermissions: [...updatedPermissions] }),
      };
    }
    case "deny":
      return answer;
    case "answers":
      return {
        kind: "answers",
        answers: Object.fromEntries(Object.entries(answer.answers).map(([text, given]) => [text, [...given]])),
      };
    case "declined":
      return request.subtype === "elicitation"
        ? { kind: "elicitation", action: "decline" }
        : { kind: "dialog", result: { behavior: "cancelled" } };
  }
};
