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
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

export const wireLineOf = (event: Event): WireLine => {
  const { seq, at } = event;
  if (event.type !== "received" && event.type !== "sent")
    return { seq, at, dir: "host", type: event.type, value: event };
  const { type, subtype, request } = fieldsOf(event.message);
  const kind = subtype ?? fieldsOf(request)["subtype"];
  const name = typeof type === "string" ? type : "?";
  return {
    seq,
    at,
    dir: event.type === "sent" ? "in" : "out",
    type: typeof kind === "string" ? `${name}/${kind}` : name,
    value: event.message,
  };
};

export interface WireFilter {
  readonly dir: "all" | WireLine["dir"];
  readonly type: string;
  readonly text: string;
}

export const fits = (line: WireLine, { dir, type, text }: WireFilter): boolean =>
  (dir === "all" || line.dir === dir) &&
  (type === "" || line.type === type) &&
  (text === "" || JSON.stringify(line.value).toLowerCase().includes(text.toLowerCase()));

/** How often each type came, the most frequent first. */
export const countsOf = (lines: readonly WireLine[]): readonly (readonly [type: string, count: number])[] => {
  const counts = new Map<string, number>();
  for (const { type } of lines) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a);
};

/** The lines in the format of recordings, for a test. `t` counts from the first of them. */
export const fixtureOf = (lines: readonly WireLine[]): string => {
  const from = lines[0]?.at ?? 0;
  return lines
    .filter(({ dir }) => dir !== "host")
    .map(({ at, dir, value }) => `${JSON.stringify({ t: at - from, dir, msg: value })}\n`)
    .join("");
};
