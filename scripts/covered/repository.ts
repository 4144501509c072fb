// Where code and tests are: checks that a file, a symbol of it, a test's title or a rule exists.

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const texts = new Map<string, string>();

export const textOf = (path: string): string => {
  const known = texts.get(path);
  if (known !== undefined) return known;
  const text = existsSync(`${root}${path}`) ? readFileSync(`${root}${path}`, "utf8") : "";
  texts.set(path, text);
  return text;
};

/** `packages/session/src/fold.ts FATES`: a file, and a name that it declares or, in a table, a key of it. */
export type Code = `${string}.${"ts" | "tsx" | "css"} ${string}`;
/** `packages/session/src/rules.test.ts [F10]` names a rule, `….test.ts finds a file` the words of a title. */
export type Shown = `${string}.ts ${string}`;

export interface Ability {
  readonly code: readonly Code[];
  readonly tests: readonly Shown[];
  /** What is missing. */
  readonly open?: string;
}

export interface Covered {
  readonly name: string;
  readonly about: string;
  readonly code: readonly Code[];
  readonly tests: readonly Shown[];
}

const split = (ref: string): readonly [file: string, name: string] => {
  const at = ref.indexOf(" ");
  return [ref.slice(0, at), ref.slice(at + 1)];
};

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/gu, "\\$&");

/** What is wrong with a reference to code, or undefined. */
export const codeProblem = (ref: Code): string | undefined => {
  const [file, name] = split(ref);
  const text = textOf(file);
  if (text === "") return `${file} does not exist`;
  const word = escaped(name);
  const isDeclared =
    new RegExp(`\\b(?:const|let|function\\*?|class|interface|type|enum)\\s+${word}(?![\\w$])`, "u").test(text) ||
    new RegExp(`^\\s*(?:readonly |async |get |static )*["']?#?${word}["']?\\s*(?:[:(=<]|\\?:)`, "mu").test(text);
  return isDeclared ? undefined : `${file} declares no ${name}`;
};

/** What is wrong with a reference to a test, or undefined. A rule is cited in a title, or is the name of a case. */
export const testProblem = (ref: Shown): string | undefined => {
  const [file, name] = split(ref);
  const text = textOf(file);
  if (text === "") return `${file} does not exist`;
  const isRule = /^\[[A-Z]+\d+\]$/u.test(name);
  const isFound = isRule
    ? new RegExp(`["'\`]${escaped(name)}`, "u").test(text)
    : new RegExp(`["'\`](?:\\[[A-Z0-9, ]+\\] )?[^"'\`\\n]*${escaped(name)}`, "u").test(text);
  return isFound ? undefined : `${file} has no test "${name}"`;
};

/** A reference as Markdown: the name, with the file behind it. */
export const linked = (ref: string): string => {
  const [file, name] = split(ref);
  const short = file.replace(/^packages\/([^/]+)\/src\//u, "$1/");
  return `\`${name.replaceAll("|", "\\|")}\` in [${short}](../${file})`;
};
