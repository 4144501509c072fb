// A dialog of a kind that this page does not know. It shows the text as it came, and a button that cancels.

import { Button } from "../parts/button.tsx";
import { may } from "../store/may.ts";
import { useArming } from "./arming.ts";
import { useCardKeys } from "./card-keys.ts";
import type { RequestCardProps } from "./permission-card.tsx";
import { useRespond } from "./respond.ts";
import { TrueText } from "../content/text/true-text.tsx";
import { WORDS } from "./words.ts";

export const DialogCard = ({ client, session, open, card }: RequestCardProps) => {
  const { respond, busy, error } = useRespond(client, session, open);
  const mayAnswer = may(client, "session/respond");
  const dismiss = (): void => {
    if (mayAnswer && !busy) void respond({ kind: "dialog", result: { behavior: "cancelled" } });
  };
  const { isKeyArmed } = useArming(card, open.id);
  const onKeyDown = useCardKeys(({ id, event }) => {
    if (id !== "request.deny") return false;
    if (isKeyArmed(event)) dismiss();
    return true;
  });
  return (
    <div className="ask-card" onKeyDown={onKeyDown}>
      <header className="ask-top">
        <h3>{WORDS.dialog}</h3>
        <p>{"dialog_kind" in open.request ? open.request.dialog_kind : open.request.subtype}</p>
      </header>
      <pre className="ask-input" tabIndex={0}>
        <TrueText text={JSON.stringify("payload" in open.request ? open.request.payload : open.request, null, 2)} />
      </pre>
      {error !== undefined && (
        <p className="ask-problem" role="alert">
          {error}
        </p>
      )}
      <footer className="ask-acts">
        <Button busy={busy} disabled={!mayAnswer} onClick={dismiss}>
          {WORDS.dismiss}
        </Button>
      </footer>
    </div>
  );
};
