// The table that `/context` prints, for versions that have no `get_context_usage` request.

import { readCommandText } from "./command-text.ts";

export interface ContextCategory {
  name: string;
  tokens: number;
  percentage?: number;
}
export interface ContextTable {
  model?: string;
  used: number;
  total: number;
  percentage?: number;
  categories: ContextCategory[];
}

/** 1,200 and ~480 and 23.9k and 1m. */
export const readTokenCount = (text: string): number | undefined => {
  const match = /^~?(\d[\d,]*(?:\.\d+)?)([kmb]?)$/i.exec(text.trim());
  if (match === null || match[1] === undefined) return undefined;
  const scale = { "": 1, k: 1e3, m: 1e6, b: 1e9 }[match[2]?.toLowerCase() as "" | "k" | "m" | "b"];
  return Math.round(Number(match[1].replaceAll(",", "")) * scale);
};

const percentageOf = (text: string | undefined): number | undefined => {
  const match = /^([\d.]+)%$/.exec(text?.trim() ?? "");
  return match === null ? undefined : Number(match[1]);
};

const cellsOf = (line: string): string[] =>
  line
    .replace(/^\||\|$/g, "")
    .split("|")
    .map((cell) => cell.trim());

const categoriesOf = (lines: readonly string[]): ContextCategory[] => {
  const head = lines.findIndex((line) => line.startsWith("|") && cellsOf(line)[0] === "Category");
  if (head === -1) return [];
  const columns = cellsOf(lines[head] ?? "");
  const found: ContextCategory[] = [];
  for (const line of lines.slice(head + 2)) {
    if (!line.startsWith("|")) break;
    const cells = cellsOf(line);
    const tokens = readTokenCount(cells[columns.indexOf("Tokens")] ?? "");
    const percentage = percentageOf(cells[columns.indexOf("Percentage")]);
    if (tokens === undefined) continue;
    found.push({ name: cells[0] ?? "", tokens, ...(percentage !== undefined && { percentage }) });
  }
  return found;
};

/** Reads the report with or without `<local-command-stdout>`. Undefined if its line of totals is missing. */
export const readContextTable = (markdown: string): ContextTable | undefined => {
  const text = readCommandText(markdown)?.stdout ?? markdown;
  const lines = text.split("\n").map((line) => line.trim());
  const said = (label: string) =>
    lines
      .find((line) => line.startsWith(`**${label}:**`))
      ?.slice(label.length + 5)
      .trim();
  const totals = /^([^\s/]+) ?\/ ?([^\s(]+)(?: ?\(([^)\s]+)\))?/.exec(said("Tokens") ?? "");
  const used = readTokenCount(totals?.[1] ?? "");
  const total = readTokenCount(totals?.[2] ?? "");
  if (used === undefined || total === undefined) return undefined;
  const model = said("Model");
  const percentage = percentageOf(totals?.[3]);
  return {
    ...(model !== undefined && { model }),
    used,
    total,
    ...(percentage !== undefined && { percentage }),
    categories: categoriesOf(lines),
  };
};
