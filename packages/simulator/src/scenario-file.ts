// Reads a scenario from a file and checks what a player relies on. So a mistake is reported here with its script and
// step, and does not crash a session later. An unknown key is a mistake too, because it would be ignored silently.
import { isRecord } from "./json.ts";
import type { Json } from "./json.ts";
import type { ApiError, Failure, Pace, Scenario, Script, Step, Usage } from "./scenario.ts";
import { readGivenFile, UsageError } from "./usage-error.ts";

export const readScenario = (path: string): Scenario => {
  const text = readGivenFile("scenario", path);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`The scenario '${path}' is not JSON: ${error instanceof Error ? error.message : ""}`);
  }
  const mistake = mistakeOf(value);
  if (mistake !== undefined) throw new UsageError(`The scenario '${path}' is wrong: ${mistake}.`);
  return value as Scenario;
};

/** The keys of each part. The types guarantee that they match the format. */
const keysOf = <T>(keys: Readonly<Record<keyof Required<T>, true>>): readonly string[] => Object.keys(keys);
const KEYS = {
  scenario: keysOf<Scenario>({ name: true, description: true, scripts: true, otherwise: true }),
  script: keysOf<Script>({ when: true, steps: true }),
  step: keysOf<Step>({ say: true, stop: true, usage: true, pace: true, headers: true, fail: true, cut: true }),
  usage: keysOf<Usage>({
    input_tokens: true,
    output_tokens: true,
    cache_creation_input_tokens: true,
    cache_read_input_tokens: true,
  }),
  pace: keysOf<Pace>({ firstMs: true, deltaMs: true, deltaChars: true }),
  cut: keysOf<NonNullable<Step["cut"]>>({ afterEvents: true, times: true, error: true }),
  error: keysOf<ApiError>({ type: true, message: true }),
  failure: keysOf<Failure>({ status: true, type: true, message: true, headers: true, always: true }),
} as const;
const STOPS = Object.keys({
  end_turn: true,
  tool_use: true,
  max_tokens: true,
  stop_sequence: true,
  refusal: true,
  pause_turn: true,
} satisfies Record<NonNullable<Step["stop"]>, true>);
/** By the key that identifies the kind of block. */
const BLOCK_KEYS: Readonly<Record<string, readonly string[]>> = {
  text: ["text"],
  thinking: ["thinking", "signature"],
  redactedThinking: ["redactedThinking"],
  tool: ["tool", "input", "id"],
};

const oddKeyIn = (value: unknown, allowed: readonly string[], place: string): string | undefined => {
  if (!isRecord(value)) return undefined;
  const odd = Object.keys(value).find((key) => !allowed.includes(key));
  return odd === undefined
    ? undefined
    : `${place} has an unknown key ${JSON.stringify(odd)}; known are ${allowed.join(", ")}`;
};

const mistakeOf = (value: unknown): string | undefined => {
  if (!isRecord(value)) return "it must be an object with name and scripts";
  if (typeof value.name !== "string") return "its name must be a string";
  if (!Array.isArray(value.scripts)) return "its scripts must be a list";
  return (
    oddKeyIn(value, KEYS.scenario, "it") ??
    first(value.scripts, (script, at) => mistakeInScript(script, `script ${String(at + 1)}`)) ??
    (value.otherwise === undefined ? undefined : mistakeInSteps(value.otherwise, "otherwise"))
  );
};

const mistakeInScript = (script: unknown, place: string): string | undefined => {
  if (!isRecord(script)) return `${place} must be an object with when and steps`;
  if (typeof script.when !== "string") return `${place}: when must be a string`;
  const named = `${place} (when ${JSON.stringify(script.when)})`;
  return Array.isArray(script.steps)
    ? (oddKeyIn(script, KEYS.script, named) ?? mistakeInSteps(script.steps, named))
    : `${named}: steps must be a list`;
};

const mistakeInSteps = (steps: unknown, place: string): string | undefined =>
  Array.isArray(steps)
    ? first(steps, (step, at) => mistakeInStep(step, `${place}, step ${String(at + 1)}`))
    : `${place} must be a list of steps`;

const mistakeInStep = (step: unknown, place: string): string | undefined => {
  if (!isRecord(step)) return `${place} must be an object`;
  const { say, fail } = step;
  if (say !== undefined && !Array.isArray(say)) return `${place}: say must be a list`;
  if (fail !== undefined && !(Array.isArray(fail) && fail.every(isFailure))) {
    return `${place}: fail must be a list of objects with a status`;
  }
  return (
    oddKeyIn(step, KEYS.step, place) ??
    first(say ?? [], (block, at) => mistakeInBlock(block, `${place}: entry ${String(at + 1)} of say`)) ??
    first(fail ?? [], (failure, at) => oddKeyIn(failure, KEYS.failure, `${place}: entry ${String(at + 1)} of fail`)) ??
    mistakeInParts(step, place)
  );
};

const mistakeInBlock = (block: unknown, place: string): string | undefined => {
  if (!isRecord(block) || !isBlock(block)) {
    return `${place} must have a text, a thinking, a redactedThinking, or a tool with an input`;
  }
  const kind = Object.keys(BLOCK_KEYS).find((key) => key in block) ?? "";
  return oddKeyIn(block, BLOCK_KEYS[kind] ?? [], place);
};

const mistakeInParts = (step: Json, place: string): string | undefined => {
  const { stop, usage, pace, cut } = step;
  if (stop !== undefined && !STOPS.some((reason) => reason === stop)) {
    return `${place}: stop must be one of ${STOPS.join(", ")}`;
  }
  const odd = ["usage", "pace", "headers", "cut"].find((part) => step[part] !== undefined && !isRecord(step[part]));
  if (odd !== undefined) return `${place}: ${odd} must be an object`;
  if (isRecord(cut) && typeof cut.afterEvents !== "number") return `${place}: cut must have a number afterEvents`;
  return (
    oddKeyIn(usage, KEYS.usage, `${place}: usage`) ??
    oddKeyIn(pace, KEYS.pace, `${place}: pace`) ??
    oddKeyIn(cut, KEYS.cut, `${place}: cut`) ??
    (isRecord(cut) ? oddKeyIn(cut.error, KEYS.error, `${place}: the error of cut`) : undefined) ??
    noNumberIn(usage, `${place}: usage`) ??
    noNumberIn(pace, `${place}: pace`)
  );
};

const noNumberIn = (value: unknown, place: string): string | undefined => {
  const entry = isRecord(value) ? Object.entries(value).find(([, amount]) => !isAmount(amount)) : undefined;
  return entry === undefined ? undefined : `${place}: ${entry[0]} must be a number from 0`;
};

const isAmount = (value: unknown): boolean => typeof value === "number" && value >= 0;

const isFailure = (value: unknown): boolean => isRecord(value) && typeof value.status === "number";

const isBlock = (value: unknown): boolean =>
  isRecord(value) &&
  (["text", "thinking", "redactedThinking"].some((key) => typeof value[key] === "string") ||
    (typeof value.tool === "string" && isRecord(value.input)));

const first = (
  list: readonly unknown[],
  mistakeIn: (entry: unknown, at: number) => string | undefined,
): string | undefined => {
  for (const [at, entry] of list.entries()) {
    const mistake = mistakeIn(entry, at);
    if (mistake !== undefined) return mistake;
  }
  return undefined;
};
