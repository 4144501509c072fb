// Whether a path may be read or written: deny and ask rules, special paths, folders, allow rules.

import type { Compiled } from "./context.ts";
import type { FileAccess } from "./file-commands.ts";
import type { Finding } from "./finding.ts";
import { byRule } from "./finding.ts";
import { isInWorkingFolder } from "./folders.ts";
import { absolute, spellingsOf, withoutTilde } from "./paths.ts";
import type { Realpath } from "./paths.ts";
import { specialPath } from "./special-paths.ts";
import type { Mode, PlacedRule } from "./types.ts";

export interface Where {
  readonly path: string;
  readonly spellings: readonly string[];
  readonly isInside: boolean;
  /** The same for writing, where older versions do not see where a link leads if nothing is there yet. */
  readonly isWrittenInside: boolean;
}

export const whereIs = (path: string, { folders, facts }: Compiled, realpath: Realpath | undefined): Where => {
  const plain = facts.exactLetters ? path : path.normalize("NFC");
  const at = absolute(folders.cwd, withoutTilde(plain, folders.home));
  const spellings = spellingsOf(at, realpath);
  const isFollowed = facts.allowFollowsLinks || realpath?.(spellings.at(-1)!) !== undefined;
  return {
    path: at,
    spellings,
    isInside: isInWorkingFolder(spellings, folders, realpath, facts),
    isWrittenInside: isInWorkingFolder(isFollowed ? spellings : spellings.slice(0, 1), folders, realpath, facts),
  };
};

export const firstRule = (
  spellings: readonly string[],
  match: (path: string) => PlacedRule | undefined,
): PlacedRule | undefined => {
  for (const path of spellings) {
    const rule = match(path);
    if (rule !== undefined) return rule;
  }
  return undefined;
};

/** The rule that allows all spellings, each by itself or because it lies inside. */
export const allowRule = (
  { spellings }: Where,
  match: (path: string) => PlacedRule | undefined,
  followsLinks: boolean,
): PlacedRule | undefined => {
  const needed = followsLinks ? spellings : spellings.slice(0, 1);
  const found = needed.map(match);
  return found.every((rule) => rule !== undefined) ? found[0] : undefined;
};

/** A path that a shell command names. */
export const commandPath = (
  path: string,
  access: FileAccess,
  compiled: Compiled,
  mode: Mode,
  realpath: Realpath | undefined,
): Finding => {
  const { rules, facts } = compiled;
  const isRead = access === "read";
  const ask = (kind: Finding["kind"], words: string, more: Partial<Finding> = {}): Finding => ({
    behavior: "ask",
    kind,
    words,
    part: path,
    ...more,
  });
  if (path.startsWith("~") && path !== "~" && !path.startsWith("~/"))
    return ask("unparsed", "The path begins with the home of another user.");
  if (/[$`\uE0FF]/u.test(path) || (!facts.shellGrammar && path.includes("%")))
    return ask("unparsed", "The path is only known when the command runs.");
  if (facts.shellGrammar && /(?:^|\/)(?!\.\.?\/)[^/]+\/(?:\.\/)*\.\.(?:\/|$)/u.test(path))
    return ask("outside", "The path goes up behind a folder, which may be a link.");
  const glob = /[*?[\]{}]/u.exec(path)?.index ?? -1;
  if (glob !== -1 && !isRead) return ask("unparsed", "A pattern names the files that it writes.");
  const place = glob === -1 ? path : path.slice(0, path.lastIndexOf("/", glob) + 1) || ".";
  const where = whereIs(place, compiled, realpath);
  const kind = isRead ? "read" : "edit";
  const deny = firstRule(where.spellings, (at) => rules.deny[kind].match(at));
  if (deny !== undefined) return byRule("deny", deny, `A rule denies the path ${path}.`, path);
  if (isRead) {
    if (where.isInside)
      return { behavior: "pass", kind: "read-only", words: "It reads inside the folders of the session." };
    const allow = allowRule(where, (at) => rules.allow.read.match(at), facts.allowFollowsLinks);
    if (allow !== undefined)
      return { behavior: "pass", kind: "rule", words: "A rule allows reading there.", rule: allow };
    return ask("outside", "It reads outside the folders of the session.");
  }
  for (const at of where.spellings) {
    const special = specialPath(at, facts);
    if (special !== undefined)
      return ask(special.kind, `It would change ${path}. ${special.words}`, { isSafety: true });
  }
  if (where.isWrittenInside) {
    if (mode === "acceptEdits")
      return { behavior: "pass", kind: "mode", words: "The mode lets files of the project be changed." };
    const edit = allowRule(where, (at) => rules.allow.edit.match(at), facts.allowFollowsLinks);
    if (edit !== undefined)
      return { behavior: "pass", kind: "rule", words: "A rule allows editing there.", rule: edit };
    return ask("default", "It changes files of the project.", { isLiftable: facts.rulesFreePaths });
  }
  const allow = allowRule(where, (at) => rules.allow.edit.match(at), facts.allowFollowsLinks);
  if (allow !== undefined)
    return { behavior: "pass", kind: "rule", words: "A rule allows editing there.", rule: allow };
  return ask("outside", "It writes outside the folders of the session.");
};
