// What a person answered at a terminal, as a call to the server: bound to the process that asked and to exactly what was shown.

import { hashOf } from "@quarterdeck/client";
import type { Client } from "@quarterdeck/client";
import type { OpenRequest } from "@quarterdeck/session";
import type { ParamsOf, ResultOf } from "@quarterdeck/session/bridge";
import type { PersonsAnswer } from "../ask-person.ts";

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
