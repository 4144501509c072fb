// One session: following it, reading it, steering it.

import { HostError, rowMatcher } from "@quarterdeck/host";
import type { Session } from "@quarterdeck/host";
import { CONTROL, decodeValue, MESSAGE_KEYS, PERMISSION_MODES } from "@quarterdeck/protocol";
import type { HostSubtype, PermissionMode, RequestOf } from "@quarterdeck/protocol";
import { FOLD_VERSION, textWithoutSecrets } from "@quarterdeck/session";
import type { Event } from "@quarterdeck/session";
import type { DraftPiece } from "@quarterdeck/session/bridge";
import { REQUEST_ROLES } from "@quarterdeck/session/bridge/policy";
import { seenAnswer, seenFact } from "@quarterdeck/session/bridge/seen-answers";
import { cursorOf, MOST_ROWS, splitHead } from "../feed.ts";
import type { Feed } from "../feed.ts";
import { actorOf } from "../parts.ts";
import type { Handlers, Parts } from "../parts.ts";
import { promptContent } from "../prompt-content.ts";
import { Refusal, unknownSession } from "../../refusal.ts";
import { mustBeSamePrompt } from "../resent.ts";
import { changesOf } from "../session-source.ts";
import { withinSize } from "../within-size.ts";
import { noteServers } from "./mcp.ts";
import { mustBeShared, mustHoldFolder, resumeIfEnded } from "./sessions.ts";

const FIRST_ROWS = 100;
const PAGE_ROWS = 100;
const FOUND_ROWS = 200;
const INTERRUPT_MS = 30_000;
const REQUEST_MS = 120_000;

export const sessionMethods = (
  parts: Parts,
): Handlers<
  | "session/subscribe"
  | "session/unsubscribe"
  | "session/ack"
  | "session/rows"
  | "session/find"
  | "session/events"
  | "session/prompt"
  | "session/editPrompt"
  | "session/cancelPrompt"
  | "session/interrupt"
  | "session/request"
  | "session/setModel"
  | "session/setPermissionMode"
  | "session/setThinking"
> => {
  const { store, feeds } = parts;
  const queues = new Queues();

  const live = (id: string): Session => {
    const session = ours(parts, id);
    if (!session.isLive) throw new Refusal("not-live", "This session has no process. Resume it.", { session: id });
    return session;
  };

  return {
    "session/subscribe": ({ session, cursor, rows, paceMs = 0 }, caller) =>
      feeds.follow(session, caller, paceMs, (feed) => stateOf(feed, cursor, rows ?? FIRST_ROWS)),

    "session/unsubscribe": ({ session }, caller) => {
      feeds.unfollow(session, caller);
      return {};
    },

    "session/ack": ({ session, bytes }, caller) => {
      if (bytes !== undefined) caller.following.get(session)?.acknowledged(bytes);
      return {};
    },

    "session/rows": async ({ session, before, after, around, limit = PAGE_ROWS }) => {
      const view = await feeds.view(session);
      const cursor = cursorOf(view);
      if (around !== undefined) {
        const window = view.rowsAround(around, Math.ceil(limit / 2));
        if (window === undefined) throw new Refusal("not-found", "The row does not exist.", { row: around });
        const at = window.rows.findIndex(({ id }) => id === around);
        const earlier = withinSize(window.rows.slice(0, at), "end");
        const later = withinSize(window.rows.slice(at), "start");
        return {
          rows: [...earlier, ...later],
          moreBefore: window.moreBefore || earlier.length < at,
          moreAfter: window.moreAfter || later.length < window.rows.length - at,
          cursor,
        };
      }
      if (after !== undefined && before === undefined) {
        const page = view.rowsAfter(after, limit);
        const rows = withinSize(page.rows, "start");
        const moreAfter = page.more || rows.length < page.rows.length;
        return { rows, moreBefore: view.rowsBefore(after + 1, 1).rows.length > 0, moreAfter, cursor };
      }
      const order = before ?? Infinity;
      const page = view.rowsBefore(order, limit);
      const rows = withinSize(page.rows, "end");
      const moreBefore = page.more || rows.length < page.rows.length;
      return { rows, moreBefore, moreAfter: view.rowsAfter(order - 1, 1).rows.length > 0, cursor };
    },

    "session/find": async ({ session, text, limit = FOUND_ROWS }) => {
      const view = await feeds.view(session);
      const kept = store.session(session) === undefined ? [] : store.findRows(session, text, limit);
      // The newest rows of a session in memory are not in the index yet.
      const indexed = store.loadHead(session, FOLD_VERSION)?.rev ?? 0;
      const fresh = view.rev === indexed ? [] : view.changesSince(indexed, Infinity).rows;
      const changed = new Map(fresh.map((row) => [row.id, row]));
      const match = rowMatcher(text);
      const hits = [...kept.filter(({ rowId }) => !changed.has(rowId)), ...fresh.flatMap((row) => match(row) ?? [])];
      const inOrder = hits.toSorted((a, b) => a.order - b.order);
      return { hits: inOrder.slice(0, limit), complete: kept.length < limit && hits.length <= limit };
    },

    "session/events": async ({ session, after = 0, seqs, limit = 500, judge }, { device: { role } }) => {
      if (store.session(session) === undefined) throw unknownSession(session);
      const events: readonly Event[] =
        seqs === undefined
          ? store.read(session, after, limit)
          : seqs.flatMap((seq) => store.read(session, seq - 1, 1).filter((event) => event.seq === seq));
      const seen = withinSize(
        events.map((event) => seenFact(event, role)),
        "start",
      );
      const answer = { events: seen, lastSeq: store.lastSeq(session) };
      return judge === true
        ? { ...answer, unknown: unknownIn(events.slice(0, seen.length)), knownTypes: MESSAGE_KEYS.length }
        : answer;
    },

    "session/prompt": async ({ commandId: uuid, session: id, content, uploads = [], priority }, caller) => {
      const { device } = caller;
      const session = ours(parts, id);
      const done = { uuid, rowId: `prompt/${uuid}` };
      if (!session.isLive) await mustBeShared(parts, id);
      const row = session.row(done.rowId);
      // Sent again to a server that has been restarted meanwhile: its uploads may be gone.
      if (row?.kind === "prompt") mustBeSamePrompt(store, id, row, { prompt: content, uploads });
      else
        await queues.inTurn(id, async () => {
          await mustHoldFolder(parts, id, device);
          const made = await promptContent(parts, device, id, content, uploads);
          await session.prompt(made, { uuid, by: actorOf(device), ...(priority !== undefined && { priority }) });
        });
      if (!session.isLive || session.isLeaving) resumeInBackground(parts, id);
      return done;
    },

    "session/editPrompt": async ({ commandId, session: id, uuid, content, uploads = [] }, caller) => {
      const { device } = caller;
      const session = ours(parts, id);
      const done = (made: string) => ({ uuid: made, rowId: `prompt/${made}` });
      const row = session.row(`prompt/${commandId}`);
      if (row?.kind === "prompt") {
        mustBeSamePrompt(store, id, row, { prompt: content, uploads });
        return done(commandId);
      }
      if (!session.isLive) await mustBeShared(parts, id);
      await mustHoldFolder(parts, id, device);
      const made = await promptContent(parts, device, id, content, uploads);
      const edited = await session.editPrompt(uuid, made, actorOf(device), commandId);
      if (!session.isLive || session.isLeaving) resumeInBackground(parts, id);
      return done(edited.uuid);
    },

    "session/cancelPrompt": async ({ session: id, uuid }, { device }) => {
      const session = ours(parts, id);
      const row = session.row(`prompt/${uuid}`);
      if (row?.kind === "prompt" && row.state === "cancelled") return { cancelled: true };
      return { cancelled: await session.cancelPrompt(uuid, actorOf(device)) };
    },

    "session/interrupt": async ({ session: id, holdQueue }) => {
      const session = live(id);
      const options = { timeoutMs: INTERRUPT_MS };
      if (holdQueue === true) return { held: [...new Set((await session.stop(options)).held)] };
      await session.interrupt(options);
      return { held: [] };
    },

    "session/request": async ({ session: id, request, timeoutMs = REQUEST_MS }, { device }) => {
      const { subtype } = request;
      if (!isSubtype(subtype))
        throw new Refusal("bad-request", `The control request ${JSON.stringify(subtype)} does not exist.`);
      if (REQUEST_ROLES[subtype] === null)
        throw new Refusal("unsupported", `${subtype} is not available through the bridge.`, { subtype });
      const asked = request as RequestOf<HostSubtype>;
      if (!CONTROL[subtype].request.accepts(asked))
        throw new Refusal("bad-request", `This is not a valid ${subtype} request.`, { subtype });
      const answer = await live(id).request(asked, { timeoutMs }).catch(withCleanWords);
      if (subtype === "mcp_set_servers") noteServers(live(id), (asked as RequestOf<"mcp_set_servers">).servers);
      return { response: seenAnswer(subtype, answer, device.role) };
    },

    "session/setModel": async ({ session: id, model }) => {
      await live(id).setModel(model, { timeoutMs: REQUEST_MS });
      return {};
    },

    "session/setPermissionMode": async ({ session: id, mode }) => {
      if (!isMode(mode)) throw new Refusal("bad-request", `The mode ${JSON.stringify(mode)} does not exist.`);
      await live(id).setPermissionMode(mode, { timeoutMs: REQUEST_MS });
      return {};
    },

    "session/setThinking": async ({ session: id, maxTokens }) => {
      await live(id).setThinking(maxTokens, { timeoutMs: REQUEST_MS });
      return {};
    },
  };

  function stateOf(feed: Feed, cursor: string | undefined, rows: number) {
    const { view, kind } = feed.source;
    const about = {
      cursor: feed.cursor,
      drafts: view.drafts.map((draft): DraftPiece => ({ ...draft, from: 0 })),
      watchers: [...feed.watchers],
      readOnly: kind === "transcript",
    };
    const since = cursor === undefined ? undefined : feed.revOf(cursor);
    const changes = since === undefined ? undefined : changesOf(view, since, MOST_ROWS);
    if (changes !== undefined) {
      const { head, unset } = splitHead(changes.head);
      const common = { head, unset, rows: [...changes.rows], removed: [...changes.removed] };
      return { ...about, ...common, status: "ok" as const, more: false };
    }
    const page = rows === 0 ? { rows: [], more: true } : view.rowsBefore(Infinity, rows);
    const last = withinSize(page.rows, "end");
    const more = page.more || last.length < page.rows.length;
    return { ...about, status: "reset" as const, head: view.head, unset: [], rows: last, removed: [], more };
  }
};

/** Opens a session of our store. */
export const ours = ({ host, store }: Pick<Parts, "host" | "store">, id: string): Session => {
  if (store.session(id) === undefined) throw unknownSession(id);
  return host.get(id);
};

/** The prompt is stored. If no process can start, the session reports it to everyone who follows it. */
export const resumeInBackground = (parts: Parts, id: string): void => {
  const resume = async (): Promise<void> => {
    // Every client of the session gets it, so the text is the one for the lowest role.
    await mustHoldFolder(parts, id, { role: "view" });
    await resumeIfEnded(parts, id);
  };
  resume().catch((error: unknown) => {
    if (error instanceof HostError && error.code === "closed") return;
    const message = textWithoutSecrets(error instanceof Error ? error.message : String(error));
    parts.log.warn("session not resumed", { session: id, error: message });
    parts.feeds.tell(id, {
      level: "error",
      code: "session-failed",
      session: id,
      text: `The session could not be resumed: ${message}`,
    });
  });
};

/** The CLI's text for a failure may contain an address with a key. An answer of an unexpected form is a failure too. */
const withCleanWords = (error: unknown): never => {
  if (!(error instanceof HostError) || error.code !== "request-failed") throw error;
  const { response: _answer, ...details } = error.details;
  throw new HostError(error.code, textWithoutSecrets(error.message), details, { cause: error });
};

export const isMode = (mode: string): mode is PermissionMode => (PERMISSION_MODES as readonly string[]).includes(mode);

const isSubtype = (subtype: string): subtype is HostSubtype => Object.hasOwn(REQUEST_ROLES, subtype);

/** Prompts of one session go in the order in which they came, however long their uploads take to read. */
class Queues {
  readonly #last = new Map<string, Promise<unknown>>();

  async inTurn(key: string, work: () => Promise<void>): Promise<void> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#last.set(key, mine);
    try {
      await mine;
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }
}

const unknownIn = (events: readonly Event[]): { seq: number; reason: string }[] =>
  events.flatMap((event) => {
    if (event.type !== "received") return [];
    const decoded = decodeValue(event.message);
    return decoded.kind === "unknown" ? [{ seq: event.seq, reason: decoded.reason }] : [];
  });
