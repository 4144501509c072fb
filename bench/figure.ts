// A figure is one number that the README claims, with its target. Machines are noisy, and the noise comes and goes: what is
// claimed is the middle of the ratios of the rounds, in each of which the contenders ran right after each other. A memory is
// the worst of its rounds.

export interface Target {
  readonly atLeast?: number;
  readonly atMost?: number;
}
export interface Figure {
  /** Its key in the JSON. */
  readonly name: string;
  readonly value: number;
  /** Without one the figure is only reported. */
  readonly target?: Target;
  /** For people. */
  readonly says: string;
}
export interface Report {
  readonly title: string;
  /** What the figures were computed from: a table for people, header first, and the same as data. */
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

/** The middle of the ratios of each round: a disturbance meets both of a round, or makes one outlier of many. */
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

/** One object: every figure by its name, then the targets, the missed ones, and what it was computed from. */
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
