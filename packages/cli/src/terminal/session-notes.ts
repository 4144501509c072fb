// Messages about a session's life, each as one line for people, or as nothing where a reader would not miss it.

import type { Message, ResultMessage, SystemMessage } from "@quarterdeck/protocol";
import type { Paint } from "./terminal.ts";
import { counted, oneLine } from "./tool-lines.ts";

export interface Note {
  readonly text: string;
  readonly style: Parameters<Paint>[0];
}

const plain = (text: string): Note => ({ text, style: "dim" });
const warning = (text: string): Note => ({ text, style: "yellow" });
const failure = (text: string): Note => ({ text, style: "red" });

export const noteOf = (message: Message): Note | undefined => {
  switch (message.type) {
    case "system":
      return systemNote(message);
    case "control_cancel_request":
      return plain("the prompt is withdrawn");
    case "conversation_reset":
      return plain("the conversation begins anew");
    case "tool_use_summary":
      return plain(oneLine(message.summary));
    case "rate_limit_event":
      return warning(`rate limit: ${message.rate_limit_info.status}`);
    default:
      return undefined;
  }
};

const systemNote = (message: SystemMessage): Note | undefined => {
  switch (message.subtype) {
    case "status":
      return message.status === "compacting" ? plain("compacting the conversation ...") : undefined;
    case "compact_boundary": {
      const sizes = message.compact_metadata;
      return plain(
        sizes === undefined ? "compacted" : `compacted: ${sizes.pre_tokens} → ${sizes.post_tokens ?? "?"} tokens`,
      );
    }
    case "api_retry": {
      const why = message.error_status === null ? "no answer" : String(message.error_status);
      const wait = (message.retry_delay_ms / 1000).toFixed(1);
      return warning(`API: ${why}, ${message.error}; retry ${message.attempt}/${message.max_retries} in ${wait} s`);
    }
    case "permission_denied":
      return failure(`denied: ${message.tool_name}: ${oneLine(message.message)}`);
    case "task_notification":
      return plain(`background task ${message.status}: ${oneLine(message.summary)}`);
    case "hook_response":
      return plain(`hook ${message.hook_name}: ${message.outcome ?? `exit ${message.exit_code ?? 0}`}`);
    case "informational":
    case "local_command_output":
      return message.content.trim() === "" ? undefined : plain(oneLine(message.content));
    case "notification":
      return plain(oneLine(message.text));
    case "session_title_changed":
      return plain(`the session is called: ${oneLine(message.title)}`);
    case "model_refusal_no_fallback":
    case "model_refusal_fallback":
      return failure(oneLine(message.content));
    default:
      return undefined;
  }
};

/** `2.4 s · $0.0123 · 3 steps`. */
export const turnFacts = (result: ResultMessage, costBefore: number): string => {
  const spent = (result.total_cost_usd ?? 0) - costBefore;
  return [
    `${((result.duration_ms ?? 0) / 1000).toFixed(1)} s`,
    spent > 0 ? `$${spent.toFixed(spent < 1 ? 4 : 2)}` : "",
    (result.num_turns ?? 0) > 0 ? counted(result.num_turns!, "step") : "",
    result.terminal_reason === undefined || result.terminal_reason === "completed" ? "" : result.terminal_reason,
  ]
    .filter((fact) => fact !== "")
    .join(" · ");
};
