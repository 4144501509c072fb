// Paths as people read them: from the session's folder where they lie in it.

/** `src/a.ts` inside the session's folder, the whole path elsewhere. */
export const shownPath = (path: string, cwd: string | undefined): string => {
  if (cwd === undefined || cwd === "" || cwd === "/") return path;
  const folder = cwd.endsWith("/") ? cwd.slice(0, -1) : cwd;
  if (path === folder) return ".";
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
};

/** Folder and name apart, so that the name stays in sight where there is little room. */
export const splitPath = (path: string): { readonly folder: string; readonly name: string } => {
  const cut = path.lastIndexOf("/");
  return { folder: path.slice(0, cut + 1), name: path.slice(cut + 1) };
};
