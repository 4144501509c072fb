// Replaces secrets and personal data in a recording by placeholders, the same one for the same value, so that the
// recording stays readable. It works on text and on JSON text, where it changes only strings. It cannot find secrets
// that look like ordinary words, or data inside base64.

import { homedir, hostname, userInfo } from "node:os";
import { SECRET_KEY, SECRET_RULES } from "@quarterdeck/session";
import type { SecretRule } from "@quarterdeck/session";

export interface Person {
  readonly home?: string;
  readonly user?: string;
  readonly host?: string;
  /** Values that must not appear anywhere. */
  readonly secrets?: readonly string[];
}

export interface Span {
  readonly start: number;
  readonly end: number;
  readonly placeholder: string;
}

/** The user of this process. Secrets are the values of environment variables with secret names. */
export const personHere = (env: NodeJS.ProcessEnv = process.env): Person => ({
  home: homedir(),
  user: userNameHere(),
  host: hostname(),
  secrets: Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && SECRET_KEY.test(name) && value.length >= 8 && !isPath(value) ? [value] : [],
  ),
});

const userNameHere = (): string => {
  try {
    return userInfo().username;
  } catch {
    // The uid has no entry in the password file.
    return "";
  }
};

interface Rule extends SecretRule {
  readonly kind: string;
}

const RULES: readonly Rule[] = [
  ...SECRET_RULES.map((rule) => ({ kind: "secret", ...rule })),
  { kind: "email", pattern: /(?<![\w.%+-])[\w.%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![\w-])/dg },
  { kind: "user", pattern: /(?<![\w.])\/(?:home|Users)\/(?<value>(?!Shared\b)[\w.-]{1,64})/dg },
];

/** Account names that say nothing about a person, and common words. */
const COMMON_NAMES: ReadonlySet<string> = new Set(
  "root user admin node dev ubuntu debian vscode runner docker app test guest localhost host home claude work".split(
    " ",
  ),
);
/** Account fields that describe a plan, not a person. */
const IMPERSONAL: ReadonlySet<string> = new Set(["tokenSource", "apiKeySource", "apiProvider", "subscriptionType"]);
const PERSONAL_KEY = /^(?:account|organi[sz]ation|org|user|device|anonymous)[_-]?(?:uuid|id|name|email)$/i;

export class Redactor {
  readonly #rules: Rule[];
  readonly #placeholders = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  /** Recognized values with their kind. They are replaced everywhere. */
  readonly #literals = new Map<string, string>();

  constructor(person: Person = {}) {
    this.#rules = [...personalRules(person), ...RULES];
    for (const secret of person.secrets ?? []) this.#remember(secret, "secret");
  }

  text(text: string): string {
    return replaced(text, this.spansIn(text));
  }

  /** What is to be replaced, in order and without overlap. */
  spansIn(text: string): Span[] {
    const found: { readonly start: number; readonly end: number; readonly kind: string }[] = [];
    for (const { kind, pattern, contextual } of this.#rules) {
      // Not `matchAll`, which copies the pattern each time: most strings are short and match nothing.
      pattern.lastIndex = 0;
      for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
        const [start, end] = match.indices?.groups?.["value"] ?? match.indices![0]!;
        found.push({ start, end, kind });
        const value = text.slice(start, end);
        if (contextual === true && looksRandom(value)) this.#remember(value, kind);
      }
    }
    for (const [value, kind] of this.#literals) {
      for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + value.length)) {
        found.push({ start: at, end: at + value.length, kind });
      }
    }
    const spans: { start: number; end: number; kind: string }[] = [];
    for (const span of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
      const last = spans.at(-1);
      // Overlapping spans are merged, so that no part of either is left.
      if (last !== undefined && span.start < last.end) last.end = Math.max(last.end, span.end);
      else spans.push({ ...span });
    }
    return spans.map(({ start, end, kind }) => {
      const value = text.slice(start, end);
      return { start, end, placeholder: this.#placeholder(this.#literals.get(value) ?? kind, value) };
    });
  }

  /** JSON text with replaced strings and keys. Everything else stays as it was written. */
  json(text: string): string {
    let out = "";
    let copied = 0;
    let key: string | undefined;
    let depth = 0;
    let accountDepth = Number.POSITIVE_INFINITY;
    for (let at = 0; at < text.length; at++) {
      const char = text[at];
      if (char === "{" || char === "[") {
        depth++;
        if (char === "{" && key === "account") accountDepth = Math.min(accountDepth, depth);
        if (char === "{") key = undefined;
      } else if (char === "}" || char === "]") {
        if (depth === accountDepth) accountDepth = Number.POSITIVE_INFINITY;
        depth--;
        key = undefined;
      } else if (char === '"') {
        const end = endOfString(text, at);
        const value = stringOf(text.slice(at, end));
        const isKey = /^\s*:/.test(text.slice(end, end + 8));
        const clean = isKey ? this.text(value) : this.#value(value, key, depth >= accountDepth);
        if (clean !== value) {
          out += text.slice(copied, at) + JSON.stringify(clean);
          copied = end;
        }
        if (isKey) key = value;
        at = end - 1;
      }
    }
    return copied === 0 ? text : out + text.slice(copied);
  }

  #value(value: string, key: string | undefined, inAccount: boolean): string {
    const clean = this.text(value);
    if (value === "" || key === undefined) return clean;
    const isPersonal = (inAccount && !IMPERSONAL.has(key)) || PERSONAL_KEY.test(key);
    if (isPersonal) {
      if (clean !== value) return clean;
      if (value.length >= 4 && !COMMON_NAMES.has(value.toLowerCase())) this.#remember(value, "account");
      return this.#placeholder("account", value);
    }
    if (!SECRET_KEY.test(key) || inAccount) return clean;
    if (looksRandom(value)) this.#remember(value, "secret");
    return this.#placeholder("secret", value);
  }

  #remember(value: string, kind: string): void {
    if (value !== "" && !this.#literals.has(value)) this.#literals.set(value, kind);
  }

  #placeholder(name: string, value: string): string {
    if (name.startsWith("<")) return name;
    const id = `${name}:${name === "email" ? value.toLowerCase() : value}`;
    const known = this.#placeholders.get(id);
    if (known !== undefined) return known;
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    const placeholder = `<${name}-${count}>`;
    this.#placeholders.set(id, placeholder);
    return placeholder;
  }
}

export const replaced = (text: string, spans: readonly Span[]): string => {
  let out = "";
  let copied = 0;
  for (const { start, end, placeholder } of spans) {
    out += text.slice(copied, start) + placeholder;
    copied = end;
  }
  return copied === 0 ? text : out + text.slice(copied);
};

/**
 * The same over pieces that belong together. A value that spans several pieces is replaced in the first and removed
 * from the rest, so that the number of pieces stays the same.
 */
export const replacedAcross = (pieces: readonly string[], spans: readonly Span[]): string[] => {
  let offset = 0;
  return pieces.map((piece) => {
    const [from, to] = [offset, offset + piece.length];
    offset = to;
    const here = spans
      .filter(({ start, end }) => start < to && end > from)
      .map(({ start, end, placeholder }) => ({
        start: Math.max(start, from) - from,
        end: Math.min(end, to) - from,
        placeholder: start >= from ? placeholder : "",
      }));
    return replaced(piece, here);
  });
};

/** Rules for one person. A rule whose kind is a placeholder has no numbers. */
const personalRules = ({ home, user, host }: Person): Rule[] => {
  const rules: Rule[] = [];
  if (home !== undefined && home.length > 1) {
    const folder = home.replace(/[\\/]+$/, "");
    rules.push({ kind: "<home>", pattern: new RegExp(`(?<!\\w)${escaped(folder)}(?![\\w-])`, "dg") });
    // The CLI names a project's folder after its path, with dashes.
    const dashed = escaped(folder.replaceAll(/[^A-Za-z0-9]/g, "-"));
    rules.push({ kind: "<home>", pattern: new RegExp(`(?<=[\\\\/])${dashed}(?!\\w)`, "dg") });
  }
  if (user !== undefined && isTelling(user)) rules.push({ kind: "<user>", pattern: wordPattern(user, "dg") });
  if (host !== undefined) {
    const names = [host, host.split(".")[0]!].filter(isTelling);
    for (const name of new Set(names)) rules.push({ kind: "<host>", pattern: wordPattern(name, "dgi") });
  }
  return rules;
};

const isTelling = (name: string): boolean => name.length >= 3 && !COMMON_NAMES.has(name.toLowerCase());
const wordPattern = (word: string, flags: string): RegExp => new RegExp(`(?<!\\w)${escaped(word)}(?!\\w)`, flags);
const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
const isPath = (value: string): boolean => /^[~.]?\//.test(value);
/** Random enough not to be an ordinary word after `token:`. */
const looksRandom = (value: string): boolean =>
  value.length >= 8 && /\d/.test(value) && /[A-Za-z]/.test(value) && !isPath(value);

/** The position after the closing quote of the string that starts at `start`. */
const endOfString = (text: string, start: number): number => {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
  return text.length;
};

const stringOf = (token: string): string => {
  try {
    return JSON.parse(token) as string;
  } catch {
    // Not a whole JSON string: the text was cut.
    return token;
  }
};
