// The same paths, limited to some folders. What is outside looks as if the server did not share it.

import { isInside } from "@quarterdeck/host";
import { PathError } from "./contained-path.ts";
import type { ContainedPaths } from "./contract.ts";
import { normalized } from "./hidden-paths.ts";

/** `folders` are real paths. */
export const pathsWithin = (paths: ContainedPaths, folders: readonly string[]): ContainedPaths => {
  const isWithin = (real: string): boolean => folders.some((folder) => isInside(real, folder));
  const admit = <T extends { readonly path: string }>(found: T): T => {
    if (!isWithin(found.path))
      throw new PathError("outside-roots", "This machine does not share this folder with your machine.");
    return found;
  };
  return {
    get roots() {
      const { roots } = paths;
      return [
        ...roots.filter(isWithin),
        ...folders.filter((folder) => roots.some((root) => root !== folder && isInside(folder, root))),
      ];
    },
    isHidden: (path) => paths.isHidden(path),
    contains: (path) => isWithin(normalized(path)) && paths.contains(path),
    shows: (path) => isWithin(normalized(path)) && paths.shows(path),
    locate: async (path) => admit(await paths.locate(path)),
    resolve: async (path) => admit({ path: await paths.resolve(path) }).path,
    async open(path) {
      const file = await paths.open(path);
      try {
        return admit(file);
      } catch (error) {
        await file.handle.close();
        throw error;
      }
    },
    list: async (path) => admit(await paths.list(path)),
  };
};

/** Whether a session is for the device. A worktree belongs to its repository, wherever it is. */
export const isWithin = (
  folders: readonly string[] | undefined,
  { cwd, project }: { readonly cwd: string; readonly project?: string | undefined },
): boolean =>
  folders === undefined || [cwd, project ?? cwd].some((path) => folders.some((folder) => isInside(path, folder)));
