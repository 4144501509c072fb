import { expect, it } from "vitest";
import { hookEffects } from "./hook-words.ts";

const printed = (value: object): string => JSON.stringify(value);

it.each([
  ["plain words", "hooked", undefined, []],
  ["exit code 2", "Not on a Friday", 2, ["blocked"]],
  [
    "a denial",
    printed({ hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: "No network" } }),
    0,
    ["answered this: denied the call: No network"],
  ],
  [
    "an answer to a request",
    printed({ hookSpecificOutput: { decision: { behavior: "allow", updatedInput: {} } } }),
    0,
    ["answered this: allowed the call", "changed the input"],
  ],
  ["a stop", printed({ continue: false, stopReason: "Done" }), 0, ["stopped the turn: Done"]],
  [
    "words",
    printed({ decision: "block", reason: "Add tests", systemMessage: "Tests are missing" }),
    0,
    ["blocked: Add tests", "told you: Tests are missing"],
  ],
  ["half an object", '{"decision":', 0, []],
  ["another form", printed({ hookSpecificOutput: 7, decision: [] }), 0, []],
])("of %s", (_what, output, exitCode, effects) => expect(hookEffects(output, exitCode)).toEqual(effects));
