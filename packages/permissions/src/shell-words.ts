// A word of a shell line, with what is known of it before the line runs.

import type { Word, WordPart } from "unbash";

/** Stands for text that only the shell knows. A line that contains it is not understood. */
export const HOLE = "\uE0FF";

export interface KnownWord {
  /** The value after quotes, with holes. */
  readonly value: string;
  readonly source: string;
  /** Whether a `*`, `?` or `[` outside quotes may become file names. */
  readonly glob: boolean;
}

export const isKnown = (value: string): boolean => !value.includes(HOLE);

/** What a variable is known to be. Undefined: nothing is known. */
export type ValueOf = (name: string, quoted: boolean) => string | undefined;
const nothing: ValueOf = () => undefined;

/** A word's value. Everything that the shell computes becomes a hole. */
export const valueOfWord = (word: Word, valueOf: ValueOf = nothing): KnownWord => {
  const parts = word.parts;
  if (parts === undefined) return { value: word.value, source: word.text, glob: false };
  let value = "";
  let glob = false;
  for (const part of parts) {
    value += valueOfPart(part, valueOf);
    if (part.type === "Glob" || part.type === "ExtendedGlob") glob = true;
  }
  return { value, source: word.text, glob };
};

const valueOfPart = (part: WordPart, valueOf: ValueOf): string => {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return part.value;
    case "Glob":
      return part.text;
    case "DoubleQuoted":
    case "LocaleString":
      return part.parts
        .map((inner) =>
          inner.type === "SimpleExpansion"
            ? (valueOf(inner.text.slice(1), true) ?? HOLE)
            : inner.type === "Literal"
              ? inner.value
              : HOLE,
        )
        .join("");
    case "SimpleExpansion":
      return valueOf(part.text.slice(1), false) ?? HOLE;
    default:
      return HOLE;
  }
};
