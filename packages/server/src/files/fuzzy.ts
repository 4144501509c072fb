// How well a path matches what a person typed. Letters must be in order. They count most at the start of words, next to
// each other, and in the file's name. Linear in the path for each letter, without backtracking.

export interface Match {
  readonly score: number;
  /** Which characters matched: pairs of start and end. */
  readonly matches: [number, number][];
}

const isBoundary = (path: string, at: number): boolean => {
  if (at === 0) return true;
  const [before, here] = [path[at - 1]!, path[at]!];
  return "/._- ".includes(before) || (before === before.toLowerCase() && here !== here.toLowerCase());
};

/** Returns undefined if a letter is missing. An empty query matches every path equally. */
export const matchPath = (path: string, query: string): Match | undefined => {
  if (query === "") return { score: -path.length / 1000, matches: [] };
  const lower = path.toLowerCase();
  const wanted = query.toLowerCase();
  const name = lower.replace(/\/$/, "").lastIndexOf("/") + 1;
  const whole = placeOfWhole(path, lower, wanted, name);
  if (whole !== undefined) {
    const inName = whole >= name ? 400 : 0;
    const exact = lower.length - whole === wanted.length && whole === name ? 400 : 0;
    const score = 1000 + inName + exact + (isBoundary(path, whole) ? 200 : 0) - path.length / 10;
    return { score, matches: [[whole, whole + wanted.length]] };
  }
  // Searches from the end, so that the name is preferred to its folders.
  const places: number[] = [];
  let at = lower.length;
  for (let letter = wanted.length - 1; letter >= 0; letter--) {
    at = at === 0 ? -1 : lower.lastIndexOf(wanted[letter]!, at - 1);
    if (at === -1) return undefined;
    places.push(at);
  }
  places.reverse();
  let score = 0;
  for (const [index, place] of places.entries()) {
    if (isBoundary(path, place)) score += 12;
    if (index > 0 && places[index - 1] === place - 1) score += 8;
    if (place >= name) score += 4;
  }
  return { score: score - path.length / 10, matches: joined(places) };
};

/** In a repetitive name, only the last places are tried. */
const MOST_PLACES = 16;

/** Where the whole query occurs: best at the start of a word in the name. */
const placeOfWhole = (path: string, lower: string, wanted: string, name: number): number | undefined => {
  let found: number | undefined;
  let left = MOST_PLACES;
  for (let at = lower.lastIndexOf(wanted); at !== -1; at = at === 0 ? -1 : lower.lastIndexOf(wanted, at - 1)) {
    found ??= at;
    if (left-- === 0) break;
    if (isBoundary(path, at)) return at >= name || found < name ? at : found;
    if (at < name && found >= name) return found;
  }
  return found;
};

const joined = (places: readonly number[]): [number, number][] => {
  const pairs: [number, number][] = [];
  for (const place of places) {
    const last = pairs.at(-1);
    if (last?.[1] === place) last[1]++;
    else pairs.push([place, place + 1]);
  }
  return pairs;
};
