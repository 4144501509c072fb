// The Bash rules of one behavior, compiled once: exact, prefix (`npm:*`) and star (`npm run *`) rules. A look-up costs the same with
// ten rules or ten thousand, as long as stars do not all begin with the same word.

import type { PlacedRule } from "./types.ts";

interface StarRule {
  readonly rule: PlacedRule;
  /** The parts between stars. */
  readonly parts: readonly string[];
  /** `git *` also matches `git`. */
  readonly bare: string | undefined;
  readonly order: number;
}

interface Found {
  readonly rule: PlacedRule;
  readonly order: number;
}

const collapse = (text: string): string =>
  text.includes("  ") || text.includes("\t") ? text.replaceAll(/[ \t]+/gu, " ") : text;

/** Cuts at stars; `\*` and `\\` are the characters themselves. */
const partsOfStars = (pattern: string): readonly string[] => {
  const parts = [""];
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at]!;
    if (char === "\\" && /[*\\]/u.test(pattern[at + 1] ?? "")) parts[parts.length - 1] += pattern[++at]!;
    else if (char === "*") parts.push("");
    else parts[parts.length - 1] += char;
  }
  return parts;
};

const firstWordOf = (text: string): string => {
  const space = text.indexOf(" ");
  return space === -1 ? text : text.slice(0, space);
};
const lastWordOf = (text: string): string => text.slice(text.lastIndexOf(" ") + 1);

/** Linear: each part is looked for once, from left to right, and the last one from the end. */
const starsMatch = ({ parts, bare }: StarRule, text: string): boolean => {
  if (bare !== undefined && text === bare) return true;
  const last = parts.at(-1)!;
  const first = parts[0]!;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let at = first.length;
  const end = text.length - last.length;
  for (let index = 1; index < parts.length - 1; index++) {
    const found = text.indexOf(parts[index]!, at);
    if (found === -1 || found + parts[index]!.length > end) return false;
    at = found + parts[index]!.length;
  }
  return true;
};

/** What may stand behind a star inside the first word, for an allow. */
const PLAIN_REST = /^[\p{L}\p{M}\p{N}_.+\-:@%,~/]*$/u;

export class BashRules {
  readonly #exact = new Map<string, Found>();
  /** First words of exact rules, prefix rules, and rules with a star after a whole word. */
  readonly #firstWords = new Set<string>();
  readonly #prefix = new Map<string, Found>();
  readonly #prefixFirst = new Set<string>();
  /** How many words the longest prefix has. */
  #prefixWords = 0;
  /** By the first word, where it is whole. */
  readonly #starsByFirst = new Map<string, StarRule[]>();
  /** By the last word, where the pattern begins with a star or inside a word. */
  readonly #starsByLast = new Map<string, StarRule[]>();
  readonly #starsByStart = new Map<string, StarRule[]>();
  readonly #starStartLengths = new Set<number>();
  readonly #otherStars: StarRule[] = [];
  readonly #isAllow: boolean;
  readonly isEmpty: boolean;

  /** Since 2.1.200: `git *` matches `git`, and `xargs rm` is about `rm`. */
  readonly #isNew: boolean;

  constructor(rules: readonly PlacedRule[], isAllow: boolean, isNew: boolean) {
    this.#isAllow = isAllow;
    this.#isNew = isNew;
    this.isEmpty = rules.length === 0;
    for (const [order, rule] of rules.entries()) this.#add(rule, order);
  }

  #add(rule: PlacedRule, order: number): void {
    const content = rule.rule.ruleContent;
    if (content === undefined) return;
    if (content.endsWith(":*")) {
      const prefix = collapse(content.slice(0, -2));
      if (prefix === "" || this.#prefix.has(prefix)) return;
      this.#prefix.set(prefix, { rule, order });
      this.#prefixFirst.add(firstWordOf(prefix));
      this.#firstWords.add(firstWordOf(prefix));
      this.#prefixWords = Math.max(this.#prefixWords, prefix.split(" ").length);
      return;
    }
    if (content.includes(":*")) return;
    const parts = partsOfStars(content);
    if (parts.length === 1) {
      const text = content.trim();
      if (!this.#exact.has(text)) this.#exact.set(text, { rule, order });
      this.#firstWords.add(firstWordOf(text));
      return;
    }
    const isBare = this.#isNew && parts.length === 2 && parts[1] === "" && parts[0]!.endsWith(" ");
    const star: StarRule = { rule, parts, bare: isBare ? parts[0]!.slice(0, -1) : undefined, order };
    const [first = "", last = ""] = [parts[0], parts.at(-1)];
    if (first.includes(" ")) {
      push(this.#starsByFirst, firstWordOf(first), star);
      this.#firstWords.add(firstWordOf(first));
    } else if (last.includes(" ")) push(this.#starsByLast, lastWordOf(last), star);
    else if (first !== "") {
      push(this.#starsByStart, first, star);
      this.#starStartLengths.add(first.length);
    } else this.#otherStars.push(star);
  }

  exact(text: string): Found | undefined {
    return this.#exact.get(text);
  }

  /** An exact rule, else a prefix or star rule. */
  either(text: string): Found | undefined {
    return this.#mayMatch(text) ? (this.#exact.get(text) ?? this.prefix(text)) : undefined;
  }

  /** The rule of any kind that stands first. */
  first(text: string): Found | undefined {
    if (!this.#mayMatch(text)) return undefined;
    const [exact, prefix] = [this.#exact.get(text), this.prefix(text)];
    return exact === undefined || (prefix !== undefined && prefix.order < exact.order) ? prefix : exact;
  }

  /** Most texts begin with a word with which no rule begins. */
  #mayMatch(text: string): boolean {
    return (
      this.#firstWords.has(firstWordOf(text)) ||
      this.#starsByLast.size + this.#starsByStart.size + this.#otherStars.length > 0 ||
      text.includes("\t") ||
      (this.#isNew && text.startsWith("xargs "))
    );
  }

  /** Prefix and star rules. */
  prefix(text: string): Found | undefined {
    let found: Found | undefined;
    const take = (other: Found | undefined): void => {
      if (other !== undefined && (found === undefined || other.order < found.order)) found = other;
    };
    if (this.#prefix.size > 0) {
      const spaced = collapse(text);
      this.#lookUpPrefixes(spaced, take);
      if (this.#isNew && spaced.startsWith("xargs ")) this.#lookUpPrefixes(spaced.slice(6), take);
    }
    this.#lookUpStars(text, take);
    if (this.#isNew && text.startsWith("xargs ")) this.#lookUpStars(text.slice(6), take);
    return found;
  }

  #lookUpPrefixes(text: string, take: (found: Found | undefined) => void): void {
    if (!this.#prefixFirst.has(firstWordOf(text))) return;
    let at = text.indexOf(" ");
    for (let words = 0; at !== -1 && words < this.#prefixWords; words++, at = text.indexOf(" ", at + 1))
      take(this.#prefix.get(text.slice(0, at)));
    take(this.#prefix.get(text));
  }

  #lookUpStars(text: string, take: (found: Found | undefined) => void): void {
    const look = (stars: readonly StarRule[] | undefined): void => {
      for (const star of stars ?? []) if (starsMatch(star, text) && this.#isSafe(star, text)) take(star);
    };
    if (this.#starsByFirst.size > 0) look(this.#starsByFirst.get(firstWordOf(text)));
    if (this.#starsByLast.size > 0) look(this.#starsByLast.get(lastWordOf(text)));
    for (const length of this.#starStartLengths) look(this.#starsByStart.get(text.slice(0, length)));
    look(this.#otherStars);
  }

  /** An allow with a star inside the program's name must not take in quotes, variables or operators. */
  #isSafe({ parts }: StarRule, text: string): boolean {
    const first = parts[0]!;
    if (!this.#isAllow || first === "" || first.includes(" ")) return true;
    return PLAIN_REST.test(firstWordOf(text.slice(first.length)));
  }
}

const push = (map: Map<string, StarRule[]>, key: string, star: StarRule): void => {
  const list = map.get(key);
  if (list === undefined) map.set(key, [star]);
  else list.push(star);
};

export type { Found };
