// Git: what a person stages, commits, pushes and merges, and the worktrees of sessions.

import type { Device } from "../../access/contract.ts";
import type { TreeSight } from "../../git/tree.ts";
import { sightOf } from "../parts.ts";
import type { Handlers, Parts } from "../parts.ts";
import { Refusal, unknownSession } from "../../refusal.ts";

type GitMethod =
  | `git/${"state" | "brief" | "diff" | "stage" | "unstage" | "commit" | "undo" | "remote" | "push" | "pullRequest"}`
  | `git/${"worktrees" | "compare" | "planMerge" | "merge" | "planDiscard" | "discard"}`;

interface Place {
  readonly session?: string | undefined;
  readonly cwd?: string | undefined;
}

export const gitMethods = (parts: Parts): Handlers<GitMethod> => {
  const { git, store, host, paths: roots } = parts;

  /** The real path of the session's folder, or of the folder that is named, and what the device sees. */
  const at = async ({ session, cwd }: Place, device: Device): Promise<[string, TreeSight]> => {
    const sight = sightOf(parts, device);
    const record = session === undefined ? undefined : store.session(session);
    if (session !== undefined && record === undefined) throw unknownSession(session);
    const folder = record === undefined ? cwd : (host.opened(record.id)?.head.cwd ?? record.cwd);
    if (folder === undefined) throw new Refusal("bad-request", "Name a session or a folder.");
    return [await sight.paths.resolve(folder), { roots, sight }];
  };

  return {
    "git/state": async (params, { device }) => git.state(...(await at(params, device))),
    "git/brief": async ({ folders }, { device }) => ({
      folders: await git.brief(folders, { roots, sight: sightOf(parts, device) }),
    }),
    "git/diff": async (params, { device }) => {
      const [folder, sight] = await at(params, device);
      return git.diff(folder, params, sight);
    },
    "git/stage": async (params, { device }) => {
      const [folder, sight] = await at(params, device);
      return git.stage(folder, params, sight);
    },
    "git/unstage": async (params, { device }) => {
      const [folder, sight] = await at(params, device);
      return git.unstage(folder, params, sight);
    },
    "git/commit": async (params, { device }) => {
      const [folder, sight] = await at(params, device);
      return git.commit(folder, params, sight);
    },
    "git/undo": async (params, { device }) => {
      const [folder, sight] = await at(params, device);
      return git.undo(folder, params.id, sight);
    },
    "git/remote": async (params, { device }) => git.remote(...(await at(params, device))),
    "git/push": async (params, { device }) => {
      const [folder, sight] = await at(params, device);
      return git.push(folder, params, sight);
    },
    "git/pullRequest": async (params, { device }) => {
      const [folder, sight] = await at(params, device);
      return git.pullRequest(folder, params, sight);
    },
    "git/worktrees": async (params, { device }) => git.worktrees(...(await at(params, device))),
    "git/compare": async (params, { device }) => {
      const [folder, sight] = await at(params, device);
      return git.compare(folder, params.base, sight);
    },
    "git/planMerge": async (params, { device }) => git.planMerge(...(await at(params, device))),
    "git/merge": async (params, { device }) => git.merge(...(await at(params, device))),
    "git/planDiscard": async (params, { device }) => git.planDiscard(...(await at(params, device))),
    "git/discard": async (params, { device }) => {
      const [folder, sight] = await at(params, device);
      return git.discard(folder, params.seen, sight);
    },
  };
};
