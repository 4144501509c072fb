// Sends an answer with the hash of the request that the card shows. The server refuses the answer if the request has
// changed.

import { BridgeError, hashOf, type Client, type OpenRequest, type ParamsOf } from "@quarterdeck/client";
import { useCallback, useRef, useState } from "react";
import { formatTime } from "../words/format.ts";
import { toast } from "../parts/toast.tsx";
import { forgetWritten, writtenIn } from "./written-answer.ts";
import { WORDS } from "./words.ts";

export type AnswerOf = ParamsOf<"session/respond">["answer"];

export interface Responding {
  readonly busy: boolean;
  readonly error: string | undefined;
  readonly respond: (answer: AnswerOf) => Promise<boolean>;
}

export const useRespond = (client: Client, session: string, open: OpenRequest): Responding => {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const sending = useRef(false);
  const respond = useCallback(
    async (answer: AnswerOf): Promise<boolean> => {
      if (sending.current) return false;
      sending.current = true;
      setBusy(true);
      setError(undefined);
      try {
        const { id: requestId, incarnation, request } = open;
        await client.command("session/respond", {
          session,
          requestId,
          incarnation,
          inputHash: await hashOf(request),
          answer,
        });
        forgetWritten(writtenIn(session, requestId));
        return true;
      } catch (failure) {
        if (failure instanceof BridgeError && failure.code === "already-answered") toast(lostWords(failure));
        else setError(failure instanceof Error ? failure.message : String(failure));
        return false;
      } finally {
        sending.current = false;
        setBusy(false);
      }
    },
    [client, session, open],
  );
  return { busy, error, respond };
};

const lostWords = ({ data }: BridgeError): string => {
  const by = data["by"] as { readonly name?: string; readonly id?: string } | undefined;
  const at = data["at"];
  return WORDS.late(
    by === undefined ? undefined : (by.name ?? by.id ?? WORDS.otherDevice),
    typeof at === "number" ? formatTime(at) : undefined,
  );
};
