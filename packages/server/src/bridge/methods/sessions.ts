// Sessions as a whole: the list, and their beginnings and ends.

import { HostError, trust } from "@quarterdeck/host";
import type { Session } from "@quarterdeck/host";
import type { ClaudeOptions } from "@quarterdeck/protocol";
import { ADMIN_MODES, START_ROLES } from "@quarterdeck/session/bridge/roles";
import { inspectFolder } from "../../files/folder-inspection.ts";
import type { Device } from "../../seams.ts";
import { actorOf, mustHave } from "../parts.ts";
import type { Handlers, Params, Parts } from "../parts.ts";
import { promptContent } from "../prompt-content.ts";
import { Refusal } from "../refusal.ts";
import { messageAt } from "../message-at.ts";

type Settings = NonNullable<Params<"sessions/start">["settings"]>;

export const sessionsMethods = (
  parts: Parts,
): Handlers<
  | "sessions/list"
  | "sessions/search"
  | "sessions/start"
  | "sessions/resume"
  | "sessions/fork"
  | "sessions/close"
  | "sessions/rename"
  | "sessions/archive"
  | "sessions/delete"
> => {
  const { host, store, summaries, list, paths } = parts;
  const summaryOf = (id: string) => ({ session: summaries.must(id) });

  return {
    "sessions/list": async (params, caller) => {
      // Before it is read: what changes meanwhile is told afterwards.
      list.add(caller);
      return summaries.list(params);
    },

    "sessions/search": ({ query, limit = 50 }) => ({ hits: [...store.search(query, limit)] }),

    "sessions/start": async (params, caller) => {
      const { device } = caller;
      const { commandId: id, settings = {} } = params;
      mustBeAllowed(device, settings);
      const content =
        params.prompt === undefined ? undefined : await promptContent(parts, device, id, params.prompt, []);
      const prompt = async (session: Session) => {
        if (content !== undefined) await session.prompt(content, { uuid: id, by: actorOf(device) });
      };
      // Sent again to a server that has been restarted meanwhile.
      if (store.session(id) !== undefined) {
        await prompt(host.get(id));
        await resumeIfEnded(parts, id);
        return summaryOf(id);
      }
      const cwd = await paths.resolve(params.cwd);
      for (const path of [...(settings.addDir ?? []), ...(settings.pluginDir ?? [])]) await paths.resolve(path);
      const narrowed = await mustTrust(parts, cwd, params.withoutFolderSettings === true);
      if (params.continue === true) {
        const newest = await newestIn(parts, cwd);
        if (newest !== undefined) {
          await prompt(newest);
          await resumeIfEnded(parts, newest.id);
          return summaryOf(newest.id);
        }
      }
      const fromPr = params.fromPr === undefined ? {} : { fromPr: String(params.fromPr), forkSession: true };
      const session = await host.start({
        cwd,
        cli: { ...(settings as ClaudeOptions), ...narrowed, ...fromPr, sessionId: id },
        ...(params.title !== undefined && { title: params.title }),
      });
      await prompt(session);
      return summaryOf(session.id);
    },

    "sessions/resume": async ({ session: id, takeOver, withoutFolderSettings }) => {
      if (store.session(id) === undefined) return summaryOf(await takeOverTranscript(parts, id, takeOver === true));
      const record = store.session(id)!;
      await mustTrust(parts, record.cwd, withoutFolderSettings === true);
      await resumeIfEnded(parts, id);
      return summaryOf(id);
    },

    "sessions/fork": async ({ commandId, session, atRow, title }) => {
      if (store.session(commandId) !== undefined) {
        await resumeIfEnded(parts, commandId);
        return summaryOf(commandId);
      }
      const at = atRow === undefined ? undefined : await messageAt(parts, session, atRow);
      const forked = await host.fork(session, {
        ...(at !== undefined && { at }),
        ...(title !== undefined && { title }),
      });
      return summaryOf(forked.id);
    },

    "sessions/close": async ({ session, finishTurn }) => {
      if (store.session(session) === undefined) throw unknownSession(session);
      await host.opened(session)?.close(finishTurn === true ? { finishTurn: true } : {});
      return {};
    },

    "sessions/rename": async ({ session, title }) => {
      try {
        await host.rename(session, title);
      } catch (error) {
        // The title is ours and is kept; an older CLI has none to change.
        if (!(error instanceof HostError) || error.code !== "request-failed") throw error;
      }
      return {};
    },

    "sessions/archive": async ({ session, archived }) => {
      await host.archive(session, archived);
      return {};
    },

    "sessions/delete": async ({ session }) => {
      await host.delete(session);
      return {};
    },
  };
};

export const unknownSession = (session: string): Refusal =>
  new Refusal("unknown-session", "There is no such session.", { session });

/** Each setting has its role, and a mode that asks nobody is an admin's. */
const mustBeAllowed = (device: Device, settings: Settings): void => {
  for (const name of Object.keys(settings) as (keyof Settings)[])
    if (settings[name] !== undefined) mustHave(device, START_ROLES[name], `The setting ${name}`);
  const { permissionMode } = settings;
  if (permissionMode !== undefined && ADMIN_MODES.has(permissionMode))
    mustHave(device, "admin", `The mode ${permissionMode}`);
};

/**
 * A folder with something of its own that nobody has trusted is not started in without asking. One that has nothing is
 * trusted as it stands: what comes into it later asks again.
 */
const mustTrust = async (parts: Parts, cwd: string, without: boolean): Promise<Partial<ClaudeOptions>> => {
  if (without) return { settingSources: ["user"], strictMcpConfig: true };
  const inspection = await inspectFolder(cwd, parts.trust);
  if (inspection.trust === "trusted") return {};
  if (inspection.files.length > 0)
    throw new Refusal(
      "folder-untrusted",
      "This folder has hooks, servers or settings of its own: look at them and trust them, or start without them.",
      { ...inspection },
    );
  if (inspection.exists) await trust(cwd, parts.trust);
  return {};
};

/** Two who want it at the same time want the same. */
export const resumeIfEnded = async ({ host }: Pick<Parts, "host">, id: string): Promise<void> => {
  if (host.opened(id)?.isLive === true) return;
  try {
    await host.resume(id);
  } catch (error) {
    if (!(error instanceof HostError) || error.code !== "session-live") throw error;
  }
};

/** The newest conversation of the folder, whoever began it. */
const newestIn = async (parts: Parts, cwd: string): Promise<Session | undefined> => {
  const { sessions } = await parts.summaries.list({ terminal: true, limit: Infinity });
  const newest = sessions
    .filter((session) => session.cwd === cwd && !session.archived)
    .toSorted((a, b) => b.updatedAt - a.updatedAt)[0];
  if (newest === undefined) return undefined;
  return parts.host.get(newest.origin === "terminal" ? await adopt(parts, newest.id) : newest.id);
};

const adopt = async ({ host, transcripts, paths }: Parts, id: string): Promise<string> => {
  const transcript = await transcripts.find(id);
  if (transcript === undefined) throw unknownSession(id);
  if (transcript.cwd !== undefined) await paths.resolve(transcript.cwd);
  return (await host.adopt(transcript)).id;
};

const takeOverTranscript = async (parts: Parts, id: string, takeOver: boolean): Promise<string> => {
  if (!takeOver)
    throw new Refusal("not-live", "A terminal began this session: take it over to go on with it here.", {
      session: id,
    });
  const adopted = await adopt(parts, id);
  await resumeIfEnded(parts, adopted);
  return adopted;
};
