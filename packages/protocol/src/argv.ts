// Turns an options object into the CLI's argv. It refuses a command line that the CLI would refuse, misread or silently ignore.
// `flags.ts` has the rules of each flag. It cannot check that root may not use bypass mode, that a worktree needs a git
// repository, and that files exist.

import type { ClaudeOptions } from "./argv-options.ts";
import { splitTools } from "./argv-parse.ts";
import { COMMANDS, EVERY_FLAG, FLAGS, isInVersion } from "./flags.ts";
import type { Flag, OptionKey, FlagRule, Term } from "./flags.ts";
import { isRecord } from "./json.ts";
import { PERMISSION_MODES } from "./permission.ts";

export type ArgvErrorCode =
  | "forbidden-combination"
  | "positional-prompt"
  | "leading-dash"
  | "control-character"
  | "unknown-mode"
  | "invalid-value"
  | "unknown-option";

export class ArgvError extends Error {
  override readonly name = "ArgvError";
  readonly code: ArgvErrorCode;
  readonly option: string;
  readonly value: unknown;
  constructor(code: ArgvErrorCode, option: string, value: unknown, message: string) {
    super(message);
    this.code = code;
    this.option = option;
    this.value = value;
  }
}

export interface LackingFlag {
  readonly flag: string;
  readonly option: OptionKey;
  readonly version: string;
}

/**
 * Flags that `version` lacks are omitted and listed in `lacking`. The caller decides whether the session may start without
 * them. Without a version, all flags are passed.
 */
export const argvOf = (
  options: ClaudeOptions,
  { version }: { readonly version?: string } = {},
): { argv: string[]; lacking: LackingFlag[] } => {
  const given: Readonly<Record<string, unknown>> = { ...options };
  refuseUnknownOptions(given);
  const release = version === undefined ? undefined : releaseOf(version);
  const argv: string[] = [];
  const lacking: LackingFlag[] = [];
  for (const [option, flag] of EVERY_FLAG) {
    const value = given[option];
    if (value === undefined) continue;
    const lacks = release !== undefined && !isInVersion(flag.in, release);
    const tokens = tokensOf({ option, flag, release: lacks ? undefined : release }, value);
    if (tokens.length === 0) continue;
    refuseForbidden(option, flag, given);
    if (lacks) lacking.push({ flag: flag.flag, option, version: release });
    else argv.push(...tokens);
  }
  if (given.fallbackModel !== undefined && given.fallbackModel === given.model) {
    const message = "--fallback-model cannot be the main model: name another one.";
    throw new ArgvError("forbidden-combination", "fallbackModel", given.fallbackModel, message);
  }
  // After `--`, because a variadic flag would treat the prompt as a value.
  if (given.prompt !== undefined) argv.push("--", promptOf(given.prompt, given));
  return { argv, lacking };
};

const refuseUnknownOptions = (given: Readonly<Record<string, unknown>>): void => {
  for (const [option, value] of Object.entries(given)) {
    if (option === "prompt" || Object.hasOwn(FLAGS, option)) continue;
    throw new ArgvError("unknown-option", option, value, `Unknown option ${option}. FLAGS lists all options.`);
  }
};

/** `claude --version` prints more than the number. */
const releaseOf = (version: string): string => {
  const release = /^[0-9]+\.[0-9]+\.[0-9]+/.exec(version)?.[0];
  if (release !== undefined) return release;
  throw new ArgvError("invalid-value", "version", version, `A version looks like 2.1.325, not ${quote(version)}.`);
};

// Values to tokens

/** The value that is being written. `release` is undefined if the version does not matter. */
interface Spelling {
  readonly option: string;
  readonly flag: Flag;
  readonly release: string | undefined;
}

const tokensOf = (spelling: Spelling, value: unknown): string[] => {
  const { flag } = spelling;
  if (flag.list !== undefined) return listTokens(spelling, value);
  if (flag.takes === "nothing" || flag.takes === "switch") {
    if (typeof value !== "boolean") throw invalid(spelling, value, "is true or false");
    if (flag.takes === "nothing") return value ? [flag.flag] : [];
  }
  if (flag.optional && value === true) return [flag.flag];
  const text = textOf(spelling, value);
  return flag.joined ? [`${flag.flag}=${text}`] : [flag.flag, text];
};

const listTokens = (spelling: Spelling, value: unknown): string[] => {
  const { flag } = spelling;
  if (!Array.isArray(value)) throw invalid(spelling, value, "takes a list");
  const texts = value.map((one: unknown) => textOf(spelling, one));
  if (texts.length === 0) return flag.empty ? [flag.flag, ""] : [];
  if (flag.list === "comma") return [flag.flag, texts.join(",")];
  return flag.list === "repeated" ? texts.flatMap((text) => [flag.flag, text]) : [flag.flag, ...texts];
};

const textOf = (spelling: Spelling, value: unknown): string => {
  const { option, flag, release } = spelling;
  switch (flag.takes) {
    case "switch":
      return String(value);
    case "integer":
      if (Number.isSafeInteger(value) && Number(value) >= (flag.min ?? 1)) return String(value);
      throw invalid(spelling, value, `takes an integer from ${flag.min ?? 1}`);
    case "number":
      if (typeof value === "number" && Number.isFinite(value) && value > 0) return String(value);
      throw invalid(spelling, value, "takes a finite number above 0");
    case "choice":
      return choiceOf(spelling, value);
    case "json":
      return jsonOf(spelling, value);
    case "json-or-path":
      if (typeof value !== "string") return jsonOf(spelling, value);
      if (value.trimStart().startsWith("{")) throw invalid(spelling, value, "takes the object itself, not its JSON");
      if (flag.pathIn && release !== undefined && !isInVersion(flag.pathIn, release))
        throw invalid(spelling, value, `of ${release} takes no path, only the object`);
      return plainText(spelling, value);
    case "uuid":
      if (typeof value === "string" && UUID.test(value)) return value;
      throw invalid(spelling, value, "takes a UUID");
    case "tool":
      if (typeof value === "string" && value !== "" && splitTools(value)[0] !== value)
        throw invalid(spelling, value, "takes one rule for each element: split it at its commas and spaces");
      return plainText(spelling, value);
    default:
      if (value === "" && flag.empty) return value;
      if (flag.pattern && typeof value === "string" && !flag.pattern.test(value) && !value.startsWith("-"))
        throw invalid(spelling, value, `takes a value of the form ${flag.pattern.source}`);
      return plainText({ option, flag }, value);
  }
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const choiceOf = (spelling: Spelling, value: unknown): string => {
  const { option, flag, release } = spelling;
  const choices = (flag.choices ?? []).filter(
    (choice) => release === undefined || isInVersion(flag.choiceIn?.[choice] ?? flag.in, release),
  );
  const choice = choices.find((one) => one === value);
  if (choice !== undefined) return choice;
  const where = release === undefined ? "" : ` in ${release}`;
  const message = `${flag.flag} does not take ${quote(value)}${where}: choose ${choices.join(", ")}.`;
  throw new ArgvError(flag.choices === PERMISSION_MODES ? "unknown-mode" : "invalid-value", option, value, message);
};

const jsonOf = (spelling: Spelling, value: unknown): string => {
  if (!isRecord(value)) throw invalid(spelling, value, "takes a plain object");
  try {
    const json: unknown = JSON.stringify(value);
    // An object may have its own `toJSON`, like a Date.
    if (typeof json === "string" && json.startsWith("{")) return json;
  } catch (error) {
    throw invalid(spelling, value, `takes what JSON can hold (${String(error)})`);
  }
  throw invalid(spelling, value, "takes an object that is one in JSON too");
};

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
// oxlint-disable-next-line no-control-regex -- the same without tab, line feed and carriage return
const CONTROL_IN_TEXT = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

const plainText = (
  { option, flag }: { option: string; flag: Pick<Flag, "flag" | "takes"> },
  value: unknown,
): string => {
  const name = option === "prompt" ? "The prompt" : flag.flag;
  const refuse = (code: ArgvErrorCode, why: string) => new ArgvError(code, option, value, `${name} ${why}`);
  if (typeof value !== "string") throw refuse("invalid-value", `takes text, not ${quote(value)}.`);
  if (value === "") throw refuse("invalid-value", "takes a text that is not empty: leave the option out instead.");
  if (value.startsWith("-"))
    throw refuse("leading-dash", `cannot take ${quote(value)}: the CLI may take it for a flag. Begin it otherwise.`);
  if ((flag.takes === "text" ? CONTROL_IN_TEXT : CONTROL).test(value))
    throw refuse("control-character", `cannot take ${quote(value)}: remove its control characters.`);
  return value;
};

const promptOf = (value: unknown, given: Readonly<Record<string, unknown>>): string => {
  if (given.inputFormat === "stream-json") {
    const message = "The CLI ignores a prompt in argv when its input is stream-json: send a user message instead.";
    throw new ArgvError("positional-prompt", "prompt", value, message);
  }
  const prompt = plainText({ option: "prompt", flag: { flag: "--", takes: "text" } }, value);
  if (!COMMANDS.includes(prompt)) return prompt;
  const message = `The CLI would run its command ${quote(prompt)}: write the prompt in more than that word.`;
  throw new ArgvError("positional-prompt", "prompt", value, message);
};

const invalid = ({ option, flag }: Spelling, value: unknown, what: string): ArgvError =>
  new ArgvError("invalid-value", option, value, `${flag.flag} ${what}; it was given ${quote(value)}.`);

const quote = (value: unknown): string => {
  if (typeof value !== "string") return Array.isArray(value) ? "a list" : isRecord(value) ? "an object" : String(value);
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
};

// Combinations

const refuseForbidden = (option: string, flag: Flag, given: Readonly<Record<string, unknown>>): void => {
  const refuse = (message: string) => new ArgvError("forbidden-combination", option, given[option], message);
  for (const rule of flag.rules ?? []) {
    if (!applies(rule, given[option], given)) continue;
    const self = rule.when === undefined || rule.when === true ? flag.flag : `${flag.flag} ${rule.when}`;
    if (rule.needs && !rule.needs.some((term) => holds(term, given)))
      throw refuse(`${self} needs ${rule.needs.map(spelled).join(" or ")}: add it.`);
    const clash = rule.excludes?.find((term) => holds(term, given));
    if (clash !== undefined) throw refuse(`${self} cannot go with ${spelled(clash)}: give one of the two.`);
  }
};

const applies = (rule: FlagRule, value: unknown, given: Readonly<Record<string, unknown>>): boolean =>
  (rule.when === undefined || rule.when === value) && (rule.with?.some((term) => holds(term, given)) ?? true);

const holds = (term: Term, given: Readonly<Record<string, unknown>>): boolean => {
  const [option = "", wanted] = term.split("=");
  const value = given[option];
  return wanted === undefined ? value !== undefined && value !== false : value === wanted;
};

const spelled = (term: Term): string => {
  const [option = "", wanted] = term.split("=");
  const flag = EVERY_FLAG.find(([key]) => key === option)?.[1].flag ?? `a ${option}`;
  return wanted === undefined ? flag : `${flag} ${wanted}`;
};
