// How much of a list fits into one frame. Sizes are estimated, so that nothing is serialized only to be counted.

const MOST_CHARACTERS = 8 * 1024 * 1024;

/** At least one value, then as many as fit, from the start or the end. */
export const withinSize = <T>(values: readonly T[], keep: "start" | "end"): T[] => {
  const inOrder = keep === "start" ? values : values.toReversed();
  let room = MOST_CHARACTERS;
  let count = 0;
  for (const value of inOrder) {
    room -= roughSize(value);
    if (room < 0 && count > 0) break;
    count++;
  }
  return keep === "start" ? values.slice(0, count) : values.slice(values.length - count);
};

export const fitsInFrame = (values: readonly unknown[]): boolean =>
  withinSize(values, "start").length === values.length;

const roughSize = (value: unknown): number => {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 8;
  let size = 2;
  for (const [key, field] of Object.entries(value)) size += key.length + 4 + roughSize(field);
  return size;
};
