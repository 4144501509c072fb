// Holds devices of another machine to the folders that this machine's owner shares with it. The policy says what a call reaches; this
// file compares it with the folders. Handlers that list things ask `isWithin` for each.

import type { Method } from "@quarterdeck/session/bridge";
import { reachOf } from "@quarterdeck/session/bridge/policy";
import type { Device } from "../access/contract.ts";
import { isWithin } from "../files/paths-within.ts";
import type { Parts } from "./parts.ts";
import { sightOf } from "./parts.ts";
import { Refusal, unknownSession } from "../refusal.ts";

/** Those of these sessions that the device may see. Default: of all sessions. */
export const idsWithin = (
  { summaries }: Pick<Parts, "summaries">,
  device: Device,
  ids?: ReadonlySet<string>,
): ReadonlySet<string> => {
  const own = summaries
    .withProjects()
    .filter(({ overview: { cwd }, project }) => isWithin(device.folders, { cwd, project }));
  return new Set(own.map(({ overview: { id } }) => id).filter((id) => ids?.has(id) ?? true));
};

/** Throws unless the call stays within the folders. Called before the handler, for devices that have such a limit. */
export const mustBeWithin = async (parts: Parts, device: Device, method: Method, params: unknown): Promise<void> => {
  const reach = reachOf(method, params);
  if (reach.kind === "free" || reach.kind === "listed") return;
  if (reach.kind === "beyond")
    throw new Refusal("forbidden", `${method} reaches beyond the folders that this machine shares with your machine.`);
  for (const session of reach.sessions) {
    const record = parts.store.session(session);
    // A session of a terminal is compared by its folder where all of them are.
    if (record === undefined) continue;
    const project = parts.git.worktreeAt(record.cwd)?.repository;
    // The answer is the same as for a session that does not exist.
    if (!isWithin(device.folders, { cwd: record.cwd, project })) throw unknownSession(session);
  }
  for (const folder of reach.folders) await sightOf(parts, device).paths.resolve(folder);
};
