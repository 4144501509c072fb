// Above the composer: a budget is nearly spent or spent, with the way to raise it. Prompts that were refused are sent again then.

import type { Client, Head } from "@quarterdeck/client";
import { useEffect, useRef, useState } from "react";
import { outbox } from "../composer/outbox.ts";
import { Button } from "../parts/button.tsx";
import { toastError } from "../parts/toast.tsx";
import { may } from "../store/may.ts";
import { formatCost } from "../words/format.ts";
import { AmountField } from "./amount-field.tsx";
import { WORDS } from "./words.ts";

export interface BudgetNoteProps {
  readonly client: Client;
  readonly session: string;
  readonly budget: NonNullable<Head["budget"]> | undefined;
}

export const BudgetNote = ({ client, session, budget }: BudgetNoteProps) => {
  const [raising, setRaising] = useState(false);
  const wasReached = useRef(false);
  const isReached = budget?.state === "reached";
  useEffect(() => {
    if (wasReached.current && !isReached) {
      setRaising(false);
      for (const { commandId, session: of, refused } of outbox.all())
        if (of === session && refused?.code === "over-budget") outbox.retry(client, commandId);
    }
    wasReached.current = isReached;
  }, [client, session, isReached]);
  if (budget === undefined) return null;
  const { scope, spentUsd, limitUsd } = budget;
  const share = `${Math.round((spentUsd / limitUsd) * 100)} %`;
  const spent =
    scope === "day"
      ? isReached
        ? WORDS.dayAll
        : WORDS.daySpent(share)
      : isReached
        ? WORDS.sessionAll
        : WORDS.sessionSpent(share);
  const mayRaise = may(client, "budgets/set", scope === "day" ? { dayUsd: 1 } : { limitUsd: 1 });
  const save = (amount: number | null): Promise<unknown> =>
    client
      .command("budgets/set", scope === "day" ? { dayUsd: amount } : { session, limitUsd: amount })
      .catch(toastError);
  return (
    <div className="deck-note deck-budget" role={isReached ? "alert" : "status"}>
      <span>
        <b>{spent}</b> <span className="num">{WORDS.spentOf(formatCost(spentUsd), formatCost(limitUsd))}</span>{" "}
        {isReached && WORDS.stopped}
        {!mayRaise && ` ${scope === "day" ? WORDS.onlyAdmin : WORDS.notHere}`}
      </span>
      {mayRaise && !raising && (
        <Button small tone={isReached ? "main" : "plain"} onClick={() => setRaising(true)}>
          {WORDS.raise}
        </Button>
      )}
      {mayRaise && raising && (
        <AmountField label={scope === "day" ? WORDS.perDay : WORDS.perSession} value={limitUsd} onSave={save} />
      )}
    </div>
  );
};
