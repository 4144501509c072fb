// What the conversation cost: per call, per turn and in total, in the formats of `result`, `modelUsage` and the texts
// that commands print.
import { priceOf } from "./catalogue.ts";

export interface Tokens {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
}

interface ModelTotal {
  tokens: Tokens;
  costUSD: number;
}

export type Totals = Readonly<Record<string, { readonly tokens: Tokens; readonly costUSD: number }>>;

const NO_TOKENS: Tokens = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

export const costOf = (model: string, tokens: Tokens): number => {
  const price = priceOf(model);
  return (
    (tokens.input_tokens * price.input +
      tokens.output_tokens * price.output +
      tokens.cache_creation_input_tokens * price.input * 1.25 +
      tokens.cache_read_input_tokens * price.input * 0.1) /
    1e6
  );
};

const plus = (a: Tokens, b: Tokens): Tokens => ({
  input_tokens: a.input_tokens + b.input_tokens,
  output_tokens: a.output_tokens + b.output_tokens,
  cache_creation_input_tokens: a.cache_creation_input_tokens + b.cache_creation_input_tokens,
  cache_read_input_tokens: a.cache_read_input_tokens + b.cache_read_input_tokens,
});

export class Ledger {
  #total = new Map<string, ModelTotal>();
  #sinceResult = new Map<string, ModelTotal>();
  #turn = NO_TOKENS;
  #calls = 0;
  apiMs = 0;
  linesAdded = 0;
  linesRemoved = 0;

  /** `main`: the call belongs to the turn itself, not to a subagent or a side question. */
  add(model: string, tokens: Tokens, ms: number, main: boolean): void {
    for (const map of [this.#total, this.#sinceResult]) {
      const known = map.get(model) ?? { tokens: NO_TOKENS, costUSD: 0 };
      map.set(model, {
        tokens: plus(known.tokens, tokens),
        costUSD: known.costUSD + costOf(model, tokens),
      });
    }
    if (main) this.#turn = plus(this.#turn, tokens);
    this.#calls++;
    this.apiMs += ms;
  }

  beginTurn(): void {
    this.#turn = NO_TOKENS;
  }

  /** Forgets everything, as `/clear` does. */
  reset(): void {
    this.#total.clear();
    this.#sinceResult.clear();
    this.#turn = NO_TOKENS;
    this.#calls = 0;
  }

  get costUSD(): number {
    let sum = 0;
    for (const total of this.#total.values()) sum += total.costUSD;
    return sum;
  }

  get turnTokens(): Tokens {
    return this.#turn;
  }

  get totals(): Totals {
    return Object.fromEntries(this.#total);
  }

  /** Continues with the cost of a stored session. */
  restore(totals: Totals): void {
    for (const [model, total] of Object.entries(totals)) this.#total.set(model, { ...total });
  }

  modelUsage(): Readonly<Record<string, unknown>> {
    return modelUsageOf(this.#total);
  }

  takeSinceResult(): Readonly<Record<string, unknown>> {
    const usage = modelUsageOf(this.#sinceResult);
    this.#sinceResult = new Map();
    return usage;
  }

  /** What `/usage` prints. */
  text(wallMs: number): string {
    const lines = [...this.#total].map(([model, { tokens, costUSD }]) => {
      const counts = `${thousands(tokens.input_tokens)} input, ${thousands(tokens.output_tokens)} output, ${thousands(tokens.cache_read_input_tokens)} cache read, ${thousands(tokens.cache_creation_input_tokens)} cache write`;
      return `${`${model}:`.padStart(21)}  ${counts} ($${costUSD.toFixed(4)})`;
    });
    return [
      `Total cost:            $${this.costUSD.toFixed(4)}`,
      `Total duration (API):  ${String(Math.floor(this.apiMs / 1000))}s`,
      `Total duration (wall): ${String(Math.floor(wallMs / 1000))}s`,
      `Total code changes:    ${String(this.linesAdded)} lines added, ${String(this.linesRemoved)} lines removed`,
      ...(lines.length === 0
        ? ["Usage:                 0 input, 0 output, 0 cache read, 0 cache write"]
        : ["Usage by model:", ...lines]),
      ...(this.#calls === 0
        ? []
        : [
            `Prompt cache (main):   ${String(this.#calls)} request${this.#calls === 1 ? "" : "s"} · 0% of input tokens from cache · no misses · no prompt caching reported by the API`,
          ]),
    ].join("\n");
  }
}

const thousands = (count: number): string => (count < 1000 ? String(count) : `${(count / 1000).toFixed(1)}k`);

const modelUsageOf = (totals: ReadonlyMap<string, ModelTotal>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    [...totals].map(([model, { tokens, costUSD }]) => [
      model,
      {
        inputTokens: tokens.input_tokens,
        outputTokens: tokens.output_tokens,
        cacheReadInputTokens: tokens.cache_read_input_tokens,
        cacheCreationInputTokens: tokens.cache_creation_input_tokens,
        webSearchRequests: 0,
        costUSD,
        contextWindow: 1_000_000,
        maxOutputTokens: 128_000,
        thinkingTokens: 0,
        cacheCreationEphemeral5mInputTokens: tokens.cache_creation_input_tokens,
        cacheCreationEphemeral1hInputTokens: 0,
        canonicalModel: model,
        provider: "firstParty",
        costBasis: "list",
      },
    ]),
  );

/** The `usage` of a result. */
export const usageOf = (tokens: Tokens): Readonly<Record<string, unknown>> => ({
  output_tokens_details: { thinking_tokens: 0 },
  ...tokens,
  server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
  service_tier: "standard",
  cache_creation: {
    ephemeral_1h_input_tokens: 0,
    ephemeral_5m_input_tokens: tokens.cache_creation_input_tokens,
  },
  inference_geo: "",
  iterations: [],
  speed: "standard",
  fallback_credit: null,
});

/** The `usage` of a message that no model wrote. */
export const SYNTHETIC_USAGE = {
  output_tokens_details: null,
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
  service_tier: null,
  cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
  inference_geo: null,
  iterations: null,
  speed: null,
  fallback_credit: null,
} as const;
