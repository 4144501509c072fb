// Misbehavior on request. A plan is `what[:arg][@point[#n]]`, with commas between several. A point is a name. The
// simulator reaches it when it writes a message of that type (`assistant`, `result`) or subtype (`init`,
// `can_use_tool`, `requesting`). It also reaches `tool` when it runs a tool, `start` when it starts, and `exit` when it
// ends.
import { UsageError } from "./usage-error.ts";

export const FAULTS = [
  "die-mid-line",
  "die",
  "hang",
  "flood",
  "garbage",
  "delay",
  "ignore-eof",
  "ignore-sigterm",
  "orphan",
  "stderr",
] as const;
export type FaultName = (typeof FAULTS)[number];
/** Faults whose argument is a number. */
const COUNTING: readonly FaultName[] = ["die", "flood", "delay", "orphan"];

export interface Fault {
  readonly what: FaultName;
  readonly arg?: string;
  /** Without a point, the fault is always active, or happens at the start. */
  readonly point?: string;
  /** The n-th passage of the point, from 1. */
  readonly nth: number;
}

const GRAMMAR = /^(?<what>[a-z-]+)(?::(?<arg>[^@#]*))?(?:@(?<point>[A-Za-z_-]+)(?:#(?<nth>[1-9]\d*))?)?$/;

export const parseFaults = (plan: string): readonly Fault[] =>
  plan
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map(parseFault);

const parseFault = (part: string): Fault => {
  const groups = GRAMMAR.exec(part)?.groups;
  const what = FAULTS.find((name) => name === groups?.what);
  if (groups === undefined || what === undefined) {
    throw new UsageError(
      `Not a fault: ${part}. Faults are what[:arg][@point[#n]] with what one of ${FAULTS.join(", ")}.`,
    );
  }
  // A pause without a valid number would never end, and no signal could end it.
  if (COUNTING.includes(what) && groups.arg !== undefined && !/^\d+$/.test(groups.arg)) {
    throw new UsageError(`Not a fault: ${part}. The argument of '${what}' must be a whole number.`);
  }
  return {
    what,
    ...(groups.arg === undefined ? {} : { arg: groups.arg }),
    ...(groups.point === undefined ? {} : { point: groups.point }),
    nth: Number(groups.nth ?? 1),
  };
};

/** Counts the passages and returns the faults that are due. */
export class FaultPlan {
  readonly #faults: readonly Fault[];
  readonly #passed = new Map<string, number>();

  constructor(plan: string) {
    this.#faults = parseFaults(plan);
  }

  get isEmpty(): boolean {
    return this.#faults.length === 0;
  }

  holds(what: FaultName): boolean {
    return this.#faults.some((fault) => fault.what === what && fault.point === undefined);
  }

  /** The faults that are due at this passage of a point. */
  pass(point: string): readonly Fault[] {
    if (this.isEmpty) return [];
    const count = (this.#passed.get(point) ?? 0) + 1;
    this.#passed.set(point, count);
    return this.#faults.filter((fault) => (fault.point ?? "start") === point && fault.nth === count);
  }
}
