// Allow and Deny in the list, for a request that is short, harmless and fully shown. All others are opened first.

import { BridgeError, type Client, type ParamsOf, type SessionSummary } from "@quarterdeck/client";
import { NO_REASON } from "@quarterdeck/client/content";
import { useRef, useState } from "react";
import { Button } from "../parts/button.tsx";
import { toastError } from "../parts/toast.tsx";
import { useArming } from "../requests/arming.ts";
import { WORDS } from "./words.ts";

type Waiting = SessionSummary["waiting"][number];

interface QuickAnswerProps {
  readonly client: Client;
  readonly session: string;
  readonly request: string;
  readonly quick: NonNullable<Waiting["quick"]>;
}

export const QuickAnswer = ({ client, session, request, quick }: QuickAnswerProps) => {
  const row = useRef<HTMLDivElement>(null);
  const { armed, isArmed } = useArming(row, request);
  const [busy, setBusy] = useState(false);
  const respond = (answer: ParamsOf<"session/respond">["answer"]): void => {
    const { incarnation, inputHash } = quick;
    setBusy(true);
    client
      .command("session/respond", { session, requestId: request, incarnation, inputHash, answer })
      .catch((error: unknown) => {
        setBusy(false);
        // Another device was first. The list drops the request by itself.
        if (!(error instanceof BridgeError && error.code === "already-answered")) toastError(error);
      });
  };
  return (
    <div ref={row} className="home-acts">
      <Button disabled={busy} onClick={() => respond({ kind: "deny", message: NO_REASON })}>
        {WORDS.deny}
      </Button>
      <Button
        tone="main"
        busy={busy}
        aria-disabled={!armed || undefined}
        onClick={(event) => isArmed(event.nativeEvent) && respond({ kind: "allow" })}
      >
        {WORDS.allowOnce}
      </Button>
    </div>
  );
};
