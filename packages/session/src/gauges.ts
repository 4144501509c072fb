// Gauges: context, cost, tokens, time. Only the main conversation changes them. The CLI counts cost from the start of its
// process (after a resume, of the transcript) and starts at zero after `/clear`. We count the whole session.

import { readContextTable } from "@quarterdeck/protocol";
import type { ModelUsage, ResponseOf, ResultMessage, Usage } from "@quarterdeck/protocol";
import type { Folding } from "./folding.ts";
import type { Gauges, ModelCost } from "./head.ts";

const setGauges = (folding: Folding, patch: Partial<Gauges>): void =>
  folding.timeline.setHead({ gauges: { ...folding.timeline.head.gauges, ...patch } });

/** The context is what the last call sent and received. */
export const foldContext = (folding: Folding, usage: Usage): void => {
  const used =
    (usage.input_tokens ?? 0) +
    (usage.cache_read_input_tokens ?? 0) +
    (usage.cache_creation_input_tokens ?? 0) +
    (usage.output_tokens ?? 0);
  const { window } = folding.timeline.head.gauges.context ?? {};
  setGauges(folding, { context: { used, ...(window !== undefined && { window }) } });
};

/** After a compaction, the CLI reports what is left. */
export const foldCompacted = (folding: Folding, used: number): void => {
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

/** Older CLIs print a table; newer ones answer a request. */
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
  const { turn, session } = costOf(folding, result);
  const used = usedSince(folding, result);
  if (result.total_cost_usd !== undefined) memory.processCost = result.total_cost_usd;
  if (result.modelUsage !== undefined) memory.processModels = { ...result.modelUsage };
  const window = windowOf(result, timeline.head.model);
  const context = gauges.context ?? (window === undefined ? undefined : { used: 0 });
  const { usage } = result;
  setGauges(folding, {
    costUsd: gauges.costUsd + session,
    turns: gauges.turns + 1,
    durationMs: gauges.durationMs + (result.duration_ms ?? 0),
    apiMs: gauges.apiMs + (result.duration_api_ms ?? 0),
    tokens: {
      input: gauges.tokens.input + (usage?.input_tokens ?? 0),
      output: gauges.tokens.output + (usage?.output_tokens ?? 0),
      cacheRead: gauges.tokens.cacheRead + (usage?.cache_read_input_tokens ?? 0),
      cacheWrite: gauges.tokens.cacheWrite + (usage?.cache_creation_input_tokens ?? 0),
    },
    byModel: addModels(gauges.byModel, used),
    ...(context !== undefined && { context: { ...context, ...(window !== undefined && { window }) } }),
  });
  return turn;
};

/**
 * The cost of the turn, and what it adds to the session. The CLI's total is per process; newer CLIs start at zero after
 * `/clear`. The first total of a resumed process continues from the transcript if the CLI also reports the new part.
 * Otherwise it starts at zero (measured: 2.1.325 and 2.1.38).
 */
const costOf = (folding: Folding, result: ResultMessage): { turn: number; session: number } => {
  const { total_cost_usd: total, model_usage_since_last_result: since } = result;
  const before = folding.memory.processCost;
  if (total === undefined) return { turn: 0, session: 0 };
  const sinceLast = since === undefined ? undefined : Object.values(since).reduce((sum, use) => sum + use.costUSD, 0);
  if (before !== null) {
    const turn = total >= before ? total - before : total;
    return { turn, session: turn };
  }
  const turn = sinceLast ?? total;
  // Cost from before this host (in a terminal) is only in the total.
  return { turn, session: folding.timeline.head.gauges.costUsd === 0 ? total : turn };
};

const usedSince = (folding: Folding, result: ResultMessage): Readonly<Record<string, ModelUsage>> => {
  if (result.model_usage_since_last_result !== undefined) return result.model_usage_since_last_result;
  const usage = result.modelUsage ?? {};
  const before = folding.memory.processModels;
  const goesOn = Object.entries(before).every(([model, then]) => (usage[model]?.costUSD ?? 0) >= then.costUSD);
  if (!goesOn) return usage;
  return Object.fromEntries(
    Object.entries(usage).map(([model, now]) => {
      const then = before[model];
      if (then === undefined) return [model, now];
      return [
        model,
        {
          ...now,
          inputTokens: now.inputTokens - then.inputTokens,
          outputTokens: now.outputTokens - then.outputTokens,
          cacheReadInputTokens: (now.cacheReadInputTokens ?? 0) - (then.cacheReadInputTokens ?? 0),
          cacheCreationInputTokens: (now.cacheCreationInputTokens ?? 0) - (then.cacheCreationInputTokens ?? 0),
          costUSD: now.costUSD - then.costUSD,
        },
      ];
    }),
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
