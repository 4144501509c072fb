// What a hook decided or changed, from what it printed. A hook may print anything; only an object of the known form means
// something to the CLI.

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};

const parsed = (output: string): Readonly<Record<string, unknown>> => {
  const text = output.trim();
  if (!text.startsWith("{")) return {};
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return {};
  }
};

const because = (reason: unknown): string => (typeof reason === "string" && reason !== "" ? `: ${reason}` : "");

const DECISIONS: Readonly<Record<string, string>> = {
  allow: "answered this: allowed the call",
  deny: "answered this: denied the call",
  ask: "wants a person to be asked",
  defer: "left the decision to others",
};

/** Sentences without a subject: the subject is the hook. */
export const hookEffects = (output: string, exitCode?: number): readonly string[] => {
  const said = parsed(output);
  const own = fieldsOf(said["hookSpecificOutput"]);
  const request = fieldsOf(own["decision"]);
  const decision = typeof own["permissionDecision"] === "string" ? own["permissionDecision"] : request["behavior"];
  const reason = own["permissionDecisionReason"] ?? request["message"];
  return [
    exitCode === 2 && "blocked",
    typeof decision === "string" && `${DECISIONS[decision] ?? `answered this: ${decision}`}${because(reason)}`,
    said["decision"] === "block" && `blocked${because(said["reason"])}`,
    said["decision"] === "approve" && `${DECISIONS["allow"]!}${because(said["reason"])}`,
    said["continue"] === false && `stopped the turn${because(said["stopReason"])}`,
    (own["updatedInput"] ?? request["updatedInput"]) !== undefined && "changed the input",
    own["updatedMCPToolOutput"] !== undefined && "changed the output",
    typeof own["additionalContext"] === "string" && `told Claude: ${own["additionalContext"]}`,
    typeof said["systemMessage"] === "string" && `told you: ${said["systemMessage"]}`,
  ].filter((sentence) => sentence !== false);
};
