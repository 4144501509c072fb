// What a trial found: one line per figure, and the table that the command prints.

export interface Line {
  readonly figure: string;
  readonly value: string;
  readonly target: string;
  readonly isMet: boolean;
  /**
   * `safety`: something was lost, doubled, allowed or different. A missed one fails the run. `speed`: a busy machine may miss
   * it.
   */
  readonly kind: "safety" | "speed";
}

export interface Size {
  /** For `npm test` and `--smoke`: every step, few repetitions. Its speed says nothing. */
  readonly isSmall: boolean;
  /** Milliseconds after which a trial repeats nothing more. It then says how often it did. */
  readonly limitMs: number;
  /** Progress, for a person who waits. */
  readonly say: (text: string) => void;
}

/** A count that must be zero. */
export const none = (figure: string, count: number): Line => ({
  figure,
  value: String(count),
  target: "0",
  isMet: count === 0,
  kind: "safety",
});

/** A count that must be reached, or the other lines mean less than they say. */
export const count = (figure: string, value: number, wanted: number): Line => ({
  figure,
  value: String(value),
  target: String(wanted),
  isMet: value >= wanted,
  kind: "speed",
});

/** Both must be the same JSON. */
export const same = (figure: string, value: unknown, wanted: unknown): Line => {
  const isMet = JSON.stringify(value) === JSON.stringify(wanted);
  return {
    figure,
    value: isMet ? "same" : `${JSON.stringify(value)} and not ${JSON.stringify(wanted)}`.slice(0, 300),
    target: "same",
    isMet,
    kind: "safety",
  };
};

export const atMost = (figure: string, value: number, most: number, unit: string): Line => ({
  figure,
  value: `${shortOf(value)}${unit}`,
  target: `at most ${String(most)}${unit}`,
  isMet: value <= most,
  kind: "speed",
});

/** Without a target. */
export const told = (figure: string, value: string): Line => ({
  figure,
  value,
  target: "",
  isMet: true,
  kind: "speed",
});

export const shortOf = (value: number): string =>
  Number.isNaN(value)
    ? "not measured"
    : value >= 100
      ? value.toFixed(0)
      : value >= 1
        ? value.toFixed(1)
        : value.toFixed(2);

export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN;

export const isBroken = (lines: readonly Line[]): boolean =>
  lines.some(({ kind, isMet }) => kind === "safety" && !isMet);

export interface Done {
  readonly trial: string;
  readonly lines: readonly Line[];
  readonly seconds: number;
  /** The load average of the machine over one minute, before and after the trial. */
  readonly load: readonly [number, number];
}

export const tableOf = (all: readonly Done[]): string => {
  const head = ["trial", "figure", "value", "target", "", "load"];
  const rows = all.flatMap(({ trial, lines, load }) =>
    lines.map(({ figure, value, target, isMet, kind }) => [
      trial,
      figure,
      value,
      target,
      target === "" ? "reported" : isMet ? "met" : kind === "safety" ? "BROKEN" : "missed",
      load.map((one) => one.toFixed(1)).join(" to "),
    ]),
  );
  const table = [head, ...rows];
  const widths = head.map((_, at) => Math.max(...table.map((row) => row[at]!.length)));
  return table
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
};
