// Paths as text: absolute, without `.` and `..`, with forward slashes. Links are followed by a function from outside.

export type Realpath = (path: string) => string | undefined;

/** Without `.`, `..` and doubled slashes. Relative paths stay relative to `base`, which is absolute. */
export const absolute = (base: string, path: string): string => {
  const joined = path.startsWith("/") ? path : `${base}/${path}`;
  const parts: string[] = [];
  for (const part of joined.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") parts.pop();
    else parts.push(part);
  }
  return `/${parts.join("/")}`;
};

/** `~` and `~/x` only; `~user` stays as it is. */
export const withoutTilde = (path: string, home: string): string =>
  path === "~" ? home : path.startsWith("~/") ? `${home}${path.slice(1)}` : path;

export const isInside = (path: string, folder: string): boolean =>
  path === folder || folder === "/" || (path.startsWith(folder) && path[folder.length] === "/");

export const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
export const folderOf = (path: string): string => path.slice(0, Math.max(1, path.lastIndexOf("/")));

/** Where the path leads: the deepest part that exists is resolved, the rest is kept. */
export const landingOf = (path: string, realpath: Realpath | undefined): string => {
  if (realpath === undefined) return path;
  let rest = "";
  let at = path;
  for (;;) {
    const found = realpath(at);
    if (found !== undefined) return absolute("/", found + rest);
    if (at === "/") return path;
    rest = `/${baseName(at)}${rest}`;
    at = folderOf(at);
  }
};

/** How a program looks at links. Both return undefined for a missing path; `readlink` also for anything that is not a link. */
export interface LinkReader {
  readonly realpath: (path: string) => string | undefined;
  readonly readlink: (path: string) => string | undefined;
}
const MOST_LINKS = 40;

/**
 * A `realpath` that also follows a link whose target does not exist yet: a write to the link makes the target. It follows as many
 * links as the kernel does.
 */
export const followingLinks =
  ({ realpath, readlink }: LinkReader): Realpath =>
  (path) => {
    let left = MOST_LINKS;
    const follow = (at: string): string | undefined => {
      const found = realpath(at);
      const target = found === undefined && left > 0 ? readlink(at) : undefined;
      if (target === undefined) return found;
      left -= 1;
      let end = target.startsWith("/") ? "/" : (realpath(folderOf(at)) ?? folderOf(at));
      // Part by part, because `..` behind a link goes up from where the link leads.
      for (const part of target.split("/")) {
        if (part === "" || part === ".") continue;
        const next = part === ".." ? folderOf(end) : absolute(end, part);
        end = part === ".." ? next : (follow(next) ?? next);
      }
      return end;
    };
    return follow(path);
  };

/** All names under which a path must be looked at: as it is written and where it leads. */
export const spellingsOf = (path: string, realpath: Realpath | undefined): readonly string[] => {
  const landing = landingOf(path, realpath);
  return landing === path ? [path] : [path, landing];
};

/** Whether the last part itself is a link. */
export const isLink = (path: string, realpath: Realpath | undefined): boolean => {
  if (realpath === undefined || path === "/") return false;
  const landing = realpath(path);
  return landing !== undefined && landing !== absolute(landingOf(folderOf(path), realpath), baseName(path));
};
