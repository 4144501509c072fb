// A figure is one number that the README claims, with its target. Machines are noisy, and the noise changes over time.
// So a figure is the median of the ratios of the rounds. In each round the contenders run right after each other. For
// memory, a figure is the worst round.

export interface Target {
  readonly atLeast?: number;
  readonly atMost?: number;
}
export interface Figure {
  /** Key in the JSON. */
  readonly name: string;
  readonly value: number;
  /** Without a target, the figure is only reported. */
  readonly target?: Target;
  /** Text for people. */
  readonly says: string;
}
export interface Report {
  readonly title: string;
  /** The data that the figures were computed from: a table for people with its header first, and the same as JSON. */
  readonly table: readonly (readonly string[])[];
  readonly details: Readonly<Record<string, unknown>>;
  readonly figures: readonly Figure[];
}

export const isMet = ({ value, target }: Figure): boolean =>
  value >= (target?.atLeast ?? -Infinity) && value <= (target?.atMost ?? Infinity);

export const bestOf = (times: readonly number[]): number => Math.min(...times);
export const worstOf = (sizes: readonly number[]): number => Math.max(...sizes);
export const medianOf = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
};

/**
 * The median of the ratios of each round. A disturbance affects both contenders of a round, or makes one outlier of
 * many.
 */
export const medianRatio = (above: readonly number[], below: readonly number[]): number =>
  medianOf(above.map((value, round) => value / below[round]!));

export const rounded = (value: number, digits = 3): number => Number(value.toFixed(digits));
export const grouped = (value: number): string => Math.round(value).toLocaleString("en");

/** Each report under its heading, then its figures with target and verdict. */
export const textOfReports = (reports: readonly Report[]): string =>
  reports
    .map(({ title, table, figures }) => {
      const rows = figures.map((figure) => [
        figure.name,
        figure.value.toFixed(3),
        textOfTarget(figure.target),
        figure.target === undefined ? "reported" : isMet(figure) ? "met" : "MISSED",
        figure.says,
      ]);
      return [title, aligned(table), aligned([["figure", "value", "target", "verdict", ""], ...rows])].join("\n\n");
    })
    .join("\n\n\n");

/** One object: every figure by its name, the targets, the missed ones, and the underlying data. */
export const jsonOfReports = (reports: Readonly<Record<string, Report>>): Record<string, unknown> => {
  const figures = Object.values(reports).flatMap((report) => report.figures);
  return {
    ...Object.fromEntries(figures.map(({ name, value }) => [name, rounded(value, 4)])),
    targets: Object.fromEntries(figures.flatMap(({ name, target }) => (target === undefined ? [] : [[name, target]]))),
    missed: figures.filter((figure) => !isMet(figure)).map(({ name }) => name),
    details: Object.fromEntries(Object.entries(reports).map(([name, report]) => [name, report.details])),
  };
};

const textOfTarget = (target: Target | undefined): string => {
  if (target?.atLeast !== undefined) return `>= ${String(rounded(target.atLeast))}`;
  return target?.atMost === undefined ? "" : `<= ${String(rounded(target.atMost))}`;
};

const aligned = (rows: readonly (readonly string[])[]): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const isNumber = (cell: string): boolean => /^[\d.,]+$/.test(cell);
  return rows
    .map((row) =>
      row
        .map((cell, at) => (isNumber(cell) ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!)))
        .join("  ")
        .trimEnd(),
    )
    .map((row) => `  ${row}`)
    .join("\n");
};
