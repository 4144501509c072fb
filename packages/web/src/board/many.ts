// Actions on several sessions. Each session gets its own command. If some fail, the others are still done.

import type { Client, SessionSummary } from "@quarterdeck/client";
import { needs } from "@quarterdeck/client/policy";
import { toast, toastError } from "../parts/toast.tsx";
import { afterConfirm } from "../store/surfaces.ts";
import { sessionTitleOf } from "../words/session-words.ts";
import { WORDS } from "./words.ts";

const AT_ONCE = 8;

/** Returns those that worked, and the first failure. */
export const forEach = async (
  sessions: readonly SessionSummary[],
  run: (summary: SessionSummary) => Promise<unknown>,
): Promise<{ readonly done: readonly SessionSummary[]; readonly failure: unknown }> => {
  const done: SessionSummary[] = [];
  let failure: unknown;
  for (let from = 0; from < sessions.length; from += AT_ONCE) {
    const some = sessions.slice(from, from + AT_ONCE);
    const settled = await Promise.allSettled(some.map(run));
    settled.forEach((result, at) => {
      if (result.status === "fulfilled") done.push(some[at]!);
      else failure ??= result.reason;
    });
  }
  return { done, failure };
};

const words = (sessions: readonly SessionSummary[]): string =>
  sessions.length === 1 ? WORDS.one(sessionTitleOf(sessions[0]!)) : WORDS.many(sessions.length);

export const archiveMany = async (
  client: Client,
  sessions: readonly SessionSummary[],
  archived: boolean,
): Promise<void> => {
  const put = (to: boolean) => (summary: SessionSummary) =>
    client.command("sessions/archive", { session: summary.id, archived: to });
  const { done, failure } = await forEach(sessions, put(archived));
  if (failure !== undefined) toastError(failure);
  if (done.length === 0) return;
  toast((archived ? WORDS.wasArchived : WORDS.wasUnarchived)(words(done)), {
    action: { label: WORDS.undo, run: () => void forEach(done, put(!archived)) },
  });
};

/** A stopped session stays, and its next message resumes it. */
export const stopMany = async (client: Client, sessions: readonly SessionSummary[]): Promise<void> => {
  const live = sessions.filter((summary) => summary.live);
  const { done, failure } = await forEach(live, ({ id }) => client.command("sessions/close", { session: id }));
  if (failure !== undefined) toastError(failure);
  if (done.length > 0) toast(WORDS.wasStopped(words(done)));
};

const NAMED = 5;

export const deleteMany = (client: Client, sessions: readonly SessionSummary[], then: () => void): void => {
  const named = sessions
    .slice(0, NAMED)
    .map((summary) => WORDS.one(sessionTitleOf(summary)))
    .join(WORDS.between);
  const what = sessions.length > NAMED ? WORDS.andMore(named, sessions.length - NAMED) : named;
  afterConfirm(needs("sessions/delete"), {
    title: sessions.length === 1 ? WORDS.deleteAsk : WORDS.deleteAskMany(sessions.length),
    text: WORDS.deleteAbout(what),
    action: WORDS.delete,
    tone: "danger",
    run: () => {
      const remove = async (): Promise<void> => {
        const { done, failure } = await forEach(sessions, ({ id }) =>
          client.command("sessions/delete", { session: id }),
        );
        if (failure !== undefined) toastError(failure);
        if (done.length > 0) toast(WORDS.wasDeleted(words(done)));
        then();
      };
      void remove();
    },
  });
};
