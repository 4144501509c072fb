// The outcome of a permission question, and the form of a suggestion.
import type { Json } from "./json.ts";

export type Decision =
  | { readonly kind: "allow"; readonly source: string; readonly reasonType?: string }
  | { readonly kind: "deny"; readonly message: string; readonly reasonType: string }
  /** It would have to be checked by a classifier, which only the real server has. */
  | { readonly kind: "unchecked" }
  | {
      readonly kind: "ask";
      /** What a session without a prompt says instead of asking. */
      readonly message: string;
      /** The fields of `can_use_tool` that explain the question. */
      readonly fields: Json;
    };

export const addRules = (toolName: string, ruleContent: string | undefined, destination: string): Json => ({
  type: "addRules",
  rules: [ruleContent === undefined ? { toolName } : { toolName, ruleContent }],
  behavior: "allow",
  destination,
});
