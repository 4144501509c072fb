// The messages between host and CLI, as the wire panel lists them.

import type { Event } from "@quarterdeck/client";

export interface WireLine {
  readonly seq: number;
  readonly at: number;
  /** `in` goes to the CLI, `out` comes from it, `host` is a fact that only the host knows. */
  readonly dir: "in" | "out" | "host";
  /** `assistant`, `system/init`, `control_request/can_use_tool`, ... */
  readonly type: string;
  readonly value: unknown;
  /** Why the protocol does not know it. */
  readonly unknown?: string;
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

/** `unknown`: why the protocol does not know it. */
export const wireLineOf = (event: Event, unknown?: string): WireLine => {
  const { seq, at } = event;
  if (event.type !== "received" && event.type !== "sent")
    return { seq, at, dir: "host", type: event.type, value: event };
  const { type, subtype, request } = fieldsOf(event.message);
  const kind = subtype ?? fieldsOf(request)["subtype"];
  const name = typeof type === "string" ? type : "?";
  return {
    ...(unknown !== undefined && { unknown }),
    seq,
    at,
    dir: event.type === "sent" ? "in" : "out",
    type: typeof kind === "string" ? `${name}/${kind}` : name,
    value: event.message,
  };
};

/** A type to filter by: all that the protocol does not know. */
export const UNKNOWN = "?";

export interface WireFilter {
  readonly dir: "all" | WireLine["dir"];
  readonly type: string;
  readonly text: string;
}

export const passesFilter = (line: WireLine, { dir, type, text }: WireFilter): boolean =>
  (dir === "all" || line.dir === dir) &&
  (type === "" || (type === UNKNOWN ? line.unknown !== undefined : line.type === type)) &&
  (text === "" || JSON.stringify(line.value).toLowerCase().includes(text.toLowerCase()));

export interface TypeCount {
  readonly type: string;
  readonly in: number;
  readonly out: number;
  readonly host: number;
  /** How many of them the protocol does not know. */
  readonly unknown: number;
}

/** How often each type came and went, the most frequent first. */
export const typeCounts = (lines: readonly WireLine[]): readonly TypeCount[] => {
  const counts = new Map<string, TypeCount>();
  for (const { type, dir, unknown } of lines) {
    const before = counts.get(type) ?? { type, in: 0, out: 0, host: 0, unknown: 0 };
    counts.set(type, {
      ...before,
      [dir]: before[dir] + 1,
      unknown: before.unknown + (unknown === undefined ? 0 : 1),
    });
  }
  return [...counts.values()].toSorted((a, b) => totalOf(b) - totalOf(a));
};
export const totalOf = (count: TypeCount): number => count.in + count.out + count.host;

/** Types of which the protocol knows each message. */
export const knownAmong = (counts: readonly TypeCount[]): number =>
  counts.filter(({ host, unknown }) => host === 0 && unknown === 0).length;

/** The lines in the format of recordings, for a test. `t` counts from the first of them. */
export const fixtureOf = (lines: readonly WireLine[]): string => {
  const from = lines[0]?.at ?? 0;
  return lines
    .filter(({ dir }) => dir !== "host")
    .map(({ at, dir, value }) => `${JSON.stringify({ t: at - from, dir, msg: value })}\n`)
    .join("");
};
