// The time at which a delta was written, as its text: microseconds of the machine's monotonic clock, which all
// processes share.

export const STAMP_CHARACTERS = 16;

/** No BigInt, because this is called forty thousand times a second. */
export const microsecondsNow = (): number => {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e6 + Math.floor(nanoseconds / 1000);
};

export const stampOf = (microseconds: number): string => `${String(microseconds).padStart(STAMP_CHARACTERS - 1, "0")} `;

/** The time stamps in a text. */
export const stampsIn = (text: string): number[] => {
  const stamps: number[] = [];
  for (let at = 0; at < text.length; at += STAMP_CHARACTERS) stamps.push(Number(text.slice(at, at + STAMP_CHARACTERS)));
  return stamps;
};
