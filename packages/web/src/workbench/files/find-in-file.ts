export interface FoundAt {
  /** From 1. */
  readonly line: number;
  readonly from: number;
  readonly to: number;
}

const MOST = 2000;

/** Plain words, in any case unless the query has a capital letter. */
export const findIn = (lines: readonly string[], query: string): readonly FoundAt[] => {
  if (query === "") return [];
  const isExact = query !== query.toLowerCase();
  const wanted = isExact ? query : query.toLowerCase();
  const found: FoundAt[] = [];
  for (const [index, text] of lines.entries()) {
    const line = isExact ? text : text.toLowerCase();
    for (let at = line.indexOf(wanted); at !== -1; at = line.indexOf(wanted, at + wanted.length)) {
      found.push({ line: index + 1, from: at, to: at + wanted.length });
      if (found.length === MOST) return found;
    }
  }
  return found;
};
