// Which policy decides about a call. Pure, except for links, which the caller resolves. An auto-allow needs a call that is understood
// completely. Deny and ask also see programs behind `eval`, `sh -c`, `xargs` and the like, and ask where a command cannot be read.

import { check, contextOf, programsOf } from "@quarterdeck/permissions";
import type { Behavior, Context, Program, ReasonKind, ToolCall, Verdict } from "@quarterdeck/permissions";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { isInside } from "../trust/contained-file.ts";
import { ASKS_ALWAYS } from "./policy.ts";
import type { Policy, PolicyBehavior } from "./policy.ts";

export interface CallPlace {
  /** Where the session works, after every link. */
  readonly cwd: string;
  readonly home: string;
  /** The path after every link; undefined if nothing is there. */
  readonly realpath: (path: string) => string | undefined;
}

export interface Decided {
  readonly policy: Policy;
  /** `ask` instead of `deny` if the command could not be read. */
  readonly behavior: PolicyBehavior;
  /** The rule that matched. */
  readonly rule?: string;
  /** One sentence: what matched. */
  readonly words: string;
}

/** Deny wins over ask. Policies that allow are not considered: the CLI has not asked yet. */
export const decideBefore = (policies: readonly Policy[], call: ToolCall, place: CallPlace): Decided | undefined => {
  const found = policies
    .filter(({ behavior }) => behavior !== "allow")
    .flatMap((policy) => restricts(policy, call, place) ?? []);
  return found.find(({ behavior }) => behavior === "deny") ?? found[0];
};

/** For a call that the CLI asks about: deny wins over ask, and ask over allow. */
export const decide = (policies: readonly Policy[], call: ToolCall, place: CallPlace): Decided | undefined => {
  const restricted = decideBefore(policies, call, place);
  if (restricted !== undefined) return restricted;
  for (const policy of policies) {
    const decided = policy.behavior === "allow" ? allows(policy, call, place) : undefined;
    if (decided !== undefined) return decided;
  }
  return undefined;
};

/** What the policies make of a verdict that is predicted for the CLI. Undefined: it stays. */
export const decideOver = (
  policies: readonly Policy[],
  call: ToolCall,
  place: CallPlace,
  { behavior, reason }: Verdict,
): Decided | undefined => {
  if (behavior === "deny") return undefined;
  const isOpen = behavior === "ask" && !FOR_PERSON.has(reason.kind);
  return (isOpen ? decide : decideBefore)(policies, call, place);
};
/** No policy answers these requests for a person. */
const FOR_PERSON: ReadonlySet<ReasonKind> = new Set<ReasonKind>([
  "rule",
  "always-asks",
  "special-path",
  "own-settings",
  "dangerous",
  "invalid-input",
]);

const allows = (policy: Policy, call: ToolCall, place: CallPlace): Decided | undefined => {
  if (ASKS_ALWAYS.has(call.tool) || call.input["dangerouslyDisableSandbox"] === true) return undefined;
  const command = commandOf(call);
  if (command !== undefined && !programsOf(command).understood) return undefined;
  const { behavior, reason } = check(contextWith(policy, "allow", place), call, place);
  if (behavior !== "allow" || reason.kind !== "rule") return undefined;
  return { policy, behavior: "allow", words: reason.words, ...(reason.rule !== undefined && { rule: reason.rule }) };
};

const restricts = (policy: Policy, call: ToolCall, place: CallPlace): Decided | undefined => {
  const { behavior } = policy;
  const context = contextWith(policy, "deny", place);
  const matched = (one: ToolCall): Decided | undefined => {
    const { behavior: found, reason } = check(context, one, place);
    if (found !== "deny" || reason.kind !== "rule") return undefined;
    return { policy, behavior, words: reason.words, ...(reason.rule !== undefined && { rule: reason.rule }) };
  };
  const direct = policy.rules.length === 0 ? undefined : matched(call);
  if (direct !== undefined) return direct;
  const command = commandOf(call);
  if (command === undefined) return policy.outside === true ? outsideCall(policy, call, place) : undefined;
  const { programs, understood, unknown } = programsOf(command);
  if (policy.rules.length > 0) {
    for (const { name, args, through } of programs) {
      const line = [name, ...args].map(quoted).join(" ");
      const hidden = matched({ tool: call.tool, input: { command: line } });
      if (hidden === undefined) continue;
      const how = through.length === 0 ? "" : ` through ${through.join(", ")}`;
      return { ...hidden, words: `The command starts ${name}${how}.` };
    }
  }
  if (policy.outside === true) {
    const outside = outsideCommand(policy, command, programs, place);
    if (outside !== undefined) return outside;
  }
  const concerns = policy.outside === true || policy.rules.some((rule) => /^Bash(?:\(|$)/u.test(rule));
  // A word that is only known when the line runs may be a path.
  const isOpen = policy.outside === true && /[$`]/u.test(command.replaceAll(/'[^']*'/gu, ""));
  if ((understood && !isOpen) || !concerns) return undefined;
  return { policy, behavior: "ask", words: `The command cannot be read completely. ${unknown.join(" ")}`.trim() };
};

const commandOf = ({ tool, input }: ToolCall): string | undefined => {
  const { command } = input;
  return tool === "Bash" && typeof command === "string" ? command : undefined;
};

/** In single quotes, each word is what the shell has made of it. */
const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** By the list of rules, which stays the same when a policy is counted. */
const contexts = new WeakMap<readonly string[], Map<string, Context>>();
/**
 * Only the rules of this policy, in the mode that asks. Kept, because a check compiles them. A policy means the same whatever
 * version of the CLI runs: 2.1.38 does not take `Bash(touch:*)` for `touch x`.
 */
const contextWith = (policy: Policy, behavior: Behavior, { cwd, home }: CallPlace): Context => {
  const known = contexts.get(policy.rules) ?? new Map<string, Context>();
  contexts.set(policy.rules, known);
  const key = JSON.stringify([behavior, cwd]);
  const context =
    known.get(key) ??
    contextOf({
      cwd,
      home,
      mode: "default",
      settings: [{ scope: "session", value: { permissions: { [behavior]: policy.rules } } }],
    });
  known.set(key, context);
  return context;
};

// Outside of the folder.

const outsideCall = (policy: Policy, { tool, input }: ToolCall, place: CallPlace): Decided | undefined => {
  for (const field of PATHS) {
    const path = input[field];
    if (typeof path === "string" && isOutside(policy, path, place)) return outsideOf(policy, `${tool} names ${path}`);
  }
  return undefined;
};
const PATHS = ["file_path", "notebook_path", "path", "directory", "cwd"];

const outsideCommand = (
  policy: Policy,
  command: string,
  programs: readonly Program[],
  place: CallPlace,
): Decided | undefined => {
  // Without a rule, the CLI asks for what it sees outside: words and redirections of commands that it can read.
  const context = contextOf({ cwd: policy.folder ?? place.cwd, home: place.home, mode: "default", settings: [] });
  const { reason } = check(context, { tool: "Bash", input: { command } }, place);
  const words = [
    ...programs.flatMap(({ name, args }) => [
      ...(isProgram(name) ? [] : [name]),
      ...args.flatMap((word) => (SHELLS.has(baseOf(name)) ? piecesOf(word) : [word, ...word.split(/[=:,]/u)])),
    ]),
    // Its redirections are not among the words of its programs.
    ...(reason.kind === "unparsed" ? piecesOf(command) : []),
  ];
  const named = words.find((word) => looksLikePath(word) && !isProgram(word) && isOutside(policy, word, place));
  if (named !== undefined) return outsideOf(policy, `The command names ${named}`);
  // The check resolves relative words from its folder, which is another one if the session works below.
  const { part } = reason;
  const isSeen = reason.kind === "outside" && part !== undefined && isOutside(policy, part, place);
  return isSeen ? outsideOf(policy, `The command names ${part}`) : undefined;
};
const SHELLS: ReadonlySet<string> = new Set(["sh", "bash", "zsh", "dash", "ksh", "eval"]);
const baseOf = (name: string): string => name.slice(name.lastIndexOf("/") + 1);
const piecesOf = (text: string): string[] => text.split(/[\s=:,<>|;&()'"`]+/u);

const looksLikePath = (word: string): boolean => /^(?:\/|~|\.\.(?:\/|$))|\/\.\.(?:\/|$)/u.test(word);
/** Programs and devices that commands name without reaching for data. */
const isProgram = (word: string): boolean =>
  /^\/(?:usr\/(?:local\/)?)?s?bin\/|^\/dev\/(?:null|stdin|stdout|stderr|tty|fd\/\d+)$/u.test(word);

const isOutside = ({ folder }: Policy, path: string, { cwd, home, realpath }: CallPlace): boolean => {
  const whole = path.startsWith("~") ? join(home, path.slice(1)) : isAbsolute(path) ? path : resolve(cwd, path);
  return !isInside(realOf(resolve(whole), realpath), folder ?? cwd);
};

/** A new file is where its folder is. */
const realOf = (path: string, realpath: CallPlace["realpath"]): string => {
  const real = realpath(path);
  if (real !== undefined || dirname(path) === path) return real ?? path;
  return join(realOf(dirname(path), realpath), path.slice(dirname(path).length));
};

const outsideOf = (policy: Policy, words: string): Decided => ({
  policy,
  behavior: policy.behavior,
  words: `${words.replace(/\.$/u, "")}, which is outside of the folder.`,
});
