// Structural sharing: a value that came again is the object that was there, so that `===` says whether something changed.

/** `next`, with every part that equals its counterpart in `previous` replaced by that counterpart. Plain JSON only. */
export const share = <T>(previous: unknown, next: T): T => {
  if (Object.is(previous, next)) return next;
  if (Array.isArray(next)) {
    if (!Array.isArray(previous)) return next;
    let same = previous.length === next.length;
    const shared = next.map((item, index): unknown => {
      const kept = share(previous[index], item);
      if (kept !== previous[index]) same = false;
      return kept;
    });
    return (same ? previous : shared) as T;
  }
  if (!isObject(next) || !isObject(previous) || Array.isArray(previous)) return next;
  const keys = Object.keys(next);
  let same = keys.length === Object.keys(previous).length;
  const shared: Record<string, unknown> = {};
  for (const key of keys) {
    shared[key] = share(previous[key], next[key]);
    if (shared[key] !== previous[key] || !(key in previous)) same = false;
  }
  return (same ? previous : shared) as T;
};

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
