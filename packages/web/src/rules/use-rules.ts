// Rules of a folder, fetched when the page opens and after each change.

import type { Client } from "@quarterdeck/client";
import { useCallback, useEffect, useState } from "react";
import type { RulesPlace } from "../store/route.ts";
import type { Rules } from "./rule-list.ts";

export interface RulesState {
  /** What was loaded last. It stays while it is loaded again. */
  readonly rules?: Rules;
  readonly problem?: string;
  readonly loading: boolean;
}

export const useRules = (
  client: Client,
  place: RulesPlace | undefined,
): RulesState & { readonly reload: () => Promise<void> } => {
  const [state, setState] = useState<RulesState>({ loading: true });
  const { cwd, session } = place ?? {};
  const load = useCallback(
    async (isCurrent: () => boolean): Promise<void> => {
      if (cwd === undefined && session === undefined) return;
      setState((before) => ({ ...before, loading: true }));
      try {
        const rules = await client.call("rules/list", {
          ...(cwd !== undefined && { cwd }),
          ...(session !== undefined && { session }),
        });
        if (isCurrent()) setState({ rules, loading: false });
      } catch (error) {
        const problem = error instanceof Error ? error.message : String(error);
        if (isCurrent()) setState((before) => ({ ...before, problem, loading: false }));
      }
    },
    [client, cwd, session],
  );
  useEffect(() => {
    let gone = false;
    setState({ loading: true });
    void load(() => !gone);
    return () => {
      gone = true;
    };
  }, [load]);
  const reload = useCallback(() => load(() => true), [load]);
  return { ...state, reload };
};
