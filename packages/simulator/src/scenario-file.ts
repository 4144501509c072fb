// A scenario from a file. It is checked as far as a player relies on it, so that a slip of its author is named with its
// script and step here, and is not a crash or a broken connection in the middle of a session.
import { isRecord } from "./json.ts";
import type { Scenario } from "./scenario.ts";
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

const mistakeOf = (value: unknown): string | undefined => {
  if (!isRecord(value)) return "it must be an object with name and scripts";
  if (typeof value.name !== "string") return "its name must be a string";
  if (!Array.isArray(value.scripts)) return "its scripts must be a list";
  return (
    first(value.scripts, (script, at) => mistakeInScript(script, `script ${String(at + 1)}`)) ??
    (value.otherwise === undefined ? undefined : mistakeInSteps(value.otherwise, "otherwise"))
  );
};

const mistakeInScript = (script: unknown, place: string): string | undefined => {
  if (!isRecord(script)) return `${place} must be an object with when and steps`;
  if (typeof script.when !== "string") return `${place}: when must be a string`;
  const named = `${place} (when ${JSON.stringify(script.when)})`;
  return Array.isArray(script.steps) ? mistakeInSteps(script.steps, named) : `${named}: steps must be a list`;
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
  return first(say ?? [], (block, at) =>
    isBlock(block)
      ? undefined
      : `${place}: entry ${String(at + 1)} of say must have a text, a thinking, a redactedThinking, or a tool with an input`,
  );
};

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
