// What a replay shows at a place of its time line, and where its steps are.

import type { Row } from "@quarterdeck/client";
import { playClock, type PlayClock } from "@quarterdeck/client/rows";

export type StepKind = "prompt" | "tool";

/** Something becomes visible: a row, or the result of a tool. */
export interface ReplayStep {
  readonly place: number;
  readonly at: number;
  readonly kind: StepKind | undefined;
}

export interface Tape {
  readonly rows: readonly Row[];
  readonly clock: PlayClock;
  /** By place. */
  readonly steps: readonly ReplayStep[];
}

/** Rows in order. */
export const tapeOf = (rows: readonly Row[]): Tape => {
  const clock = playClock(rows.flatMap((row) => [row.at, endOf(row) ?? row.at]));
  const steps = rows
    .flatMap((row): ReplayStep[] => {
      const end = endOf(row);
      const begun = { place: clock.placeOf(row.at), at: row.at, kind: kindOf(row) };
      return end === undefined ? [begun] : [begun, { place: clock.placeOf(end), at: end, kind: undefined }];
    })
    .toSorted((a, b) => a.place - b.place || a.at - b.at);
  return { rows, clock, steps };
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
export const rowsAt = ({ rows, clock }: Tape, place: number): readonly Row[] =>
  place >= clock.duration
    ? rows
    : rows.flatMap((row) => {
        if (clock.placeOf(row.at) > place) return [];
        const end = endOf(row);
        return end !== undefined && clock.placeOf(end) > place ? runningOf(row) : row;
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
export const stepFrom = ({ steps, clock }: Tape, place: number, by: 1 | -1, kind?: StepKind): number => {
  const fits = (step: ReplayStep): boolean => kind === undefined || step.kind === kind;
  const found =
    by === 1
      ? steps.find((step) => step.place > place && fits(step))
      : steps.findLast((step) => step.place < Math.min(place, clock.duration) && fits(step));
  return found?.place ?? (by === 1 ? clock.duration : 0);
};
