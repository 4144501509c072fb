// Paths that change what programs or the CLI itself do. The CLI asks before it writes them, whatever the mode or a rule says.

import { baseName } from "./paths.ts";
import type { VersionFacts } from "./versions.ts";

const FOLDERS = new Set([".git", ".vscode", ".idea", ".claude"]);
const FOLDERS_SINCE_200 = new Set([".husky", ".cargo", ".devcontainer", ".yarn", ".mvn"]);
const FILES = new Set(
  ".gitconfig .gitmodules .bashrc .bash_profile .zshrc .zprofile .profile .ripgreprc .mcp.json .claude.json".split(" "),
);
const FILES_SINCE_200 = new Set(
  (
    ".zshenv .zlogin .zlogout .bash_login .bash_aliases .bash_logout .envrc .npmrc .yarnrc .yarnrc.yml .pnp.cjs " +
    ".pnp.loader.mjs .pnpmfile.cjs bunfig.toml .bunfig.toml .bazelrc .bazelversion .bazeliskrc .pre-commit-config.yaml " +
    "lefthook.yml .lefthook.yml lefthook.yaml .lefthook.yaml gradle-wrapper.properties maven-wrapper.properties " +
    ".devcontainer.json pyrightconfig.json"
  ).split(" "),
);

export interface Special {
  readonly kind: "special-path" | "own-settings";
  readonly words: string;
}

/** Names that look odd to Windows: 8.3 names, a dot at the end, three dots, device names. */
const isOddForWindows = (path: string, facts: VersionFacts): boolean =>
  (!facts.shellGrammar && /:|\s(?:\/|$)/u.test(path)) ||
  /~\d/u.test(path) ||
  /(?:^|\/)\.{3,}(?:\/|$)/u.test(path) ||
  /\.(?:con|prn|aux|nul|com[1-9]|lpt[1-9])$/iu.test(path) ||
  path.split("/").some((part) => part !== "." && part !== ".." && part.endsWith("."));

/** Undefined: nothing is special. `path` is absolute. */
export const specialPath = (path: string, facts: VersionFacts): Special | undefined => {
  if (isOddForWindows(path, facts)) return { kind: "special-path", words: "The name means something else on Windows." };
  const parts = path.toLowerCase().split("/");
  const settings = parts.lastIndexOf(".claude");
  if (settings !== -1 && parts[settings + 1] !== "worktrees")
    return { kind: "own-settings", words: "It is part of Claude's own settings." };
  const folder = parts.find((part) => FOLDERS.has(part) || (facts.moreSpecialPaths && FOLDERS_SINCE_200.has(part)));
  if (folder !== undefined && folder !== ".claude") return { kind: "special-path", words: `It lies in ${folder}.` };
  if (facts.moreSpecialPaths && /\/\.config\/git(?:\/|$)/iu.test(path))
    return { kind: "special-path", words: "It configures git." };
  const name = baseName(path).toLowerCase();
  if (FILES.has(name) || (facts.moreSpecialPaths && FILES_SINCE_200.has(name)))
    return { kind: "special-path", words: "It changes what programs do when they start." };
  return undefined;
};
