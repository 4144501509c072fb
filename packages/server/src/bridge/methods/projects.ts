// Folders: which have sessions, what they would run, whether they are trusted.

import { readFolder, trust } from "@quarterdeck/host";
import { hashOf, inspectFolder } from "../../files/folder-inspection.ts";
import type { Handlers, Parts } from "../parts.ts";
import { Refusal } from "../refusal.ts";

export const projectsMethods = (parts: Parts): Handlers<"projects/list" | "projects/inspect" | "projects/trust"> => ({
  "projects/list": () => parts.summaries.projects(),

  "projects/inspect": async ({ cwd }) => inspectFolder(await parts.paths.resolve(cwd), parts.trust),

  "projects/trust": async ({ cwd, hash, trusted }) => {
    const folder = await parts.paths.resolve(cwd);
    // What is hashed is what is trusted: it is read once.
    const contents = await readFolder(folder);
    if (trusted && hashOf(contents) !== hash)
      throw new Refusal("changed", "The folder is not as it was shown: look again.", {
        ...(await inspectFolder(folder, parts.trust)),
      });
    if (trusted) await trust(contents, parts.trust);
    else parts.trust.delete(contents.folder);
    return inspectFolder(folder, parts.trust);
  },
});
