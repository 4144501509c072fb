// Sessions as a whole: the list, and their beginnings and ends.

import { lstat, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { HostError, trust } from "@quarterdeck/host";
import type { ResumeOptions, Session } from "@quarterdeck/host";
import type { ClaudeOptions } from "@quarterdeck/protocol";
import { inspectFolder, inspectionFor } from "../../files/folder-inspection.ts";
import type { Device } from "../../access/contract.ts";
import { actorOf, sightOf } from "../parts.ts";
import { isWithin } from "../../files/paths-within.ts";
import { idsWithin } from "../within-folders.ts";
import { mustBeAllowed, refusalFor } from "../must-be-allowed.ts";
import type { Handlers, Params, Parts } from "../parts.ts";
import { promptContent } from "../prompt-content.ts";
import { Refusal, unknownSession } from "../../refusal.ts";
import { mustBeSameFork, mustBeSamePrompt, mustBeSameStart } from "../resent.ts";

export const sessionsMethods = (
  parts: Parts,
): Handlers<
  | "sessions/list"
  | "sessions/search"
  | "sessions/start"
  | "sessions/resume"
  | "sessions/fork"
  | "sessions/close"
  | "sessions/handOver"
  | "sessions/rename"
  | "sessions/archive"
  | "sessions/delete"
> => {
  const { host, store, summaries, list } = parts;
  const summaryOf = (id: string) => ({ session: summaries.must(id) });

  return {
    "sessions/list": async (params, caller) => {
      // Before it is read: what changes meanwhile is told afterwards.
      list.add(caller);
      const { device } = caller;
      return summaries.list(params, sightOf(parts, device).paths, (summary) => isWithin(device.folders, summary));
    },

    "sessions/search": ({ query, limit = 50, project, session, kinds, since, until }, { device }) => {
      const named = session === undefined ? summaries.idsOf(project) : new Set([session]);
      const sessions = device.folders === undefined ? named : idsWithin(parts, device, named);
      const { hits, complete } = host.search(query, limit, {
        ...(sessions !== undefined && { sessions }),
        ...(kinds !== undefined && { kinds: new Set(kinds) }),
        ...(since !== undefined && { since }),
        ...(until !== undefined && { until }),
      });
      return { hits: hits.map(({ order: _order, ...hit }) => hit), complete };
    },

    "sessions/start": async (params, caller) => {
      const { device } = caller;
      const { commandId: id, settings = {} } = params;
      const { prompt: given, uploads = [] } = params;
      const isPrompted = given !== undefined || uploads.length > 0;
      const readPrompt = async (session: string) =>
        isPrompted ? promptContent(parts, device, session, given ?? "", uploads) : undefined;
      const prompt = async (session: Session, content: Awaited<ReturnType<typeof readPrompt>>) => {
        if (content !== undefined) await session.prompt(content, { uuid: id, by: actorOf(device) });
      };
      const { paths } = sightOf(parts, device);
      // Sent again to a server that has been restarted meanwhile: its uploads may be gone.
      const known = store.session(id);
      if (known !== undefined) {
        const made = params.worktree === undefined ? undefined : parts.git.worktreeAt(known.cwd);
        if (made === undefined || made.name !== params.worktree?.name) await mustBeSameStart(known, paths, params.cwd);
        const session = host.get(id);
        await mustHoldFolder(parts, id, device);
        const row = session.row(`prompt/${id}`);
        if (row === undefined) await prompt(session, await readPrompt(id));
        else if (row.kind === "prompt") mustBeSamePrompt(store, id, row, params);
        await resumeIfEnded(parts, id);
        return summaryOf(id);
      }
      // Before anything is made: the client keeps what was written.
      if (isPrompted) host.budgets?.mustAfford();
      const folder = await mustBeOpened(parts, device, params.cwd);
      const { worktree } = params;
      if (worktree !== undefined && (params.continue === true || settings.worktree !== undefined))
        throw new Refusal("bad-request", "A new worktree has no conversation to continue, and no worktree of its own.");
      const sight = { roots: parts.paths, sight: sightOf(parts, device) };
      const cwd = worktree === undefined ? folder : await parts.git.addWorktree(folder, worktree, sight);
      const cli = await flagsOf(settings, paths);
      const launch = { withoutFolderSettings: params.withoutFolderSettings === true };
      if (!launch.withoutFolderSettings)
        for (const each of [cwd, ...(cli.addDir ?? [])]) await mustBeTrusted(parts, each, device);
      if (params.continue === true) {
        const about = { cli, ...(params.title !== undefined && { title: params.title }) };
        const before = isPrompted ? promptedIn(parts, cwd, id) : undefined;
        if (before !== undefined) {
          await resumeIfEnded(parts, before, launch);
          return summaryOf(before);
        }
        const session = await host.continue(cwd, { ...launch, ...about });
        if (launch.withoutFolderSettings) await goOnWithout(parts, session.id);
        await steer(parts, session, params);
        await prompt(session, await readPrompt(session.id));
        return summaryOf(session.id);
      }
      const content = await readPrompt(id);
      const fromPr = params.fromPr === undefined ? {} : { fromPr: String(params.fromPr) };
      const session = await host.start({
        ...launch,
        id,
        cwd,
        cli: { ...cli, ...fromPr },
        ...(params.title !== undefined && { title: params.title }),
      });
      try {
        // Only now is it known which commands are the CLI's own.
        mustBeAllowed(device, "sessions/start", params, { commands: session.head.commands });
      } catch (error) {
        await host.delete(session.id);
        throw error;
      }
      await prompt(session, content);
      return summaryOf(session.id);
    },

    "sessions/resume": async (
      {
        session: id,
        takeOver = false,
        adopt: adopts = false,
        withoutFolderSettings = false,
        allowBypass,
        debugFile,
        settings,
      },
      { device },
    ) => {
      const isLive = host.opened(id)?.isLive === true;
      if (allowBypass === true && isLive)
        throw new Refusal("session-live", "The session has a process. Stop it first, then resume with bypass allowed.");
      if (debugFile !== undefined && isLive)
        throw new Refusal("session-live", "The session has a process. Stop it first, then resume with another log.");
      if (settings !== undefined && isLive)
        throw new Refusal("session-live", "The session has a process, which keeps its flags. Stop it first.");
      const { paths } = sightOf(parts, device);
      const flags = settings === undefined ? undefined : await flagsOf(settings, paths);
      const log = typeof debugFile === "string" ? await logFileAt(paths, debugFile) : debugFile;
      const isTheirs = store.session(id) === undefined;
      const session = isTheirs ? await adopt(parts, device, id, takeOver || adopts) : id;
      if (withoutFolderSettings) await goOnWithout(parts, session);
      else
        for (const each of [store.session(session)!.cwd, ...(flags?.addDir ?? [])])
          await mustBeTrusted(parts, each, device);
      try {
        await resumeIfEnded(parts, session, {
          takeOver,
          withoutFolderSettings,
          ...(allowBypass !== undefined && { allowBypass }),
          ...(log !== undefined && { debugFile: log }),
          ...(flags !== undefined && { flags }),
        });
      } catch (error) {
        // It stays the terminal's.
        if (isTheirs && error instanceof HostError && error.code === "session-held") await host.delete(session);
        throw error;
      }
      if (settings !== undefined) await steer(parts, host.get(session), { settings });
      return summaryOf(session);
    },

    "sessions/fork": async ({ commandId, session, atRow, title, withoutFolderSettings }, { device }) => {
      const known = store.session(commandId);
      if (known !== undefined) {
        mustBeSameFork(known, session);
        await mustHoldFolder(parts, commandId, device);
        await resumeIfEnded(parts, commandId);
        return summaryOf(commandId);
      }
      if (store.session(session) !== undefined) {
        await mustBeShared(parts, session);
        if (host.view(session).rowCount === 0)
          throw new Refusal("unsupported", "This session has no prompt yet. Start another session instead.", {
            session,
          });
        if (withoutFolderSettings !== true) await mustHoldFolder(parts, session, device);
      }
      const forked = await host.fork(session, {
        id: commandId,
        ...(atRow !== undefined && { atRow }),
        ...(title !== undefined && { title }),
        ...(withoutFolderSettings !== undefined && { withoutFolderSettings }),
      });
      return summaryOf(forked.id);
    },

    "sessions/close": async ({ session, finishTurn, bySignals }) => {
      if (store.session(session) === undefined) throw unknownSession(session);
      const how = bySignals === true ? { bySignals } : finishTurn === true ? { finishTurn } : {};
      await host.opened(session)?.close(how);
      return {};
    },

    "sessions/handOver": async ({ session, finishTurn }) => {
      if (store.session(session) === undefined) throw unknownSession(session);
      const { command } = await host.handOver(session, finishTurn === true ? { finishTurn } : {});
      return { ...summaryOf(session), command };
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

    "sessions/delete": async ({ session, transcript = false }) => {
      const { transcripts } = parts;
      const record = store.session(session);
      const ids = new Set([session, record?.cliSessionId, host.opened(session)?.head.sessionId].filter(isText));
      if (record !== undefined || !transcript) {
        await host.delete(session);
        await rm(join(parts.sessionFiles, basename(session)), { recursive: true, force: true });
        if (transcript) await transcripts.delete(ids);
        return {};
      }
      await transcripts.lookForHolders();
      if (transcripts.isHeld(session))
        throw new Refusal("session-held", "A terminal has this session open. Close it there first.", { session });
      if ((await transcripts.delete(ids)) === 0) throw unknownSession(session);
      return {};
    },
  };
};

const isText = (value: string | undefined): value is string => value !== undefined;

/**
 * Asks before a session starts in an untrusted folder that would run something. A folder that would run nothing is
 * trusted as it is now: if it changes later, the server asks.
 */
const mustBeTrusted = async (parts: Parts, cwd: string, { role }: Pick<Device, "role">): Promise<void> => {
  const { whole, contents } = await inspectFolder(cwd, parts);
  if (whole.trust === "trusted") return;
  if (whole.files.length > 0)
    throw new Refusal(
      "folder-untrusted",
      whole.obstacle ??
        (whole.trust === "changed"
          ? "The hooks, servers or settings of this folder changed since it was trusted. Review them on the page and trust the folder again, or continue without them."
          : "This folder has its own hooks, servers or settings. Review and trust them, or start without them."),
      { ...inspectionFor(role, whole) },
    );
  // The reading that found nothing is what is trusted: what has come since asks again.
  if (contents !== undefined) await trust(contents, parts.trust);
};

/** The first session in a folder opens it to every role. Returns the real path. */
const mustBeOpened = async (parts: Parts, device: Device, folder: string): Promise<string> => {
  try {
    return await sightOf(parts, device).paths.resolve(folder);
  } catch (error) {
    const isOutside = (error as { code?: unknown }).code === "outside-roots";
    const refused = refusalFor(device, "sessions/start", {}, { isNewFolder: true });
    if (refused === undefined || !isOutside || !parts.paths.shows(folder)) throw error;
    const hint = "Ask an admin to start one there, or to trust the folder.";
    throw new Refusal(refused.code, `${refused.message} ${hint}`, refused.data);
  }
};

/** Before a prompt or a fork: what the session's folder would run must still be what was trusted. */
export const mustHoldFolder = async (parts: Parts, id: string, device: Pick<Device, "role">): Promise<void> => {
  const record = parts.store.session(id);
  if (record !== undefined && !(await parts.host.holdsFolder(id))) await mustBeTrusted(parts, record.cwd, device);
};

/** Ends a process that loads a changed folder. The next process runs without the folder's settings. */
const goOnWithout = async ({ host }: Parts, id: string): Promise<void> => {
  if (host.heedsFolder(id) && !(await host.holdsFolder(id))) await host.opened(id)?.close();
};

/** A session starts again only in a folder that is shared now. What was shared at its first start does not matter. */
export const mustBeShared = async ({ store, paths }: Pick<Parts, "store" | "paths">, id: string): Promise<void> => {
  const record = store.session(id);
  if (record === undefined) throw unknownSession(id);
  await paths.resolve(record.cwd).catch((error: unknown) => {
    // The host has a better message for a missing folder.
    if ((error as { code?: unknown }).code !== "not-found") throw error;
  });
};

/** The session of this folder that has this prompt: the command was sent again to a restarted server. */
const promptedIn = ({ host, store }: Pick<Parts, "host" | "store">, cwd: string, uuid: string): string | undefined =>
  store.list().find(({ record }) => record.cwd === cwd && host.view(record.id).row(`prompt/${uuid}`))?.record.id;

/** Applies the wanted settings to a resumed conversation that was known here or is running. */
const steer = async (
  { host }: Pick<Parts, "host">,
  session: Session,
  { title, settings = {} }: Wanted,
): Promise<void> => {
  const { model, permissionMode, maxThinkingTokens } = settings;
  const { head } = session;
  if (title !== undefined) await host.rename(session.id, title);
  if (model !== undefined && model !== head.model) await session.setModel(model, { timeoutMs: STEER_MS });
  if (permissionMode !== undefined && permissionMode !== head.mode)
    await session.setPermissionMode(permissionMode, { timeoutMs: STEER_MS });
  if (maxThinkingTokens !== undefined) await session.setThinking(maxThinkingTokens, { timeoutMs: STEER_MS });
};
type Wanted = Pick<Params<"sessions/start">, "title" | "settings">;
const STEER_MS = 30_000;

/** The flags of these settings. The CLI gets the real paths that were checked: a link may lead elsewhere a moment later. */
const flagsOf = async (settings: NonNullable<Wanted["settings"]>, paths: Paths): Promise<ClaudeOptions> => {
  for (const path of settings.pluginDir ?? []) await paths.resolve(path);
  const debug = settings.debugFile === undefined ? {} : { debugFile: await logFileAt(paths, settings.debugFile) };
  const addDir = await Promise.all((settings.addDir ?? []).map((path) => paths.resolve(path)));
  return { ...settings, ...debug, ...(addDir.length > 0 && { addDir }) } as ClaudeOptions;
};
interface Paths {
  resolve(path: string): Promise<string>;
}

/** The CLI appends to this file. It is new, or a plain file, in a folder inside of the roots. */
const logFileAt = async (paths: Paths, file: string): Promise<string> => {
  const path = join(await paths.resolve(dirname(file)), basename(file));
  const found = await lstat(path).catch(() => undefined);
  if (found !== undefined && !found.isFile())
    throw new Refusal("bad-request", `The debug log must be a new or a plain file: ${path}`);
  return path;
};

/** Two who want it at the same time want the same. */
export const resumeIfEnded = async (
  parts: Pick<Parts, "host" | "store" | "paths">,
  id: string,
  options: ResumeOptions = {},
): Promise<void> => {
  const { host } = parts;
  const session = host.opened(id);
  if (session?.isLive === true && !session.isLeaving) return;
  await mustBeShared(parts, id);
  // The last process keeps the session's place until whatever it left behind is gone too.
  await session?.ended;
  try {
    await host.resume(id, options);
  } catch (error) {
    if (!(error instanceof HostError) || error.code !== "session-live") throw error;
  }
};

/** A terminal's session becomes ours only if that is asked for in so many words. */
const adopt = async (parts: Parts, device: Device, id: string, takeOver: boolean): Promise<string> => {
  const { host, transcripts } = parts;
  const transcript = await transcripts.find(id);
  if (transcript === undefined) throw unknownSession(id);
  if (!takeOver)
    throw new Refusal("not-live", "This session started in a terminal. Take it over to continue it here.", {
      session: id,
    });
  if (transcript.cwd !== undefined) await mustBeOpened(parts, device, transcript.cwd);
  return (await host.adopt(transcript)).id;
};
