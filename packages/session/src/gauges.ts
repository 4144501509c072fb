// Gauges: context, cost, tokens, time. Only the main conversation changes them. The CLI counts cost from the start of its
// process (after a resume, of the transcript) and starts at zero after `/clear`. We count the whole session.

import { readContextTable } from "@quarterdeck/protocol";
import type { ModelUsage, ResponseOf, ResultMessage, Usage } from "@quarterdeck/protocol";
import type { Folding } from "./folding.ts";
import { EMPTY_HEAD } from "./head.ts";
import type { ContextPart, Gauges, Spending } from "./head.ts";
import type { ModelCost } from "./row.ts";

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

type ContextAnswer = ResponseOf<"get_context_usage">;

export const foldContextUsage = (folding: Folding, answer: ContextAnswer): void => {
  const used = answer.totalTokens;
  const window = answer.rawMaxTokens ?? answer.maxTokens;
  const categories = answer.categories.map(categoryOf);
  const { autoCompactThreshold: compactsAt, isAutoCompactEnabled: compacts } = answer;
  setGauges(folding, { context: { used, window, categories } });
  folding.timeline.setHead({
    contextReport: {
      at: folding.at,
      used,
      window,
      categories,
      ...(compactsAt !== undefined && compacts !== false && { compactsAt }),
      memoryFiles: heaviest(answer.memoryFiles, "path"),
      mcpTools: heaviest(answer.mcpTools, "name"),
      systemTools: heaviest(answer.systemTools, "name"),
      skills: heaviest(answer.skills?.skillFrontmatter, "name"),
      agents: heaviest(answer.agents, "agentType"),
      messages: messagesOf(answer.messageBreakdown),
    },
  });
};

const categoryOf = ({ name, tokens, kind, isDeferred }: ContextAnswer["categories"][number]): ContextPart => {
  const known = kind ?? (isDeferred === true ? "deferred" : undefined);
  return { name, tokens, ...(known !== undefined && { kind: known }) };
};

const MOST_PARTS = 40;

/** The CLI's lists differ in the field that names an entry. Entries without a name or a number are left out. */
const heaviest = (list: readonly unknown[] | undefined, nameField: string): ContextPart[] =>
  (list ?? [])
    .flatMap((entry): ContextPart[] => {
      const { [nameField]: name, tokens } = entry as Readonly<Record<string, unknown>>;
      return typeof name === "string" && typeof tokens === "number" && tokens > 0 ? [{ name, tokens }] : [];
    })
    .toSorted((a, b) => b.tokens - a.tokens)
    .slice(0, MOST_PARTS);

const MESSAGE_KINDS: readonly (readonly [field: string, name: string])[] = [
  ["userMessageTokens", "Your messages"],
  ["assistantMessageTokens", "Claude's messages"],
  ["toolCallTokens", "Tool calls"],
  ["toolResultTokens", "Tool results"],
  ["attachmentTokens", "Attachments"],
];

/** Kinds of messages, and the tools whose calls and results are the heaviest. */
const messagesOf = (breakdown: ContextAnswer["messageBreakdown"]): ContextPart[] => {
  if (breakdown === undefined) return [];
  const kinds = MESSAGE_KINDS.map(([field, name]) => ({ name, tokens: breakdown[field] }));
  const tools = Array.isArray(breakdown["toolCallsByType"]) ? (breakdown["toolCallsByType"] as unknown[]) : [];
  const byTool = tools.map((tool) => {
    const { name, callTokens, resultTokens } = tool as Readonly<Record<string, unknown>>;
    return { name, tokens: Number(callTokens ?? 0) + Number(resultTokens ?? 0) };
  });
  return [...heaviest(kinds, "name"), ...heaviest(byTool, "name").map((part) => ({ ...part, kind: "tool" }))];
};

/** Older CLIs print a table; newer ones answer a request. */
export const foldContextTable = (folding: Folding, markdown: string): void => {
  const table = readContextTable(markdown);
  if (table === undefined) return;
  const categories = table.categories.map(({ name, tokens }) => ({ name, tokens }));
  setGauges(folding, { context: { used: table.used, window: table.total, categories } });
};

/** What the turn that this result ends used, by model too. */
export const foldUsage = (
  folding: Folding,
  result: ResultMessage,
): { readonly costUsd: number; readonly byModel: Readonly<Record<string, ModelCost>> } => {
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
  const byModel = addModels({}, used);
  const spending = { hour: Math.floor(folding.at / HOUR_MS), turns: 1, apiMs: result.duration_api_ms ?? 0, byModel };
  timeline.setHead({ spent: withSpending(timeline.head.spent, spending) });
  return { costUsd: turn, byModel };
};

const HOUR_MS = 3_600_000;
/** The list is saved with each summary, so it must stay small. */
const MOST_HOURS = 200;
const HOURS_OF_DAY = 24;

/** When there are too many hours, the oldest two of one day become one entry, at the later hour. */
const withSpending = (spent: readonly Spending[], next: Spending): readonly Spending[] => {
  const last = spent.at(-1);
  if (last !== undefined && last.hour >= next.hour) return [...spent.slice(0, -1), sumOf(last, next)];
  if (spent.length < MOST_HOURS) return [...spent, next];
  const dayOf = (entry: Spending | undefined): number => Math.floor((entry?.hour ?? 0) / HOURS_OF_DAY);
  const at = Math.max(
    0,
    spent.findIndex((entry, index) => dayOf(entry) === dayOf(spent[index + 1])),
  );
  const merged = { ...sumOf(spent[at]!, spent[at + 1]!), hour: spent[at + 1]!.hour };
  return [...spent.slice(0, at), merged, ...spent.slice(at + 2), next];
};

const sumOf = (a: Spending, b: Spending): Spending => ({
  hour: a.hour,
  turns: a.turns + b.turns,
  apiMs: a.apiMs + b.apiMs,
  byModel: Object.entries(b.byModel).reduce(
    (sum, [model, cost]) => ({ ...sum, [model]: addCosts(sum[model], cost) }),
    a.byModel,
  ),
});

export const addCosts = (a: ModelCost | undefined, b: ModelCost): ModelCost =>
  a === undefined
    ? b
    : {
        input: a.input + b.input,
        output: a.output + b.output,
        cacheRead: a.cacheRead + b.cacheRead,
        cacheWrite: a.cacheWrite + b.cacheWrite,
        costUsd: a.costUsd + b.costUsd,
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
  const isFirst = folding.timeline.head.gauges.costUsd === 0 && !folding.memory.isFork;
  return { turn, session: isFirst ? total : turn };
};

/** The turns before this fact are the parent's. It counts them. */
export const foldForked = (folding: Folding, forkOf: string): void => {
  const { context } = folding.timeline.head.gauges;
  folding.memory.isFork = true;
  folding.timeline.setHead({
    forkOf,
    spent: [],
    gauges: { ...EMPTY_HEAD.gauges, ...(context !== undefined && { context }) },
  });
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
    after[model] = addCosts(after[model], {
      input: usage.inputTokens,
      output: usage.outputTokens,
      cacheRead: usage.cacheReadInputTokens ?? 0,
      cacheWrite: usage.cacheCreationInputTokens ?? 0,
      costUsd: usage.costUSD,
    });
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
