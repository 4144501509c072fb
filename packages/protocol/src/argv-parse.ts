// Turns argv back into options, for the simulator and the recorder. It reads argv like the parser of 2.1.325 and applies no
// rules; the caller that spawns does.

import type { ClaudeOptions, JsonOption } from "./argv-options.ts";
import { COMMANDS, EVERY_FLAG } from "./flags.ts";
import type { Flag, OptionKey } from "./flags.ts";
import { isRecord } from "./json.ts";

export interface ParsedArgv {
  readonly options: ClaudeOptions;
  /** Flags that are not in `FLAGS`, each with the words after it that could be its values. */
  readonly unknown: readonly string[];
  /** Flags with an invalid value, or (`undefined`) without a required value. */
  readonly invalid: readonly { readonly flag: string; readonly value: string | undefined }[];
  /** All positional words; the first is also `options.prompt`, unless it is a command. */
  readonly positional: readonly string[];
}

/**
 * Reads a command line like the newest CLI. It never throws and applies no rule, because the line was meant for a CLI. After
 * a command (`mcp`, `update`) all words are positional.
 */
export const parseArgv = (argv: readonly string[]): ParsedArgv => {
  const words = [...argv];
  const options: Record<string, unknown> = {};
  const unknown: string[] = [];
  const invalids: { flag: string; value: string | undefined }[] = [];
  const positional: string[] = [];
  let isCommand = false;

  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === "--") {
      positional.push(...words.splice(0));
      continue;
    }
    if (!looksLikeFlag(word)) {
      isCommand ||= positional.length === 0 && COMMANDS.includes(word);
      positional.push(word, ...(isCommand ? words.splice(0) : []));
      continue;
    }
    const found = flagIn(word);
    if (found === undefined) {
      unknown.push(word, ...takeWhilePlain(words));
      continue;
    }
    const { option, flag, attached, bundled } = found;
    if (bundled !== undefined) words.unshift(bundled);
    const values = attached === undefined ? takeValues(flag, words) : [attached];
    const read = values.length === 0 ? bareValue(flag) : valueOf(flag, values);
    if (read === undefined) invalids.push({ flag: flag.flag, value: values[0] });
    else if (Array.isArray(read) && flag.list !== "comma") options[option] = [...listIn(options[option]), ...read];
    else options[option] = read;
  }

  const [first] = positional;
  if (first !== undefined && !isCommand) options.prompt = first;
  return { options, unknown, invalid: invalids, positional };
};

const BY_NAME: ReadonlyMap<string, Found> = new Map(
  EVERY_FLAG.flatMap(([option, flag]) => [flag.flag, ...(flag.aliases ?? [])].map((name) => [name, { option, flag }])),
);

const looksLikeFlag = (word: string): boolean => word.length > 1 && word.startsWith("-");

interface Found {
  readonly option: OptionKey;
  readonly flag: Flag;
  readonly attached?: string;
  /** In `-pc`, the `-c` after `-p`. */
  readonly bundled?: string;
}

const flagIn = (word: string): Found | undefined => {
  const exact = BY_NAME.get(word);
  if (exact) return exact;
  const [name, attached] = word.startsWith("--") ? splitOnce(word) : [word.slice(0, 2), word.slice(2)];
  const found = BY_NAME.get(name);
  if (!found || attached === undefined) return undefined;
  if (found.flag.takes !== "nothing") return { ...found, attached };
  return word.startsWith("--") ? undefined : { ...found, bundled: `-${attached}` };
};

const splitOnce = (word: string): [string, string | undefined] => {
  const at = word.indexOf("=");
  return at === -1 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
};

const takeWhilePlain = (words: string[]): string[] => {
  const end = words.findIndex(looksLikeFlag);
  return words.splice(0, end === -1 ? words.length : end);
};

/** A required value may start with a dash. An optional value, or another value of a list, may not. */
const takeValues = (flag: Flag, words: string[]): string[] => {
  // The CLI's parser sees `--tmux` without a value; `--tmux=classic` is handled before it.
  if (flag.takes === "nothing" || (flag.joined && flag.choices) || words.length === 0) return [];
  if (flag.optional) return looksLikeFlag(words[0] ?? "") ? [] : words.splice(0, 1);
  const first = words.splice(0, 1);
  return flag.list === "variadic" ? [...first, ...takeWhilePlain(words)] : first;
};

const bareValue = (flag: Flag): true | undefined => (flag.takes === "nothing" || flag.optional ? true : undefined);

const valueOf = (flag: Flag, values: readonly string[]): unknown => {
  if (flag.list === undefined) return oneOf(flag, values[0] ?? "");
  const parts = values.flatMap((value) =>
    flag.takes === "tool" ? splitTools(value) : flag.list === "comma" ? value.split(",").filter(Boolean) : [value],
  );
  const items = parts.map((part) => oneOf(flag, part));
  return items.includes(undefined) ? undefined : items;
};

const oneOf = (flag: Flag, value: string): unknown => {
  switch (flag.takes) {
    case "switch":
      return /^(true|1|yes|on)$/i.test(value) ? true : /^(false|0|no|off)$/i.test(value) ? false : undefined;
    case "integer":
    case "number":
      return value.trim() !== "" && Number.isFinite(Number(value)) ? Number(value) : undefined;
    case "choice":
      return flag.choices?.find((choice) => choice === value);
    case "json":
      return objectIn(value);
    case "json-or-path":
      return objectIn(value) ?? value;
    default:
      return value;
  }
};

const objectIn = (json: string): JsonOption | undefined => {
  try {
    const value: unknown = JSON.parse(json);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined; // Not JSON: a path, or a mistake that the caller reports.
  }
};

const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** At commas and spaces, but not inside parentheses: `Read,Bash(git log, git diff) Edit`. */
export const splitTools = (text: string): string[] => {
  const tools: string[] = [];
  let depth = 0;
  let tool = "";
  for (const character of text) {
    if (character === "(") depth++;
    if (character === ")") depth = Math.max(0, depth - 1);
    if (depth === 0 && (character === "," || character === " ")) {
      if (tool !== "") tools.push(tool);
      tool = "";
    } else tool += character;
  }
  return tool === "" ? tools : [...tools, tool];
};
