// Folders: which have sessions, what they would run, whether they are trusted.

import { trust } from "@quarterdeck/host";
import { contentsOf, inspectFolder } from "../../files/folder-inspection.ts";
import type { Handlers, Parts } from "../parts.ts";
import { Refusal } from "../refusal.ts";
import { resumeInBackground } from "./session.ts";

export const projectsMethods = (parts: Parts): Handlers<"projects/list" | "projects/inspect" | "projects/trust"> => ({
  "projects/list": () => parts.summaries.projects(),

  "projects/inspect": async ({ cwd }) => inspectFolder(await parts.paths.resolve(cwd), parts.trust, parts.configFolder),

  "projects/trust": async ({ cwd, hash, trusted }) => {
    const { trust: known, configFolder } = parts;
    const folder = await parts.paths.resolve(cwd);
    const shown = await inspectFolder(folder, known, configFolder);
    if (!trusted) known.delete(shown.folder);
    else if (shown.hash !== hash)
      throw new Refusal("changed", "The folder is not as it was shown: look again.", { ...shown });
    // What was hashed is what is trusted: nothing is read again in between.
    else {
      await trust(contentsOf(shown), known, { configDir: configFolder });
      for (const id of await parts.host.folderTrusted(shown.folder)) resumeInBackground(parts, id);
    }
    return inspectFolder(folder, known, configFolder);
  },
});
