// Who or what decided about a call. Newer CLIs say it in the result, in their own words. A policy of the host says it
// in the answer. The host explains a call that nobody was asked about. Otherwise the row does not say who decided.

import { READING_TOOLS } from "@quarterdeck/permissions/words";
import { isRecord } from "@quarterdeck/protocol";
import type { UserMessage } from "@quarterdeck/protocol";
import type { Event, PolicyMark } from "./event.ts";
import { rowOf, toolRowId } from "./folding.ts";
import type { Folding } from "./folding.ts";
import type { Decider, ToolDecision, ToolRow } from "./row.ts";

/** What the result of a call says about its permission. */
export const saidDecision = (
  message: UserMessage,
  toolUseId: string,
  tool: string,
  mode: string | undefined,
): ToolDecision | undefined => {
  const said = message.tool_result_meta?.find((meta) => meta.id === toolUseId)?.permission_decision;
  if (said === undefined) return undefined;
  const behavior = said.decision === "accept" || said.decision === "allow" ? "allow" : "deny";
  const decider = PEOPLE.has(said.source ?? "") ? "person" : deciderOf(said.reason_type ?? said.source, tool, mode);
  return {
    behavior,
    ...(said.source !== undefined && { source: said.source }),
    ...(decider !== undefined && { decider }),
    ...(decider === "mode" && mode !== undefined && { mode }),
  };
};

const PEOPLE: ReadonlySet<string> = new Set(["user", "user_temporary", "user_permanent", "user_reject"]);

/**
 * The reasons of 2.1.325 (measured). It gives `mode` for a tool that only reads, too. `subcommandResults` can be rules, a
 * mode or commands that only read, and `config` says nothing.
 */
const deciderOf = (reason: string | undefined, tool: string, mode: string | undefined): Decider | undefined => {
  switch (reason) {
    case "rule":
    case "hook":
    case "classifier":
      return reason;
    case "mode":
      if (READERS.has(tool)) return "read-only";
      return mode !== undefined && mode !== "default" && mode !== "manual" ? "mode" : undefined;
    default:
      return undefined;
  }
};
const READERS: ReadonlySet<string> = new Set(READING_TOOLS);

/** A policy answered the hook before a call: it denied the call, or wants a person to be asked. */
export const foldPolicyHook = (folding: Folding, toolUseId: string, policy: PolicyMark, answer: unknown): void => {
  const row = rowOf(folding, toolRowId(toolUseId), "tool");
  if (row === undefined) return;
  if (policy.behavior === "ask") folding.timeline.update(row, { askedBy: policy });
  const output = isRecord(answer) ? answer["hookSpecificOutput"] : undefined;
  const said = isRecord(output) ? output : {};
  if (said["permissionDecision"] !== "deny") return;
  const reason = said["permissionDecisionReason"];
  const decision: ToolDecision = {
    behavior: "deny",
    decider: "policy",
    policy,
    at: folding.at,
    ...(typeof reason === "string" && { reason }),
  };
  folding.timeline.update(row, { decision, ...(row.result === undefined && { state: "denied" }) });
};

/** The host's explanation completes what the CLI said. It never contradicts it. */
export const foldExplained = (folding: Folding, event: Extract<Event, { type: "call-explained" }>): void => {
  const row = rowOf(folding, toolRowId(event.toolUseId), "tool");
  if (row?.result === undefined || !agrees(row, event)) return;
  const { behavior, kind, rule, mode } = event;
  const decision: ToolDecision = {
    ...row.decision,
    behavior,
    decider: kind,
    ...(rule !== undefined && { rule }),
    ...(kind === "mode" && mode !== undefined && { mode }),
  };
  folding.timeline.update(row, {
    decision,
    ...(behavior === "deny" && { state: "denied" }),
    seqs: [...row.seqs, folding.seq],
  });
};

const agrees = (row: ToolRow, { behavior, kind }: Extract<Event, { type: "call-explained" }>): boolean => {
  const { decision, result } = row;
  if (decision?.at !== undefined || decision?.policy !== undefined) return false;
  if (decision !== undefined)
    return (
      decision.behavior === behavior &&
      (decision.decider === undefined || decision.decider === kind || (decision.decider === "mode" && kind !== "rule"))
    );
  // Older CLIs say nothing: a denied call has the CLI's words as its error.
  return behavior === "allow" || (result?.ok === false && /\bdenied\b/u.test(result.text));
};
