// What a hook decided or changed, from what it printed. A hook may print anything; only an object of the known form means
// something to the CLI.

import { fieldsOf, textOf, type Fields } from "../../content/fields.ts";
import { WORDS } from "./words.ts";

const parsed = (output: string): Fields => {
  const text = output.trim();
  if (!text.startsWith("{")) return {};
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return {};
  }
};

const { did: DID } = WORDS;
const DECISIONS: Readonly<Record<string, (reason: string) => string>> = {
  allow: DID.allow,
  deny: DID.deny,
  ask: DID.ask,
  defer: DID.defer,
};
const decided = (decision: string, reason: string): string =>
  Object.hasOwn(DECISIONS, decision) ? DECISIONS[decision]!(reason) : DID.other(decision, reason);

/** Sentences without a subject: the subject is the hook. */
export const hookEffects = (output: string, exitCode?: number): readonly string[] => {
  const said = parsed(output);
  const own = fieldsOf(said["hookSpecificOutput"]);
  const request = fieldsOf(own["decision"]);
  const decision = typeof own["permissionDecision"] === "string" ? own["permissionDecision"] : request["behavior"];
  const reason = textOf(own["permissionDecisionReason"] ?? request["message"]);
  return [
    exitCode === 2 && DID.blocked(""),
    typeof decision === "string" && decided(decision, reason),
    said["decision"] === "block" && DID.blocked(textOf(said["reason"])),
    said["decision"] === "approve" && DID.allow(textOf(said["reason"])),
    said["continue"] === false && DID.stopped(textOf(said["stopReason"])),
    (own["updatedInput"] ?? request["updatedInput"]) !== undefined && DID.input,
    own["updatedMCPToolOutput"] !== undefined && DID.output,
    typeof own["additionalContext"] === "string" && DID.toldClaude(own["additionalContext"]),
    typeof said["systemMessage"] === "string" && DID.toldYou(said["systemMessage"]),
  ].filter((sentence) => sentence !== false);
};
