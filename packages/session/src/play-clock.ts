// The time line of a replay. Pauses are shortened, so that a night between two prompts takes seconds. What happened at the
// same time is shown one after the other. The page and the exported HTML use the same clock.

const LONGEST_PAUSE_MS = 2_000;
const SHORTEST_PAUSE_MS = 1;

export interface PlayClock {
  /** Milliseconds of the whole replay at normal speed. */
  readonly duration: number;
  /** For each time: when it is shown, in milliseconds after the start of the replay. */
  readonly places: readonly number[];
}

/** From the times of everything that happened, in any order. Of equal times, the first given is shown first. */
export const playClock = (times: Iterable<number>): PlayClock => {
  const all = [...times];
  const places = all.map(() => 0);
  const sorted = [...all.keys()].filter((index) => Number.isFinite(all[index])).toSorted((a, b) => all[a]! - all[b]!);
  let place = 0;
  for (const [step, index] of sorted.entries()) {
    if (step > 0) place += pauseOf(all[index]! - all[sorted[step - 1]!]!);
    places[index] = place;
  }
  return { duration: place, places };
};

const pauseOf = (passed: number): number => Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, passed));
