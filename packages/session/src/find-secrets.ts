// Finds text that looks like a secret, for a person who decides what leaves this machine. Pure, and linear in the text.
// `SECRET_RULES` find too much on purpose. Here a value must also look like one, because each finding is shown in a list.

import { SECRET_RULES } from "./secrets.ts";

export interface FoundSecret {
  /** In words. */
  readonly kind: string;
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

interface Rule {
  readonly kind: string;
  readonly pattern: RegExp;
  /** The whole match, the value, and the text before the value within the match. */
  readonly isReal?: (value: string, before: string) => boolean;
}

/** Patterns of `SECRET_RULES`, by what they begin with. */
const sharedRule = (part: string): RegExp => {
  const found = SECRET_RULES.find(({ pattern }) => pattern.source.includes(part));
  if (found === undefined) throw new Error(`No rule has ${part}.`);
  return found.pattern;
};

/** Words with small numbers, such as names of classes, files and versions. */
const isWords = (value: string): boolean =>
  value.split(/[-_.:/+=]/u).every((part) => /^(?:[A-Za-z]{0,20}|[A-Za-z]{0,12}\d{1,4}[a-z]{0,2})$/u.test(part));

const PLACEHOLDER =
  /^(?:[*x•.…#-]+|<[^>]*>?|\$.*|%\w+%|\{\{.*|your[-_ ]?.*|my[-_].*|(?:an?[-_])?example.*|.*[-_]here|change[-_]?me.*|placeholder.*|dummy.*|fake.*|redacted.*|hidden.*|secret|password|token|string|null|undefined|localhost.*)$/iu;

/** `this.token`, `req.headers`, `getToken`: code, not a value. */
const isCode = (value: string): boolean =>
  /^[A-Za-z_$][\w$]*(?:(?:\?\.|\.|::|->)[A-Za-z_$][\w$]*)+[;,!]?$/u.test(value) && !/\d{3}/u.test(value);

const isAssigned = (value: string, before: string): boolean => {
  if (PLACEHOLDER.test(value) || isCode(value) || /^\d{1,9}$/u.test(value) || /^[/~@#.]|…|\.\.\.$/u.test(value))
    return false;
  const isQuoted = /["']$/u.test(before);
  // `PASSWORD=word` in an environment, or `password: "word"`. Without quotes, a word alone is code or prose.
  const isEnvironment = /^[A-Z_]+=$/u.test(before);
  return isQuoted || isEnvironment ? value.length >= 6 : !/^[A-Za-z_$]+$/u.test(value) && /[\d\W_]/u.test(value);
};

const RULES: readonly Rule[] = [
  { kind: "private key", pattern: sharedRule("PRIVATE KEY") },
  { kind: "Anthropic key", pattern: sharedRule("sk-ant-"), isReal: (value) => /\d/u.test(value) || value.length > 30 },
  {
    kind: "API key",
    pattern: sharedRule("(?:sk|rk|pk)"),
    isReal: (value) => /\d/u.test(value) && !isWords(value) && !value.startsWith("sk-ant-"),
  },
  { kind: "JSON web token", pattern: sharedRule("eyJ") },
  { kind: "AWS key", pattern: sharedRule("AKIA") },
  {
    kind: "access token",
    pattern: sharedRule("gh[pousr]_"),
    isReal: (value) => /\d/u.test(value) && !isWords(value),
  },
  { kind: "webhook address", pattern: /https:\/\/hooks\.slack\.com\/services\/[\w/]{20,200}/dgu },
  { kind: "API key", pattern: /(?<![\w.-])(?:SG\.[\w-]{16,64}\.[\w-]{16,64}|whsec_[\w+/=]{24,100})/dgu },
  { kind: "account key", pattern: /AccountKey=(?<value>[\w+/]{40,200}={0,2})/dgu },
  {
    kind: "password in a URL",
    pattern: sharedRule(":\\/\\/"),
    isReal: (value) => !PLACEHOLDER.test(value.slice(value.indexOf(":") + 1)),
  },
  {
    kind: "bearer token",
    pattern: sharedRule("Bearer|Basic)\\s"),
    isReal: (value) => !PLACEHOLDER.test(value) && !isWords(value),
  },
  { kind: "named secret", pattern: sharedRule("client[_-]?secret"), isReal: isAssigned },
];

/** In order of their places. Findings do not overlap: the rule that comes first names the place. */
export const findSecrets = (text: string): readonly FoundSecret[] => {
  const found: FoundSecret[] = [];
  for (const { kind, pattern, isReal } of RULES) {
    for (const match of text.matchAll(pattern)) {
      const value = match.groups?.["value"] ?? match[0];
      const [start, end] = match.indices?.groups?.["value"] ?? match.indices?.[0] ?? [match.index, 0];
      if (isReal !== undefined && !isReal(value, text.slice(match.index, start))) continue;
      found.push({ kind, value, start, end });
    }
  }
  let upTo = 0;
  return found
    .map((one, rank) => ({ one, rank }))
    .toSorted((a, b) => a.one.start - b.one.start || a.rank - b.rank)
    .flatMap(({ one }) => {
      if (one.start < upTo) return [];
      upTo = one.end;
      return one;
    });
};

/** The value without its middle: enough to recognize it, too little to use it. */
export const shownSecret = (value: string): string => {
  const line = value.replaceAll(/\s+/gu, " ");
  if (line.startsWith("-----BEGIN")) return `${/^-----BEGIN [A-Z ]{0,40}-----/u.exec(line)?.[0] ?? "-----BEGIN"} …`;
  return line.length < 12 ? `${line.slice(0, 1)}…` : `${line.slice(0, 4)}…${line.slice(-2)}`;
};

/** Short values are too likely to be ordinary words elsewhere. */
const SHORTEST_ANYWHERE = 8;

/**
 * Replaces secrets in texts. `known` are values that were found anywhere, with their kinds: they are also removed where
 * nothing around them tells what they are. Values for which `keeps` is true stay.
 */
export const secretRemover = (
  known: ReadonlyMap<string, string>,
  keeps: (value: string) => boolean,
): ((text: string) => string) => {
  const everywhere = [...known].filter(([value]) => value.length >= SHORTEST_ANYWHERE && !keeps(value));
  return (text) => {
    let clean = "";
    let from = 0;
    for (const { kind, value, start, end } of findSecrets(text)) {
      if (keeps(value)) continue;
      clean += `${text.slice(from, start)}${removedWords(kind)}`;
      from = end;
    }
    clean += text.slice(from);
    for (const [value, kind] of everywhere)
      if (clean.includes(value)) clean = clean.replaceAll(value, () => removedWords(kind));
    return clean;
  };
};

const removedWords = (kind: string): string => `[removed: ${kind}]`;
