// Whether everything that one pattern matches is matched by another one too. "No" may also mean "not known": a rule is called useless only
// where that is certain.

import { compileGlob, compilePattern, tokenFits } from "./path-pattern.ts";
import type { Glob, Part, Token } from "./path-pattern.ts";

/** Larger pairs are not compared. */
const MOST_STEPS = 10_000;

/** Both are sequences. `isStar`: the symbol stands for any number of others, also none. */
const sequenceCovers = <T>(
  wide: readonly T[],
  narrow: readonly T[],
  isStar: (symbol: T) => boolean,
  oneCovers: (wide: T, narrow: T) => boolean,
): boolean => {
  if ((wide.length + 1) * (narrow.length + 1) > MOST_STEPS) return false;
  // `after[j]`: the rest of `wide` covers `narrow` from j on.
  let after = narrow.map(() => false);
  after.push(true);
  for (let at = wide.length - 1; at >= 0; at--) {
    const symbol = wide[at]!;
    const now = Array.from(after, () => false);
    for (let from = narrow.length; from >= 0; from--) {
      const own = narrow[from];
      if (isStar(symbol)) now[from] = after[from]! || (own !== undefined && now[from + 1]!);
      else now[from] = own !== undefined && !isStar(own) && oneCovers(symbol, own) && after[from + 1]!;
    }
    after = now;
  }
  return after[0]!;
};

const tokensOf = ({ tokens, text }: Glob): readonly Token[] =>
  tokens ?? Array.from(text, (char): Token => ({ kind: "char", char }));

const tokenCovers = (wide: Token, narrow: Token): boolean => {
  if (wide.kind === "one") return true;
  if (narrow.kind === "char") return tokenFits(wide, narrow.char);
  return wide.kind === "class" && narrow.kind === "class" && JSON.stringify(wide) === JSON.stringify(narrow);
};

const globCovers = (wide: Glob, narrow: Glob): boolean =>
  wide.tokens === undefined
    ? narrow.tokens === undefined && wide.text === narrow.text
    : sequenceCovers(tokensOf(wide), tokensOf(narrow), ({ kind }) => kind === "star", tokenCovers);

/** A folder whose path is not known. */
interface UnknownFolder {
  readonly kind: "folder";
  readonly folder: string;
}
/** The path patterns of one rule below one root, from the root of the disk on. */
export interface RootedPattern {
  readonly parts: readonly (Part | UnknownFolder)[];
  /** A part that each covered pattern has as well. */
  readonly key: string | undefined;
}

const ANY_NAME: Part = { kind: "name", glob: compileGlob("*") };
const ANY_DEPTH: Part = { kind: "any-depth" };

/** Undefined: it matches nothing. A root without a leading slash is a folder whose path is not known. */
export const rootedPattern = (root: string, text: string): RootedPattern | undefined => {
  const pattern = compilePattern(text);
  if (pattern === undefined) return undefined;
  const above: readonly (Part | UnknownFolder)[] = root.startsWith("/")
    ? root
        .toLowerCase()
        .split("/")
        .filter(Boolean)
        .map((name): Part => ({ kind: "name", glob: { tokens: undefined, text: name } }))
    : [{ kind: "folder", folder: root }];
  const isEverything = pattern.parts.every(({ kind }) => kind === "any-depth");
  const own = isEverything
    ? [ANY_NAME]
    : [...(pattern.anchored ? [] : [ANY_DEPTH]), ...pattern.parts, ...(pattern.folderOnly ? [ANY_NAME] : [])];
  return { parts: [...above, ...own, ANY_DEPTH], key: longestName(own) ?? longestName(above) };
};

const namesIn = (parts: RootedPattern["parts"]): readonly string[] =>
  parts.flatMap((part) =>
    part.kind === "folder"
      ? [`folder ${part.folder}`]
      : part.kind === "name" && part.glob.tokens === undefined
        ? [part.glob.text]
        : [],
  );

const longestName = (parts: RootedPattern["parts"]): string | undefined =>
  namesIn(parts).toSorted((a, b) => b.length - a.length)[0];

/** The keys under which patterns that cover this one are found. */
export const keysOver = ({ parts }: RootedPattern): ReadonlySet<string | undefined> =>
  new Set([...namesIn(parts), undefined]);

export const pathCovers = (wide: RootedPattern, narrow: RootedPattern): boolean =>
  sequenceCovers(
    wide.parts,
    narrow.parts,
    ({ kind }) => kind === "any-depth",
    (one, other) => {
      if (one.kind === "folder" || other.kind === "folder")
        return one.kind === "folder" && other.kind === "folder" && one.folder === other.folder;
      return one.kind === "name" && other.kind === "name" && globCovers(one.glob, other.glob);
    },
  );

/** For domains as `WebFetch(domain:…)` has them, since stars are understood. A star in an allow rule matches less, never more. */
export const domainCovers = (wide: string, narrow: string): boolean => {
  const [over, under] = [wide.toLowerCase(), narrow.toLowerCase()];
  if (over === under) return true;
  // A dot at the end of a rule is a case of its own.
  if (over.endsWith(".") || under.endsWith(".")) return false;
  return sequenceCovers(
    Array.from(over),
    Array.from(under),
    (char) => char === "*",
    (one, other) => one === other,
  );
};
