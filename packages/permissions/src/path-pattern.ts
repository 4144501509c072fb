// The patterns of path rules, as in .gitignore: `*.ts` at any depth, `src/*.ts` at that level, `src/**`, classes. No braces.
// A pattern that matches a folder matches all below it. Names compare without case. Matching is linear in pattern times path.

/** One part of a pattern, between slashes. */
export type Part = { readonly kind: "any-depth" } | { readonly kind: "name"; readonly glob: Glob };

export interface Glob {
  /** Undefined: compare with `text`. */
  readonly tokens: readonly Token[] | undefined;
  readonly text: string;
}
export type Token =
  | { readonly kind: "star" }
  | { readonly kind: "one" }
  | { readonly kind: "char"; readonly char: string }
  | ClassToken;
interface ClassToken {
  readonly kind: "class";
  readonly negated: boolean;
  readonly ranges: readonly (readonly [string, string])[];
}

export interface PathPattern {
  readonly parts: readonly Part[];
  /** Whether the pattern is bound to its root. */
  readonly anchored: boolean;
  readonly folderOnly: boolean;
  /** What stands before the first star, as whole parts: an index may use it. */
  readonly literal: readonly string[];
}

/** Undefined: it matches nothing. */
export const compilePattern = (text: string): PathPattern | undefined => {
  let pattern = text.replace(/^\uFEFF/u, "").replaceAll(/\/{2,}/gu, "/");
  if (/^(?:\s*|[!#].*|\.|\/|\.\/)$/su.test(pattern)) return undefined;
  if (pattern.startsWith("./")) pattern = pattern.slice(2);
  pattern = pattern.replace(/(?<!\\) +$/u, "");
  const folderOnly = pattern.endsWith("/");
  if (folderOnly) pattern = pattern.slice(0, -1);
  const inner = pattern.startsWith("/") ? pattern.slice(1) : pattern;
  if (inner === "") return undefined;
  const names = inner.split("/");
  if (names.some((name) => name === ".." || name === ".")) return undefined;
  // `a/**` is everything below a; the CLI also lets it match a itself.
  const trimmed = names.length > 1 && names.at(-1) === "**" ? names.slice(0, -1) : names;
  const parts = trimmed.map((name): Part =>
    name === "**" ? { kind: "any-depth" } : { kind: "name", glob: compileGlob(name.toLowerCase()) },
  );
  const literal: string[] = [];
  for (const part of parts) {
    if (part.kind !== "name" || part.glob.tokens !== undefined) break;
    literal.push(part.glob.text);
  }
  return { parts, anchored: pattern.startsWith("/") || names.length > 1, folderOnly, literal };
};

export const compileGlob = (name: string): Glob => {
  if (!/[*?[\\]/u.test(name)) return { tokens: undefined, text: name };
  const chars = Array.from(name);
  const tokens: Token[] = [];
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at]!;
    if (char === "*") {
      if (tokens.at(-1)?.kind !== "star") tokens.push({ kind: "star" });
    } else if (char === "?") tokens.push({ kind: "one" });
    else if (char === "\\" && at + 1 < chars.length) tokens.push({ kind: "char", char: chars[++at]! });
    else if (char === "[") {
      const end = classEnd(chars, at);
      if (end === -1) tokens.push({ kind: "char", char });
      else {
        tokens.push(classToken(chars.slice(at + 1, end)));
        at = end;
      }
    } else tokens.push({ kind: "char", char });
  }
  return { tokens, text: name };
};

const classEnd = (chars: readonly string[], at: number): number => {
  const first = at + (chars[at + 1] === "!" || chars[at + 1] === "^" ? 2 : 1);
  return chars.indexOf("]", first + 1);
};

const classToken = (inner: readonly string[]): ClassToken => {
  const negated = inner[0] === "!" || inner[0] === "^";
  const chars = negated ? inner.slice(1) : inner;
  const ranges: [string, string][] = [];
  for (let at = 0; at < chars.length; at++) {
    if (chars[at + 1] === "-" && at + 2 < chars.length) {
      ranges.push([chars[at]!, chars[at + 2]!]);
      at += 2;
    } else ranges.push([chars[at]!, chars[at]!]);
  }
  return { kind: "class", negated, ranges };
};

export const tokenFits = (token: Token, char: string): boolean => {
  if (token.kind === "one") return true;
  if (token.kind === "star") return false;
  if (token.kind === "char") return token.char === char;
  return token.ranges.some(([low, high]) => low <= char && char <= high) !== token.negated;
};

/** The usual two pointers: on a mismatch the last star takes one character more. */
const globMatches = ({ tokens, text }: Glob, name: string): boolean => {
  if (tokens === undefined) return text === name;
  const chars = Array.from(name);
  let at = 0;
  let token = 0;
  let star = -1;
  let from = 0;
  while (at < chars.length) {
    const current = tokens[token];
    if (current?.kind === "star") {
      star = token++;
      from = at;
    } else if (current !== undefined && tokenFits(current, chars[at]!)) {
      token++;
      at++;
    } else if (star !== -1) {
      token = star + 1;
      at = ++from;
    } else return false;
  }
  while (tokens[token]?.kind === "star") token++;
  return token === tokens.length;
};

/** `names` are the parts of a path below the pattern's root, in lower case. */
export const patternMatches = (pattern: PathPattern, names: readonly string[]): boolean => {
  const first = pattern.parts[0];
  if (!pattern.anchored && pattern.parts.length === 1 && first?.kind === "name") {
    const end = pattern.folderOnly ? names.length - 1 : names.length;
    for (let at = 0; at < end; at++) if (globMatches(first.glob, names[at]!)) return true;
    return false;
  }
  return partsMatch(pattern.parts, names, pattern.folderOnly);
};

/** Whether the parts match the path or a folder above it. A `**` takes any number of names, also none. */
const partsMatch = (parts: readonly Part[], names: readonly string[], folderOnly: boolean): boolean => {
  if (parts.every((part) => part.kind === "any-depth")) return names.length > 0;
  let at = 0;
  let part = 0;
  let deep = -1;
  let from = 0;
  for (;;) {
    const current = parts[part];
    // The pattern is used up: what is left of the path lies below the match.
    if (current === undefined) {
      if (!folderOnly || at < names.length) return true;
    } else if (current.kind === "any-depth") {
      deep = part++;
      from = at;
      continue;
    } else if (at < names.length && globMatches(current.glob, names[at]!)) {
      part++;
      at++;
      continue;
    }
    if (deep === -1 || from >= names.length) return false;
    part = deep + 1;
    at = ++from;
  }
};
