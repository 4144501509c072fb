// How well a title fits what was typed, and which letters to mark. Pure.

export interface Fit {
  readonly points: number;
  /** Pairs of start and end in the title. */
  readonly marks: readonly (readonly [number, number])[];
}

/**
 * Each word of the query must be in the title, or in the words beside it. Best first: the beginning, the beginning of a word,
 * inside a word, letters in order. Undefined: no fit.
 */
export const fitOf = (title: string, about: string, query: string): Fit | undefined => {
  const words = query.toLowerCase().split(/\s+/u).filter(Boolean);
  let points = 0;
  const marks: (readonly [number, number])[] = [];
  for (const word of words) {
    const found = inTitle(title, word);
    if (found !== undefined) {
      points += found.points;
      marks.push(...found.marks);
    } else if (about.toLowerCase().includes(word)) points += 5;
    else return undefined;
  }
  // If two titles match equally well, the shorter one wins.
  return { points: points / Math.max(1, words.length) - title.length / 100, marks: joined(marks) };
};

const isStart = (text: string, at: number): boolean => at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1]!);

const inTitle = (title: string, word: string): Fit | undefined => {
  const text = title.toLowerCase();
  // A letter whose small form is longer would move the marks.
  if (text.length !== title.length) return text.includes(word) ? { points: 20, marks: [] } : undefined;
  if (text === word) return { points: 100, marks: [[0, word.length]] };
  if (text.startsWith(word)) return { points: 80, marks: [[0, word.length]] };
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1))
    if (isStart(text, at)) return { points: 60, marks: [[at, at + word.length]] };
  const inside = text.indexOf(word);
  if (inside !== -1) return { points: 40, marks: [[inside, inside + word.length]] };
  // Two letters in order are in nearly every title.
  return word.length < 3 ? undefined : letters(text, word);
};

/** Letters in order, starting at a word: `rvc` is in "review changes". The fewer gaps, the better. */
const letters = (text: string, word: string): Fit | undefined => {
  let first = text.indexOf(word[0]!);
  while (first !== -1 && !isStart(text, first)) first = text.indexOf(word[0]!, first + 1);
  if (first === -1) return undefined;
  const marks: [number, number][] = [];
  let at = first;
  for (const letter of word) {
    const next = text.indexOf(letter, at);
    if (next === -1) return undefined;
    const last = marks.at(-1);
    if (last?.[1] === next) last[1] = next + letter.length;
    else marks.push([next, next + letter.length]);
    at = next + letter.length;
  }
  return marks.length > 4 ? undefined : { points: 24 - 4 * marks.length, marks };
};

const joined = (marks: readonly (readonly [number, number])[]): readonly (readonly [number, number])[] => {
  const result: [number, number][] = [];
  for (const [start, end] of marks.toSorted((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
};

/** Recent items rank a little higher. `at`: 0 for the most recent. */
export const recencyPoints = (at: number): number => (at === -1 ? 0 : Math.max(2, 15 - at));
