// The verdict about one call, from the lines of a session: allowed, asked or denied, with the words of the CLI.
import { isDeepStrictEqual } from "node:util";
import type { Call, Verdict } from "./case.ts";
import type { Message } from "../drive.ts";

/** Older versions report a refusal only as text. */
const REFUSED =
  /permission to .*denied|denied access to domain|denied by your permission settings|has been denied|haven't granted|requires approval|was blocked|blocked by permission rules|denied by the .* classifier|denied by \w+ hook|hook error/is;
const ASK_DETAILS = [
  "decision_reason",
  "decision_reason_type",
  "blocked_path",
  "requires_user_interaction",
  "matched_ask_rule",
  "suppress_always_allow_rule",
];

/** `undefined`: the session ended before it came to this call. */
export const verdictOf = (lines: readonly Message[], id: string, call: Call): Verdict | undefined => {
  const ask = lines
    .filter((line) => line.type === "control_request")
    .map((line) => line.request as Message)
    .find((request) => request.subtype === "can_use_tool" && request.tool_use_id === id);
  if (ask !== undefined) return asked(ask, call);
  const back = resultOf(lines, id);
  return back === undefined ? undefined : answered(lines, id, back);
};

const asked = (ask: Message, call: Call): Verdict => ({
  verdict: "ask",
  suggestions: ask.permission_suggestions ?? [],
  ...Object.fromEntries(ASK_DETAILS.filter((key) => ask[key] !== undefined).map((key) => [key, ask[key]])),
  ...(ask.tool_name !== call.tool && { tool_name: ask.tool_name }),
  ...(!isDeepStrictEqual(ask.input, call.input) && { input: ask.input }),
});

interface Back {
  readonly line: Message;
  readonly text: string;
  readonly failed: boolean;
}

const resultOf = (lines: readonly Message[], id: string): Back | undefined => {
  for (const line of lines) {
    const content = line.type === "user" ? (line.message as Message).content : undefined;
    if (!Array.isArray(content)) continue;
    const block = (content as Message[]).find((one) => one.type === "tool_result" && one.tool_use_id === id);
    if (block !== undefined) return { line, text: textOf(block.content), failed: block.is_error === true };
  }
  return undefined;
};

const textOf = (content: unknown): string => {
  if (typeof content === "string") return content;
  return Array.isArray(content)
    ? (content as Message[]).map((one) => (typeof one.text === "string" ? one.text : "")).join("\n")
    : "";
};

const answered = (lines: readonly Message[], id: string, { line, text, failed }: Back): Verdict => {
  const metas = Array.isArray(line.tool_result_meta) ? (line.tool_result_meta as Message[]) : [];
  const decision = metas.find((one) => one.id === id)?.permission_decision as Message | undefined;
  const event = lines.find((one) => one.subtype === "permission_denied" && one.tool_use_id === id);
  const more = {
    ...(decision !== undefined && { meta: { permission_decision: decision } }),
    ...(event?.decision_reason_type !== undefined && { event: { decision_reason_type: event.decision_reason_type } }),
  };
  const ran = /^(<error>)?(Error: )?Exit code/.test(text);
  const refused = decision?.decision === "reject" || event !== undefined || (failed && REFUSED.test(text) && !ran);
  const message = text.length > 400 ? `${text.slice(0, 400)}...` : text;
  if (failed && text.includes("No such tool available"))
    return { verdict: "deny", via: "tool-absent", message, ...more };
  if (/^(Error: )?<tool_use_error>|InputValidationError/.test(text)) {
    return { verdict: refused ? "deny" : "error", via: "validation", message, ...more };
  }
  if (refused) return { verdict: "deny", message, ...more };
  return { verdict: "allow", ...(failed && { failed: message }), ...more };
};
