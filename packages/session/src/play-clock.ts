// The time line of a replay. Pauses are shortened, so that a night between two prompts takes seconds. The page and the
// exported HTML use the same clock.

/** A longer pause takes this long in a replay. */
const LONGEST_PAUSE_MS = 2_000;

export interface PlayClock {
  /** Milliseconds of the whole replay at normal speed. */
  readonly duration: number;
  /** When something that happened at this time is shown, in milliseconds after the start of the replay. */
  placeOf(at: number): number;
}

/** From the times of everything that happened, in any order. */
export const playClock = (times: Iterable<number>): PlayClock => {
  const sorted = [...new Set(times)].filter(Number.isFinite).toSorted((a, b) => a - b);
  const places: number[] = [];
  for (const [index, at] of sorted.entries())
    places.push(index === 0 ? 0 : places[index - 1]! + Math.min(LONGEST_PAUSE_MS, at - sorted[index - 1]!));
  return {
    duration: places.at(-1) ?? 0,
    placeOf: (at) => {
      const index = lastUpTo(sorted, at);
      if (index === -1) return 0;
      const rest = Math.min(LONGEST_PAUSE_MS, at - sorted[index]!);
      return index === sorted.length - 1 ? places[index]! : Math.min(places[index]! + rest, places[index + 1]!);
    },
  };
};

/** The last place that is not above the value, or -1. */
const lastUpTo = (sorted: readonly number[], value: number): number => {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
};
