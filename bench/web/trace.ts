// Reads from a Chromium trace what the main thread of a page did: how busy it was, how long tasks took, and when it
// painted the effect of a key.

export interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds, as `dur`. */
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly id?: string;
  readonly id2?: { readonly local?: string };
  readonly args?: Readonly<Record<string, unknown>>;
}

export interface MainThread {
  readonly seconds: number;
  /** Share of the time inside tasks, and share of a core's CPU time. */
  readonly busyShare: number;
  readonly cpuShare: number;
  /** Milliseconds of each task above 50, longest first. */
  readonly longTasks: readonly number[];
  /** Milliseconds from a key to the frame that shows its effect. */
  readonly keys: readonly number[];
}

export const CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline", "blink.user_timing"];
/** Names of `performance.mark` calls in the page. */
export const FROM = "bench-from";
export const TO = "bench-to";
const LONG_MS = 50;

interface Tasks {
  readonly tasks: readonly TraceEvent[];
  readonly from: TraceEvent;
  readonly to: TraceEvent;
  readonly isInside: (event: TraceEvent) => boolean;
}

/** Between the marks, of the thread that made them. */
const tasksIn = (events: readonly TraceEvent[]): Tasks => {
  const from = events.find(({ name }) => name === FROM);
  const to = events.findLast(({ name }) => name === TO);
  if (from === undefined || to === undefined) throw new Error("the trace has no marks");
  const isInside = ({ ts }: TraceEvent): boolean => ts >= from.ts && ts <= to.ts;
  const tasks = events.filter(
    (event) => event.name === "RunTask" && event.pid === from.pid && event.tid === from.tid && isInside(event),
  );
  return { tasks, from, to, isInside };
};

/**
 * Milliseconds of the longest task, and of the task with the most CPU time. On a busy machine, only the latter is
 * meaningful.
 */
export const longestTask = (events: readonly TraceEvent[]): { readonly wallMs: number; readonly cpuMs: number } => {
  const { tasks } = tasksIn(events);
  const longest = (field: "dur" | "tdur"): number =>
    tasks.reduce((most, task) => Math.max(most, (task[field] ?? 0) / 1000), 0);
  return { wallMs: longest("dur"), cpuMs: longest("tdur") };
};

export const readTrace = (events: readonly TraceEvent[]): MainThread => {
  const { tasks, from, to, isInside } = tasksIn(events);
  const sum = (field: "dur" | "tdur"): number => tasks.reduce((all, task) => all + (task[field] ?? 0), 0);
  const length = to.ts - from.ts;
  return {
    seconds: length / 1e6,
    busyShare: sum("dur") / length,
    cpuShare: sum("tdur") / length,
    longTasks: tasks
      .map(({ dur = 0 }) => dur / 1000)
      .filter((took) => took > LONG_MS)
      .toSorted((a, b) => b - a),
    keys: keysOf(events.filter((event) => event.pid === from.pid && event.name === "EventTiming" && isInside(event))),
  };
};

/** The event of a key starts when the key arrives and ends when the next frame is shown. */
const keysOf = (timings: readonly TraceEvent[]): number[] => {
  const begun = new Map<string, number>();
  const took: number[] = [];
  for (const { ph, ts, id, id2, args } of timings) {
    const key = id2?.local ?? id ?? "";
    const type = (args?.["data"] as { readonly type?: string } | undefined)?.type;
    if (ph === "b" && type === "keydown") begun.set(key, ts);
    const since = begun.get(key);
    if (ph !== "e" || since === undefined) continue;
    begun.delete(key);
    took.push((ts - since) / 1000);
  }
  return took;
};

export const percentileOf = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
};
