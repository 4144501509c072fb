// How often an address may fail. Memory is bounded: with too many addresses, the least recently seen one is dropped.

const MOST_ADDRESSES = 10_000;

export interface Attempts {
  /** Counts one attempt. Returns whether it is within the limit. */
  readonly take: (remote: string) => boolean;
}

/** At most `most` attempts in `windowMs`. */
export const countedAttempts = (most: number, windowMs: number, now: () => number): Attempts => {
  const seen = new Map<string, number[]>();
  return {
    take(remote) {
      const key = networkOf(remote);
      const at = now();
      const recent = (seen.get(key) ?? []).filter((time) => at - time < windowMs);
      recent.push(at);
      // Attempts above the limit are not stored. Otherwise a flood would grow the list.
      remember(seen, key, recent.slice(-(most + 1)));
      return recent.length <= most;
    },
  };
};

const remember = <T>(seen: Map<string, T>, key: string, value: T): void => {
  seen.delete(key);
  seen.set(key, value);
  if (seen.size > MOST_ADDRESSES) seen.delete(seen.keys().next().value!);
};

/** One IPv6 customer has a /64 network, so the network counts as one address. */
const networkOf = (remote: string): string => {
  if (!remote.includes(":") || remote === "::1") return remote;
  const [head = "", tail] = remote.split("::");
  const groups = head.split(":");
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(":").length;
  const all = [...groups, ...Array.from({ length: missing }, () => "0"), ...(tail?.split(":") ?? [])];
  return `${all.slice(0, 4).join(":")}::/64`;
};
