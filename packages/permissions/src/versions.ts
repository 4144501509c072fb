// What differs between the CLI's versions. Three were measured; a version in between counts as the nearest older one.

export const MEASURED_RULE_VERSIONS = ["2.1.38", "2.1.200", "2.1.325"] as const;
export const NEWEST_MEASURED = "2.1.325";

/** Each fact holds from this version on. */
const SINCE = {
  /** Commands are read with a shell grammar. Before: split into tokens and looked at with patterns. */
  shellGrammar: "2.1.200",
  /** A content ask rule holds against bypass and against an allow of the whole tool. */
  askRulesHold: "2.1.200",
  /** Special paths and dangerous removals ask in spite of an allow of the whole tool. */
  safetyHolds: "2.1.200",
  /** nice, stdbuf, command, builtin and noglob are seen through. */
  moreWrappers: "2.1.200",
  /** Deny and ask rules see through assignments, env, sudo, setsid, xargs, exec and the like. */
  wideDeny: "2.1.200",
  /** Deny and ask rules see commands in loops, functions and substitutions of lines that are not understood. */
  denyInBodies: "2.1.325",
  /** An allow rule lets a file command write inside the project. Before, the path asks first. */
  rulesFreePaths: "2.1.200",
  /** `< file` counts as reading the file. */
  inputRedirects: "2.1.325",
  /** A star anywhere in a tool's name, in deny and ask rules; behind `mcp__server__` in allow rules. */
  toolNameStars: "2.1.200",
  /** `WebFetch(domain:*.x)`, a trailing dot, and rules before the hosts that the CLI trusts. */
  domainStars: "2.1.200",
  /** Task and Agent are one tool. */
  agentIsTask: "2.1.200",
  /** `git *` also matches `git`. */
  starMatchesBare: "2.1.200",
  /** Deny and ask rules compare with the words after quotes, and with a program's name without its folder. */
  denyByWords: "2.1.325",
  /** Rules of shared project settings allow nothing until a person trusted the folder. */
  projectAllowNeedsTrust: "2.1.200",
  /** cp and mv read what they copy: a Read deny stops them. */
  copiesRead: "2.1.325",
  /** A bad entry in a list of rules is left out. Before, the whole file is not in effect. */
  badEntriesAlone: "2.1.200",
  /** `additionalDirectories` of project settings need a trusted folder. */
  directoriesNeedTrust: "2.1.200",
  /** An allow on a path must hold for the target of a link too. */
  allowFollowsLinks: "2.1.200",
  /** An added folder that is a link stands for its target too. */
  addedFolderLinks: "2.1.200",
  /** Plan mode leaves to a classifier what it does not know. */
  planClassifier: "2.1.200",
  /** The mode auto. */
  autoMode: "2.1.200",
  /** Files whose last part is a link are not written. */
  noWriteThroughLinks: "2.1.325",
  /** A Read deny holds for writing too. */
  readDenyStopsWrite: "2.1.325",
  /** `Read(*)` frees only the working folders, as `Edit(*)` does. */
  starStaysInside: "2.1.325",
  /** Bypass that was only made available does not count in plan mode. */
  planKeepsAsking: "2.1.325",
  /** A plan asks a classifier before it starts an agent. */
  planChecksAgents: "2.1.325",
  /** For an absolute Glob pattern, its folder is checked. */
  globPatternFolder: "2.1.325",
  /** A variable that the same line sets is not understood. */
  noAssignedVariables: "2.1.325",
  /** Folders and files that are special besides .git, .claude, .vscode and .idea. */
  moreSpecialPaths: "2.1.200",
  /** Before, composed and decomposed letters are the same in paths. */
  exactLetters: "2.1.200",
  /** `touch` behind a wrapper is not a file command of acceptEdits. */
  plainTouch: "2.1.325",
  /** A file command behind a wrapper is one in acceptEdits. */
  wrappedEdits: "2.1.200",
  /** `//` in additionalDirectories is not taken for one slash. */
  exactDirectories: "2.1.325",
  /** TodoWrite is gone. */
  noTodoWrite: "2.1.200",
  /** git tag with a name writes. */
  tagNamesWrite: "2.1.200",
} as const satisfies Readonly<Record<string, string>>;

export type VersionFacts = Readonly<Record<keyof typeof SINCE, boolean>>;

const numbersOf = (version: string): readonly number[] => {
  const match = /(\d{1,9})\.(\d{1,9})\.(\d{1,9})/u.exec(version);
  return match === null ? [Infinity] : match.slice(1).map(Number);
};

/** Negative: `a` is older. An invalid version counts as newer than all others. */
export const compareVersions = (a: string, b: string): number => {
  const [left, right] = [numbersOf(a), numbersOf(b)];
  for (let at = 0; at < 3; at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0 && !Number.isNaN(difference)) return difference;
  }
  return 0;
};

const known = new Map<string, VersionFacts>();

export const factsOf = (version: string): VersionFacts => {
  const cached = known.get(version);
  if (cached !== undefined) return cached;
  const entries = Object.entries(SINCE).map(([fact, since]) => [fact, compareVersions(version, since) >= 0]);
  const facts = Object.fromEntries(entries) as VersionFacts;
  if (known.size < 100) known.set(version, facts);
  return facts;
};
