// What the cost panel shows, as data. Sums come from the server; ranges, shares and the table as text are made here.

import { knownTool } from "@quarterdeck/client/content";
import type { Head, ResultOf, Row, ToolRow, TurnRow } from "@quarterdeck/client";
import { WORDS } from "./words.ts";

/** A fleet has sums by machine too. */
export type UsageOfMachines = ResultOf<"usage/report"> & {
  readonly machines?: readonly ({ readonly name: string } & ResultOf<"usage/report">["total"])[];
};
export type Uses = Pick<UsageOfMachines["total"], "byModel">;

export const PERIODS = WORDS.periods;
export type Period = keyof typeof PERIODS;

const DAY_MS = 86_400_000;

/** `2026-11-18` in the reader's time zone. */
export const dayOf = (at: number): string => {
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
};

/** The last days, including today, from the start of the first day. */
export const rangeOf = (period: Period, now: number): { readonly from: number; readonly days: readonly string[] } => {
  const today = new Date(now);
  const first = new Date(today.getFullYear(), today.getMonth(), today.getDate() - (period - 1));
  // At noon, so that a day of 23 or 25 hours is not counted twice or left out.
  const noon = (at: number): number => first.getTime() + DAY_MS / 2 + at * DAY_MS;
  return { from: first.getTime(), days: Array.from({ length: period }, (_, at) => dayOf(noon(at))) };
};

export const usedTokens = ({ byModel }: Uses): number =>
  Object.values(byModel).reduce((sum, use) => sum + use.input + use.output + use.cacheRead + use.cacheWrite, 0);

/** The share of what went in that came from the cache. */
export const cacheShareOf = ({ byModel }: Uses): number => {
  const uses = Object.values(byModel);
  const read = uses.reduce((sum, { cacheRead }) => sum + cacheRead, 0);
  const all = uses.reduce((sum, { input, cacheRead, cacheWrite }) => sum + input + cacheRead + cacheWrite, 0);
  return all === 0 ? 0 : read / all;
};

const KINDS = ["cacheRead", "input", "cacheWrite", "output"] as const;

export const kindsOf = ({ byModel }: Uses): readonly { readonly name: string; readonly tokens: number }[] =>
  KINDS.map((kind) => ({
    name: WORDS.kinds[kind],
    tokens: Object.values(byModel).reduce((sum, use) => sum + use[kind], 0),
  }));

/** Models by cost, the most expensive first: the order of colors and legends. */
export const modelsByCost = ({ byModel }: Uses): readonly string[] =>
  Object.entries(byModel)
    .toSorted(([, a], [, b]) => b.costUsd - a.costUsd)
    .map(([model]) => model);

export interface Column {
  /** The first day of the column. */
  readonly day: string;
  readonly costUsd: number;
  readonly parts: readonly { readonly model: string; readonly costUsd: number }[];
}

const MOST_COLUMNS = 31;

/** One column a day. A year has one a week. */
export const columnsOf = (report: UsageOfMachines, days: readonly string[]): readonly Column[] => {
  const models = modelsByCost(report.total);
  const known = new Map(report.days.map((day) => [day.day, day]));
  const size = days.length <= MOST_COLUMNS ? 1 : 7;
  const columns: Column[] = [];
  for (let at = 0; at < days.length; at += size) {
    const sums = days.slice(at, at + size).flatMap((day) => known.get(day) ?? []);
    const parts = models.flatMap((model) => {
      const costUsd = sums.reduce((sum, { byModel }) => sum + (byModel[model]?.costUsd ?? 0), 0);
      return costUsd === 0 ? [] : [{ model, costUsd }];
    });
    columns.push({ day: days[at]!, parts, costUsd: parts.reduce((sum, part) => sum + part.costUsd, 0) });
  }
  return columns;
};

/** A round number at or above the highest column. */
export const topOf = (columns: readonly Column[], least = 0): number => {
  const highest = Math.max(least, ...columns.map(({ costUsd }) => costUsd), 0.01);
  const step = 10 ** Math.floor(Math.log10(highest));
  return [1, 2, 5, 10].map((times) => times * step).find((top) => top >= highest) ?? highest;
};

/** The line of the budget. Undefined without a budget, or if the columns would be too small beside it. */
export const budgetIn = (
  columns: readonly Column[],
  dayUsd: number | undefined,
  isWeekly: boolean,
): number | undefined => {
  if (dayUsd === undefined) return undefined;
  const budget = dayUsd * (isWeekly ? 7 : 1);
  return budget <= MOST_TIMES * Math.max(...columns.map(({ costUsd }) => costUsd)) ? budget : undefined;
};
const MOST_TIMES = 20;

export interface AgentUse {
  readonly rowId: string;
  readonly name: string;
  readonly about: string;
  readonly tokens?: number;
  readonly tools?: number;
  readonly ms?: number;
}

/** What each agent used, the heaviest first. A result has the final figures; a task has those of an agent that still works. */
export const agentsIn = (rows: readonly Row[], tasks: Head["tasks"]): readonly AgentUse[] => {
  const ofCall = new Map(tasks.map((task) => [task.toolUseId, task]));
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  const count = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);
  return rows
    .filter((row): row is ToolRow => row.kind === "tool" && knownTool(row.name) === "Agent")
    .map((row) => {
      const task = ofCall.get(row.toolUseId);
      const { totalTokens, totalToolUseCount, totalDurationMs } = (row.result?.structured ?? {}) as Readonly<
        Record<string, unknown>
      >;
      const tokens = count(totalTokens) ?? task?.tokens;
      const tools = count(totalToolUseCount) ?? task?.toolUses;
      const ms = count(totalDurationMs) ?? (task?.endedAt === undefined ? undefined : task.endedAt - task.startedAt);
      return {
        rowId: row.id,
        name: text(row.input["subagent_type"]) || (task?.agentType ?? WORDS.agent),
        about: text(row.input["description"]),
        ...(tokens !== undefined && { tokens }),
        ...(tools !== undefined && { tools }),
        ...(ms !== undefined && { ms }),
      };
    })
    .toSorted((a, b) => (b.tokens ?? 0) - (a.tokens ?? 0));
};

/** A cell that a spreadsheet does not take for a formula. */
const cell = (value: string | number): string => {
  const text = typeof value === "string" && /^[=+\-@\t\r]/u.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

const table = (lines: readonly (readonly (string | number)[])[]): string =>
  `${lines.map((line) => line.map(cell).join(",")).join("\r\n")}\r\n`;

const KIND_COLUMNS = ["tokens", "from_cache", "new_input", "to_cache", "output", "cache_share"];
const kindCells = (uses: Uses): readonly (string | number)[] => [
  usedTokens(uses),
  ...kindsOf(uses).map(({ tokens }) => tokens),
  cacheShareOf(uses).toFixed(4),
];
const secondsOf = (ms: number): string => (ms / 1000).toFixed(1);

export const csvOf = (report: UsageOfMachines): string =>
  table([
    ["session", "title", "project", "turns", ...KIND_COLUMNS, "api_seconds", "cost_usd"],
    ...report.sessions.map((session) => [
      session.id,
      session.title ?? "",
      session.project,
      session.turns,
      ...kindCells(session),
      secondsOf(session.apiMs),
      session.costUsd.toFixed(6),
    ]),
  ]);

/** The turns of one session, oldest first. */
export const turnsCsv = (turns: readonly TurnRow[]): string =>
  table([
    ["turn", "ended", "models", "steps", ...KIND_COLUMNS, "seconds", "api_seconds", "cost_usd"],
    ...turns.map((turn, at) => [
      at + 1,
      new Date(turn.at).toISOString(),
      Object.keys(turn.byModel).join(" "),
      turn.steps,
      ...kindCells(turn),
      secondsOf(turn.durationMs),
      secondsOf(turn.apiMs),
      turn.costUsd.toFixed(6),
    ]),
  ]);
