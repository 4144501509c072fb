// Which `nats-server` is new enough.

/** Older ones have known holes, or let a slow reader slow down its senders. */
export const OLDEST_NATS = "2.12.7";
/** The first with `no_fast_producer_stall`. */
const STALL_OPTION = "2.11.0";

const numbersOf = (version: string): readonly number[] | undefined => {
  const match = /^v?(\d{1,5})\.(\d{1,5})\.(\d{1,5})(?:[-+].*)?$/u.exec(version);
  return match === null ? undefined : match.slice(1).map(Number);
};

export const isNatsVersion = (version: string): boolean => numbersOf(version) !== undefined;

/** False if one of them is not a version. */
export const isAtLeast = (version: string, oldest: string): boolean => {
  const [have, want] = [numbersOf(version), numbersOf(oldest)];
  if (have === undefined || want === undefined) return false;
  const at = have.findIndex((each, index) => each !== want[index]);
  return at === -1 || have[at]! > want[at]!;
};

export const hasStallOption = (version: string): boolean => isAtLeast(version, STALL_OPTION);

/** From the output of `nats-server --version`. */
export const versionIn = (output: string): string | undefined => /\bv?(\d+\.\d+\.\d+)\b/u.exec(output)?.[1];
