// An answer of the CLI that a panel shows: asked when the panel is looked at, and again on demand.

import type { Client } from "@quarterdeck/client";
import { useCallback, useEffect, useState } from "react";
import { fieldsOf, type Fields } from "../content/fields.ts";
import { WORDS } from "./words.ts";

export type AnyCliRequest = { readonly subtype: string } & Fields;

export const requestOf = (client: Client, session: string, request: AnyCliRequest): Promise<Fields> =>
  client.command("session/request", { session, request }).then(({ response }) => fieldsOf(response));

export interface RequestState {
  readonly answer: Fields | undefined;
  readonly problem: string | undefined;
  readonly load: () => void;
}

/** Older CLIs never answer a request that they do not know. After this time a panel says that it got no answer. */
const PATIENCE_MS = 5000;

/** Nothing is asked of a process that has ended. `again` asks once more when it changes. */
export const useRequest = (
  client: Client,
  session: string,
  subtype: string,
  isLive: boolean,
  again?: unknown,
): RequestState => {
  const [answer, setAnswer] = useState<Fields>();
  const [problem, setProblem] = useState<string>();
  const load = useCallback(() => {
    requestOf(client, session, { subtype }).then(
      (found) => {
        setAnswer(found);
        setProblem(undefined);
      },
      (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)),
    );
  }, [client, session, subtype]);
  useEffect(() => {
    if (isLive) load();
  }, [load, isLive, again]);
  const isWaiting = isLive && answer === undefined && problem === undefined;
  useEffect(() => {
    if (!isWaiting) return undefined;
    const timer = setTimeout(() => setProblem(WORDS.noAnswer), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [isWaiting]);
  return { answer, problem, load };
};
