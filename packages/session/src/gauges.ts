// Gauges: context, cost, tokens, time. Only the main conversation moves them. Cost is a ledger: the CLI counts from the
// start of its process (or, resumed, of the transcript) and begins at zero after `/clear`; we count the session.

import { readContextTable } from "@quarterdeck/protocol";
import type { ModelUsage, ResponseOf, ResultMessage, Usage } from "@quarterdeck/protocol";
import type { Folding } from "./folding.ts";
import type { Gauges, ModelCost } from "./head.ts";

const setGauges = (folding: Folding, patch: Partial<Gauges>): void =>
  folding.timeline.setHead({ gauges: { ...folding.timeline.head.gauges, ...patch } });

/** What the last call sent and got is what the context holds. */
export const foldContext = (folding: Folding, usage: Usage): void => {
  const used =
    (usage.input_tokens ?? 0) +
    (usage.cache_read_input_tokens ?? 0) +
    (usage.cache_creation_input_tokens ?? 0) +
    (usage.output_tokens ?? 0);
  const { window } = folding.timeline.head.gauges.context ?? {};
  setGauges(folding, { context: { used, ...(window !== undefined && { window }) } });
};

export const foldContextUsage = (folding: Folding, answer: ResponseOf<"get_context_usage">): void =>
  setGauges(folding, {
    context: {
      used: answer.totalTokens,
      window: answer.rawMaxTokens ?? answer.maxTokens,
      categories: answer.categories.map(({ name, tokens }) => ({ name, tokens })),
    },
  });

/** Older CLIs print a table where newer ones answer a request. */
export const foldContextTable = (folding: Folding, markdown: string): void => {
  const table = readContextTable(markdown);
  if (table === undefined) return;
  const categories = table.categories.map(({ name, tokens }) => ({ name, tokens }));
  setGauges(folding, { context: { used: table.used, window: table.total, categories } });
};

/** The cost of the turn that this result ends. */
export const foldUsage = (folding: Folding, result: ResultMessage): number => {
  const { memory, timeline } = folding;
  const { gauges } = timeline.head;
  const turn = turnCost(folding, result);
  if (result.total_cost_usd !== undefined) memory.processCost = result.total_cost_usd;
  const window = windowOf(result, timeline.head.model);
  const context = gauges.context ?? (window === undefined ? undefined : { used: 0 });
  const { usage } = result;
  setGauges(folding, {
    costUsd: gauges.costUsd + turn,
    turns: gauges.turns + 1,
    durationMs: gauges.durationMs + (result.duration_ms ?? 0),
    apiMs: gauges.apiMs + (result.duration_api_ms ?? 0),
    tokens: {
      input: gauges.tokens.input + (usage?.input_tokens ?? 0),
      output: gauges.tokens.output + (usage?.output_tokens ?? 0),
      cacheRead: gauges.tokens.cacheRead + (usage?.cache_read_input_tokens ?? 0),
      cacheWrite: gauges.tokens.cacheWrite + (usage?.cache_creation_input_tokens ?? 0),
    },
    byModel: addModels(gauges.byModel, sinceLast(folding, result)),
    ...(context !== undefined && { context: { ...context, ...(window !== undefined && { window }) } }),
  });
  return turn;
};

const turnCost = (folding: Folding, result: ResultMessage): number => {
  const { total_cost_usd: total, model_usage_since_last_result: since } = result;
  const before = folding.memory.processCost;
  if (total === undefined) return 0;
  if (before !== null) return total >= before ? total - before : total;
  // The first result of a process: a resumed CLI goes on counting where the transcript ended.
  const counted = folding.timeline.head.gauges.costUsd;
  if (counted === 0) return total;
  if (since !== undefined) return Object.values(since).reduce((sum, usage) => sum + usage.costUSD, 0);
  return total >= counted ? total - counted : total;
};

const sinceLast = (folding: Folding, result: ResultMessage): Readonly<Record<string, ModelUsage>> => {
  if (result.model_usage_since_last_result !== undefined) return result.model_usage_since_last_result;
  const usage = result.modelUsage ?? {};
  const before = folding.timeline.head.gauges.byModel;
  const known = Object.entries(usage).every(([model, now]) => now.costUSD >= (before[model]?.costUsd ?? 0));
  if (!known) return usage;
  return Object.fromEntries(
    Object.entries(usage).map(([model, now]) => [
      model,
      {
        ...now,
        inputTokens: now.inputTokens - (before[model]?.input ?? 0),
        outputTokens: now.outputTokens - (before[model]?.output ?? 0),
        cacheReadInputTokens: (now.cacheReadInputTokens ?? 0) - (before[model]?.cacheRead ?? 0),
        cacheCreationInputTokens: (now.cacheCreationInputTokens ?? 0) - (before[model]?.cacheWrite ?? 0),
        costUSD: now.costUSD - (before[model]?.costUsd ?? 0),
      },
    ]),
  );
};

const addModels = (
  before: Readonly<Record<string, ModelCost>>,
  since: Readonly<Record<string, ModelUsage>>,
): Readonly<Record<string, ModelCost>> => {
  const after = { ...before };
  for (const [model, usage] of Object.entries(since)) {
    const sum = after[model] ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: 0 };
    after[model] = {
      input: sum.input + usage.inputTokens,
      output: sum.output + usage.outputTokens,
      cacheRead: sum.cacheRead + (usage.cacheReadInputTokens ?? 0),
      cacheWrite: sum.cacheWrite + (usage.cacheCreationInputTokens ?? 0),
      costUsd: sum.costUsd + usage.costUSD,
    };
  }
  return after;
};

const windowOf = (result: ResultMessage, model: string | undefined): number | undefined => {
  const usages = result.modelUsage ?? {};
  const own = model === undefined ? undefined : usages[model]?.contextWindow;
  if (own !== undefined) return own;
  const only = Object.values(usages);
  return only.length === 1 ? only[0]!.contextWindow : undefined;
};
