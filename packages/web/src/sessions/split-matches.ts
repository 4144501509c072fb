/** The pieces of a text that are words of the query, and those between. */
export const splitMatches = (
  text: string,
  query: string,
): readonly { readonly text: string; readonly match: boolean; readonly at: number }[] => {
  const words = query.toLowerCase().split(/\s+/u).filter(Boolean);
  const lower = text.toLowerCase();
  const pieces: { text: string; match: boolean; at: number }[] = [];
  let from = 0;
  for (;;) {
    const next = words
      .map((word) => ({ word, at: lower.indexOf(word, from) }))
      .filter(({ at }) => at !== -1)
      .toSorted((a, b) => a.at - b.at || b.word.length - a.word.length)[0];
    if (next === undefined) break;
    if (next.at > from) pieces.push({ text: text.slice(from, next.at), match: false, at: from });
    pieces.push({ text: text.slice(next.at, next.at + next.word.length), match: true, at: next.at });
    from = next.at + next.word.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), match: false, at: from });
  return pieces;
};
