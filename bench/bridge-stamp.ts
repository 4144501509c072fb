// The moment at which a delta was written, as its text: microseconds of the machine's monotonic clock, which all its processes
// share.

export const STAMP_CHARACTERS = 16;

export const microsecondsNow = (): number => Number(process.hrtime.bigint() / 1000n);

export const stampNow = (): string => `${String(microsecondsNow()).padStart(STAMP_CHARACTERS - 1, "0")} `;

/** The moments that a text is made of. */
export const stampsIn = (text: string): number[] => {
  const stamps: number[] = [];
  for (let at = 0; at < text.length; at += STAMP_CHARACTERS) stamps.push(Number(text.slice(at, at + STAMP_CHARACTERS)));
  return stamps;
};
