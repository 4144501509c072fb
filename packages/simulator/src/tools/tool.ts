// What every tool has: an input shape, a check before the permission request, and a run function.
import type { Json } from "../json.ts";
import type { Params } from "../session-contract.ts";

/** The tool ran and failed: text for the model. */
export class ToolFailure extends Error {}

interface Issue {
  readonly text: string;
  readonly detail: Json;
}

/** Undefined if the input is valid. Otherwise the text for the model and the detail for `tool_use_result`. */
export const issuesOf = (
  name: string,
  params: Params | "any",
  input: Json,
): { readonly text: string; readonly detail: string } | undefined => {
  if (params === "any") return undefined;
  const issues: Issue[] = [];
  for (const [key, type] of Object.entries(params)) {
    const wanted = type.replace("?", "");
    const value = input[key];
    if (value === undefined && type.endsWith("?")) continue;
    const got = value === undefined ? "undefined" : Array.isArray(value) ? "array" : typeof value;
    if (got === wanted) continue;
    issues.push({
      text:
        value === undefined
          ? `The required parameter \`${key}\` is missing`
          : `The parameter \`${key}\` type is expected as \`${wanted}\` but provided as \`${got}\``,
      detail: {
        expected: wanted,
        code: "invalid_type",
        path: [key],
        message: `Invalid input: expected ${wanted}, received ${got}`,
      },
    });
  }
  const unexpected = Object.keys(input).filter((key) => !(key in params));
  if (unexpected.length > 0) {
    issues.push({
      text: unexpected.map((key) => `An unexpected parameter \`${key}\` was provided`).join("\n"),
      detail: {
        code: "unrecognized_keys",
        keys: unexpected,
        path: [],
        message: `Unrecognized key${unexpected.length > 1 ? "s" : ""}: ${unexpected.map((key) => `"${key}"`).join(", ")}`,
      },
    });
  }
  if (issues.length === 0) return undefined;
  return {
    text: `${name} failed due to the following issue${issues.length > 1 ? "s" : ""}:\n${issues.map(({ text }) => text).join("\n")}`,
    detail: JSON.stringify(
      issues.map(({ detail }) => detail),
      null,
      2,
    ),
  };
};
