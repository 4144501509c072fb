// Paths for people: relative to the session's folder if they are inside it.

/** `src/a.ts` inside the session's folder, the whole path elsewhere. */
export const shownPath = (path: string, cwd: string | undefined): string => {
  if (cwd === undefined || cwd === "" || cwd === "/") return path;
  const folder = cwd.endsWith("/") ? cwd.slice(0, -1) : cwd;
  if (path === folder) return ".";
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
};

/** Folder and name separately, so the name stays visible in a narrow place. */
export const splitPath = (path: string): { readonly folder: string; readonly name: string } => {
  const cut = path.lastIndexOf("/");
  return { folder: path.slice(0, cut + 1), name: path.slice(cut + 1) };
};
