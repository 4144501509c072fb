// Folders: which have sessions, what they would run, whether they are trusted.

import { trust, trustIn } from "@quarterdeck/host";
import { inspectFolder, inspectionFor } from "../../files/folder-inspection.ts";
import { sightOf } from "../parts.ts";
import { isWithin } from "../../files/paths-within.ts";
import type { Handlers, Parts } from "../parts.ts";
import { Refusal } from "../../refusal.ts";
import { resumeInBackground } from "./session.ts";

export const projectsMethods = (parts: Parts): Handlers<"projects/list" | "projects/inspect" | "projects/trust"> => ({
  "projects/list": (_params, { device }) =>
    parts.summaries.projects(sightOf(parts, device).paths, (summary) => isWithin(device.folders, summary)),

  "projects/inspect": async ({ cwd }, { device }) => {
    const { whole } = await inspectFolder(await sightOf(parts, device).paths.resolve(cwd), parts);
    return inspectionFor(device.role, whole);
  },

  "projects/trust": async ({ cwd, hash, trusted }) => {
    const { trust: known } = parts;
    const { whole, contents } = await inspectFolder(await parts.paths.resolve(cwd), parts);
    if (!trusted) known.delete(whole.folder);
    else if (whole.hash !== hash)
      throw new Refusal("changed", "The folder has changed since it was shown. Look at it again, and then trust it.", {
        ...whole,
      });
    // What was hashed is what is trusted: nothing is read again in between.
    else if (contents !== undefined) {
      await trust(contents, known);
      for (const id of await parts.host.folderTrusted(whole.folder)) resumeInBackground(parts, id);
    }
    return { ...whole, trust: contents === undefined ? "unknown" : trustIn(contents, known) };
  },
});
