// Above the composer: a budget is nearly spent or spent, with the way to raise it. Prompts that were refused are sent again then.

import type { Client, Head } from "@quarterdeck/client";
import { useEffect, useRef, useState } from "react";
import { outbox } from "../composer/outbox.ts";
import { Button } from "../parts/button.tsx";
import { toastError } from "../parts/toast.tsx";
import { may } from "../store/may.ts";
import { formatCost } from "../words/format.ts";
import { AmountField } from "./amount-field.tsx";

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
  const whose = scope === "day" ? "today's budget" : "the budget of this session";
  const mayRaise = may(client, "budgets/set", scope === "day" ? { dayUsd: 1 } : { limitUsd: 1 });
  const save = (amount: number | null): Promise<unknown> =>
    client
      .command("budgets/set", scope === "day" ? { dayUsd: amount } : { session, limitUsd: amount })
      .catch(toastError);
  return (
    <div className="deck-note deck-budget" role={isReached ? "alert" : "status"}>
      <span>
        <b>
          {isReached ? "All" : `${Math.round((spentUsd / limitUsd) * 100)} %`} of {whose} is spent:
        </b>{" "}
        <span className="num">
          {formatCost(spentUsd)} of {formatCost(limitUsd)}.
        </span>{" "}
        {isReached && "No messages are sent until it is raised. What you write stays here."}
        {!mayRaise && (scope === "day" ? " Only an admin can raise it." : " This device cannot raise it.")}
      </span>
      {mayRaise && !raising && (
        <Button small tone={isReached ? "main" : "plain"} onClick={() => setRaising(true)}>
          Raise…
        </Button>
      )}
      {mayRaise && raising && (
        <AmountField
          label={scope === "day" ? "All sessions, per day ($)" : "Budget of this session ($)"}
          value={limitUsd}
          onSave={save}
        />
      )}
    </div>
  );
};
