// Finds the session or request that a person means by a few letters.

import type { Client, SessionView } from "@quarterdeck/client";
import { waitsForPerson } from "@quarterdeck/session";
import type { OpenRequest } from "@quarterdeck/session";
import type { SessionSummary } from "@quarterdeck/session/bridge";
import { UserError } from "../user-error.ts";

const PAGE = 500;

export const everySession = async (
  client: Pick<Client, "call">,
  state: "all" | "live" | "waiting" = "all",
  query?: string,
): Promise<SessionSummary[]> => {
  const sessions: SessionSummary[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.call("sessions/list", {
      state,
      limit: PAGE,
      ...(query !== undefined && { query }),
      ...(cursor !== undefined && { cursor }),
    });
    sessions.push(...page.sessions);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return sessions;
};

/** By the start of its id, or by its title. */
export const findSession = async (client: Pick<Client, "call">, wanted: string): Promise<SessionSummary> => {
  const matching = matchingIn(await everySession(client), wanted);
  if (matching.length === 1) return matching[0]!;
  throw new UserError(
    matching.length === 0
      ? `Session ${wanted} does not exist. \`quarterdeck ls --all\` shows all sessions.`
      : `${wanted} matches ${String(matching.length)} sessions. Use more characters of the id.`,
  );
};

const matchingIn = (sessions: readonly SessionSummary[], wanted: string): SessionSummary[] =>
  wanted === "" ? [] : sessions.filter(({ id, title }) => id.startsWith(wanted) || title === wanted);

/** Resolves when the session's snapshot is loaded. */
export const ready = (view: SessionView): Promise<void> =>
  new Promise((resolve, reject) => {
    const look = (): void => {
      const { status, error } = view.snapshot;
      if (status === "loading") return;
      stop();
      if (status === "ready") resolve();
      else reject(new UserError(error?.message ?? "The session cannot be opened."));
    };
    const stop = view.subscribe(look);
    look();
  });

export interface FoundRequest {
  readonly session: SessionSummary;
  readonly open: OpenRequest;
  /** Named by its full id, so it is unambiguous. */
  readonly isNamed: boolean;
}

/** A request by its own id, or the only one of a session. If there are several, `request` must name it. */
export const findRequest = async (client: Client, wanted: string, request?: string): Promise<FoundRequest> => {
  const waiting = await everySession(client, "waiting");
  const ofRequest = waiting.flatMap((session) =>
    session.waiting.filter(({ id }) => id.startsWith(wanted)).map(({ id }) => ({ session, id })),
  );
  if (request === undefined && ofRequest.length === 1) {
    const [{ session, id }] = ofRequest as [(typeof ofRequest)[0]];
    const open = (await openRequests(client, session.id)).find((one) => one.id === id);
    if (open === undefined) throw new UserError("The request is closed: it was answered or withdrawn.");
    return { session, open, isNamed: true };
  }
  if (ofRequest.length > 1)
    throw new UserError(`${wanted} matches ${String(ofRequest.length)} requests. Use more characters of the id.`);
  const [session, another] = matchingIn(await everySession(client), wanted);
  if (session === undefined)
    throw new UserError(
      `No open request and no session matches ${wanted}. It may be answered already. \`quarterdeck ls --waiting\` shows open requests.`,
    );
  if (another !== undefined) throw new UserError(`${wanted} matches several sessions. Use more characters of the id.`);
  const open = await openRequests(client, session.id);
  if (open.length === 0) throw new UserError("This session has no open request.");
  const matching = request === undefined ? open : open.filter(({ id }) => id.startsWith(request));
  if (matching.length === 1) return { session, open: matching[0]!, isNamed: request !== undefined };
  throw new UserError(
    `This session has several open requests. Name one of these: ${open.map(({ id }) => id.slice(0, 8)).join(", ")}.`,
  );
};

/** Requests that a person may answer. */
export const openRequests = async (client: Client, session: string): Promise<readonly OpenRequest[]> => {
  const view = client.session(session);
  try {
    await ready(view);
    return view.snapshot.head.requests.filter(waitsForPerson);
  } finally {
    view.close();
  }
};
