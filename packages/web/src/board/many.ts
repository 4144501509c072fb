// Actions on several sessions. Each session gets its own command. If some fail, the others are still done.

import type { Client, SessionSummary } from "@quarterdeck/client";
import { needs } from "@quarterdeck/client/policy";
import { toast, toastError } from "../parts/toast.tsx";
import { afterConfirm } from "../store/surfaces.ts";
import { plural } from "../words/format.ts";
import { titleOf } from "../words/session-words.ts";

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
  sessions.length === 1 ? `“${titleOf(sessions[0]!)}”` : plural(sessions.length, "session");

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
  toast(`${archived ? "Archived" : "Unarchived"} ${words(done)}.`, {
    action: { label: "Undo", run: () => void forEach(done, put(!archived)) },
  });
};

/** A stopped session stays, and its next message resumes it. */
export const stopMany = async (client: Client, sessions: readonly SessionSummary[]): Promise<void> => {
  const live = sessions.filter((summary) => summary.live);
  const { done, failure } = await forEach(live, ({ id }) => client.command("sessions/close", { session: id }));
  if (failure !== undefined) toastError(failure);
  if (done.length > 0) toast(`Stopped ${words(done)}. The next message resumes it.`);
};

const NAMED = 5;

export const deleteMany = (client: Client, sessions: readonly SessionSummary[], then: () => void): void => {
  const named = sessions
    .slice(0, NAMED)
    .map((summary) => `“${titleOf(summary)}”`)
    .join(", ");
  const more = sessions.length > NAMED ? ` and ${plural(sessions.length - NAMED, "more", "more")}` : "";
  afterConfirm(needs("sessions/delete"), {
    title: sessions.length === 1 ? "Delete this session?" : `Delete ${sessions.length} sessions?`,
    text: `${named}${more}: Deletes Quarterdeck's log and attachments. Project files and Claude's transcript stay. You can't undo this. To hide sessions, archive them instead.`,
    action: "Delete",
    tone: "danger",
    run: () => {
      const remove = async (): Promise<void> => {
        const { done, failure } = await forEach(sessions, ({ id }) =>
          client.command("sessions/delete", { session: id }),
        );
        if (failure !== undefined) toastError(failure);
        if (done.length > 0) toast(`Deleted ${words(done)}.`);
        then();
      };
      void remove();
    },
  });
};
