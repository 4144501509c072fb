// What a replay shows at a place of its time line, and where its steps are.

import type { Row } from "@quarterdeck/client";
import { playClock } from "@quarterdeck/client/rows";

export type StepKind = "prompt" | "tool";

/** Something becomes visible: a row, or the result of a tool. */
export interface ReplayStep {
  readonly place: number;
  readonly at: number;
  readonly kind: StepKind | undefined;
}

export interface Tape {
  readonly rows: readonly Row[];
  /** The places of the rows, in the same order. */
  readonly spans: readonly Span[];
  readonly duration: number;
  /** By place. */
  readonly steps: readonly ReplayStep[];
}
interface Span {
  readonly begun: number;
  /** Set for a tool that has ended. */
  readonly ended: number | undefined;
}

/** Rows in order. */
export const tapeOf = (rows: readonly Row[]): Tape => {
  const { duration, places } = playClock(
    rows.flatMap((row) => {
      const end = endOf(row);
      return end === undefined ? [row.at] : [row.at, end];
    }),
  );
  const place = places.values();
  const spans: Span[] = [];
  const steps: ReplayStep[] = [];
  for (const row of rows) {
    const end = endOf(row);
    const begun = place.next().value!;
    const ended = end === undefined ? undefined : place.next().value!;
    spans.push({ begun, ended });
    steps.push({ place: begun, at: row.at, kind: kindOf(row) });
    if (ended !== undefined) steps.push({ place: ended, at: end!, kind: undefined });
  }
  return { rows, spans, duration, steps: steps.toSorted((a, b) => a.place - b.place) };
};

const endOf = (row: Row): number | undefined => (row.kind === "tool" ? row.endedAt : undefined);

/** A prompt of a person, not a prompt that the CLI wrote for an agent. */
const kindOf = (row: Row): StepKind | undefined => {
  if (row.kind === "tool") return "tool";
  return row.kind === "prompt" && row.parent === undefined ? "prompt" : undefined;
};

/** How many steps have happened. */
export const stepsUpTo = ({ steps }: Tape, place: number): number => {
  const later = steps.findIndex((step) => step.place > place);
  return later === -1 ? steps.length : later;
};

/** The rows as they were. A tool that had not ended yet runs. */
export const rowsAt = ({ rows, spans, duration }: Tape, place: number): readonly Row[] =>
  place >= duration
    ? rows
    : rows.flatMap((row, index) => {
        const { begun, ended } = spans[index]!;
        if (begun > place) return [];
        return ended !== undefined && ended > place ? runningOf(row) : row;
      });

const running = new WeakMap<Row, Row>();
const runningOf = (row: Row): Row => {
  if (row.kind !== "tool") return row;
  const known = running.get(row);
  if (known !== undefined) return known;
  const { result: _result, endedAt: _endedAt, ...rest } = row;
  const made: Row = { ...rest, state: "running" };
  running.set(row, made);
  return made;
};

/** The next step in a direction, of a kind if one is named. At the last one, the end of the tape. */
export const stepFrom = ({ steps, duration }: Tape, place: number, by: 1 | -1, kind?: StepKind): number => {
  const fits = (step: ReplayStep): boolean => kind === undefined || step.kind === kind;
  const found =
    by === 1
      ? steps.find((step) => step.place > place && fits(step))
      : steps.findLast((step) => step.place < Math.min(place, duration) && fits(step));
  return found?.place ?? (by === 1 ? duration : 0);
};
