// Budgets as the page shows and changes them. The server decides; this asks it, and asks again when a session's cost changes.

import type { Client, ResultOf } from "@quarterdeck/client";
import { useCallback, useEffect, useState } from "react";

export type Budget = ResultOf<"budgets/get">;

export const useBudget = (
  client: Client,
  session: string | undefined,
  again?: unknown,
): { readonly budget: Budget | undefined; readonly problem: string | undefined; readonly reload: () => void } => {
  const [budget, setBudget] = useState<Budget>();
  const [problem, setProblem] = useState<string>();
  const reload = useCallback(() => {
    client.call("budgets/get", session === undefined ? {} : { session }).then(
      (found) => {
        setBudget(found);
        setProblem(undefined);
      },
      (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)),
    );
  }, [client, session]);
  useEffect(reload, [reload, again]);
  return { budget, problem, reload };
};

/** "5", "$5", "5.50". Empty is null: no budget. Anything else is undefined. */
export const readAmount = (text: string): number | null | undefined => {
  const plain = text.trim().replace(/^\$/u, "").replace(",", ".");
  if (plain === "") return null;
  const value = Number(plain);
  return Number.isFinite(value) && value > 0 && value <= 1_000_000 ? value : undefined;
};
