// Structural sharing: an equal value keeps its old object, so `===` shows whether something changed.

/** `next`, with every part that equals its counterpart in `previous` replaced by that counterpart. Plain JSON only. */
export const share = <T>(previous: unknown, next: T): T => {
  if (Object.is(previous, next) || !isObject(next) || !isObject(previous)) return next;
  if (Array.isArray(previous) !== Array.isArray(next)) return next;
  const keys = Object.keys(next);
  const shared: Record<string, unknown> = {};
  let isSame = keys.length === Object.keys(previous).length;
  for (const key of keys) {
    shared[key] = share(previous[key], next[key]);
    if (shared[key] !== previous[key] || !(key in previous)) isSame = false;
  }
  if (isSame) return previous as T;
  return (Array.isArray(next) ? Object.values(shared) : shared) as T;
};

/** Returns the old array if it has the same items. */
export const shareItems = <T>(previous: readonly T[], next: readonly T[]): readonly T[] =>
  previous.length === next.length && next.every((item, index) => item === previous[index]) ? previous : next;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
