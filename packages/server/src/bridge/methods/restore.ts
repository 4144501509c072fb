// Reverts, rewinds and their undos. The host restores files, and names what it left alone. A device changes only files that it may see.

import { join } from "node:path";
import { isRunning } from "@quarterdeck/session";
import type { WayBackResult, WayBackPlan, RewindWish, Session, WayBack } from "@quarterdeck/host";
import type { ResultOf } from "@quarterdeck/session/bridge";
import type { Device } from "../../access/contract.ts";
import { readGitBlob, readGitPatch } from "../../files/git.ts";
import { openSharedGit } from "../../files/shared-git.ts";
import { actorOf, sightOf } from "../parts.ts";
import type { Handlers, Params, Parts } from "../parts.ts";
import { Refusal } from "../../refusal.ts";
import { isOfSnapshots, shownInside, snapshotsFor, turnOf } from "./changes.ts";
import { mustBeShared, mustHoldFolder } from "./sessions.ts";

export const restoreMethods = (
  parts: Parts,
): Handlers<"revert/preview" | "revert/apply" | "revert/undo" | "rewind/preview" | "rewind/apply" | "rewind/undo"> => {
  const { host, feeds, store, summaries } = parts;

  const undo = async (
    { commandId, session, id }: Pick<Params<"revert/undo">, "commandId" | "session" | "id">,
    device: Device,
  ): Promise<ResultOf<"revert/undo">> => {
    const wayBack = await wayBackFor(parts, device, session);
    return restored(await wayBack.undo(opened(parts, session), id, aboutOf(parts, device, commandId)));
  };

  return {
    "revert/preview": async (params, { device }) => {
      const { session } = params;
      const wayBack = await wayBackFor(parts, device, session);
      const view = await feeds.view(session);
      return planned(parts, device, await wayBack.planRevert(view, await wishOf(parts, device, params)));
    },

    "revert/apply": async (params, { device }) => {
      const { commandId, session } = params;
      const wayBack = await wayBackFor(parts, device, session);
      const wish = await wishOf(parts, device, params);
      return restored(await wayBack.revert(opened(parts, session), wish, aboutOf(parts, device, commandId)));
    },

    "revert/undo": (params, { device }) => undo(params, device),

    "rewind/preview": async ({ session, prompt, what, outside, keep }, { device }) => {
      const view = await feeds.view(session);
      const row = view.row(`prompt/${prompt}`);
      if (row === undefined) throw unknownPrompt(prompt);
      const about = { running: isRunning(view.head.phase), rows: view.rowsAfter(row.order, 10_000).rows.length + 1 };
      const nothing = { files: [], left: [], canRewindCode: false };
      if (host.wayBack === undefined || !host.wayBack.canRewind(view, prompt)) return { ...nothing, ...about };
      if (what === "conversation") return { ...nothing, ...about, canRewindCode: true };
      const wayBack = await wayBackFor(parts, device, session);
      const wish = await rewindWish(parts, device, session, { prompt, outside, keep });
      return { ...planned(parts, device, await wayBack.planRewind(view, wish)), ...about, canRewindCode: true };
    },

    "rewind/apply": async ({ commandId, session, prompt, what, outside, keep }, { device }) => {
      const own = opened(parts, session);
      const rowId = `prompt/${prompt}`;
      if (own.row(rowId) === undefined) throw unknownPrompt(prompt);
      if (isRunning(own.head.phase))
        throw new Refusal("turn-running", "A turn is running. Wait until it ends, or stop it.", { session });
      const changesCode = what !== "conversation";
      const wayBack = changesCode ? await wayBackFor(parts, device, session) : undefined;
      if (wayBack !== undefined && !wayBack.canRewind(own, prompt))
        throw new Refusal("unknown-prompt", "This prompt has no snapshot.", { prompt });
      // Before any file changes: if the CLI cannot go on there, nothing is rewound.
      if (what !== "code" && store.session(commandId) === undefined) {
        await mustBeShared(parts, session);
        await mustHoldFolder(parts, session, device);
        await host.fork(session, { id: commandId, beforeRow: rowId });
      }
      const fork = what === "code" ? {} : { session: summaries.must(commandId) };
      if (wayBack === undefined) return { done: [], left: [], ...fork };
      const wish = await rewindWish(parts, device, session, { prompt, outside, keep });
      const about = { ...aboutOf(parts, device, commandId), ...(what === "both" && { session: commandId }) };
      return { ...restored(await wayBack.rewind(own, wish, about)), ...fork };
    },

    "rewind/undo": (params, { device }) => undo(params, device),
  };
};

const unknownPrompt = (prompt: string): Refusal =>
  new Refusal("unknown-prompt", "The prompt does not exist.", { prompt });

const opened = ({ host, store }: Parts, session: string): Session => {
  if (store.session(session) === undefined)
    throw new Refusal("unsupported", "This session started in a terminal. Take it over first.", { session });
  return host.get(session);
};

const wayBackFor = async (parts: Parts, device: Device, session: string): Promise<WayBack> => {
  await snapshotsFor(parts, device, session);
  return parts.host.wayBack!;
};

const aboutOf = (parts: Parts, device: Device, id: string) => {
  const { paths } = sightOf(parts, device);
  return { id, by: actorOf(device), may: (folder: string, path: string) => paths.shows(join(folder, path)) };
};

const wishOf = async (
  parts: Parts,
  device: Device,
  { session, path, hunk, version, ...scope }: Omit<Params<"revert/preview">, "commandId">,
) => {
  const { folder } = await snapshotsFor(parts, device, session);
  const inside = shownInside(parts, device, folder, path);
  const chosen = { path: inside, ...(hunk !== undefined && { hunk }), ...(version !== undefined && { version }) };
  if (isOfSnapshots(scope)) return { ...chosen, ...turnOf(scope) };
  const git = await openSharedGit(folder, { roots: parts.paths, seen: sightOf(parts, device).paths });
  if (git === undefined) throw new Refusal("unsupported", "This folder is in no git repository.");
  const full = join(folder, inside);
  const head = await readGitBlob(git, full);
  const patch = hunk === undefined ? undefined : await readGitPatch(git, full, [], "latin1");
  return { ...chosen, head: { bytes: head, ...(patch !== undefined && { patch }) } };
};

const rewindWish = async (
  parts: Parts,
  device: Device,
  session: string,
  { prompt, outside, keep }: Pick<Params<"rewind/preview">, "prompt" | "outside" | "keep">,
): Promise<RewindWish> => {
  const { folder } = await snapshotsFor(parts, device, session);
  const kept = keep?.map((path) => shownInside(parts, device, folder, path));
  return { prompt, ...(outside !== undefined && { outside }), ...(kept !== undefined && { keep: kept }) };
};

/** A file that the device may not see is left alone, and has no name in the answer. */
const planned = (parts: Parts, device: Device, { folder, files, left }: WayBackPlan): ResultOf<"revert/preview"> => {
  const { paths } = sightOf(parts, device);
  const isShown = ({ path }: { readonly path: string }): boolean => paths.shows(join(folder, path));
  const hidden = [...files, ...left].filter((file) => !isShown(file)).length;
  return {
    files: files.filter(isShown).map(({ path, by, ...file }) => ({ ...file, path: join(folder, path), by: [...by] })),
    left: [
      ...left.filter(isShown).map(({ path, reason, by }) => ({ path: join(folder, path), reason, by: [...by] })),
      ...Array.from({ length: hidden }, () => ({ reason: "This device may not see it." })),
    ],
  };
};

const restored = ({ id, folder, done, left }: WayBackResult): ResultOf<"revert/apply"> => ({
  ...(id !== undefined && { id }),
  done: done.map((path) => join(folder, path)),
  left: left.map(({ path, reason }) => ({ ...(path !== "" && { path: join(folder, path) }), reason })),
});
