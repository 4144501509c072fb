// What the CLI reports about itself: init, status, compaction, retries, hooks, refusals, banners.

import type { McpServerStatus, MessageOf, SystemMessage } from "@quarterdeck/protocol";
import { retract } from "./conversation.ts";
import { addRow, rowOf } from "./folding.ts";
import type { Folding } from "./folding.ts";
import { beginTurn, blockPrompt } from "./prompts.ts";
import { foldCompacted } from "./gauges.ts";
import type { Command, Head } from "./head.ts";
import type { NoticeRow } from "./row.ts";
import { forgetTodos } from "./todos.ts";

export const notice = (folding: Folding, topic: string, text: string, level: NoticeRow["level"] = "info"): void => {
  addRow(folding, { kind: "notice", level, topic, text });
};

const VCS_WORDS: Readonly<Record<string, string>> = {
  commit: "Committed",
  push: "Pushed",
  merge: "Merged",
  rebase: "Rebased",
};

/** The session used git itself. */
export const foldVcs = (folding: Folding, { kind, branch, cwd }: SystemMessage<"vcs_state_changed">): void => {
  const where = cwd === undefined || cwd === folding.timeline.head.cwd ? "" : ` in ${cwd}`;
  notice(folding, "git", `${VCS_WORDS[kind] ?? kind}${branch === undefined ? "" : ` (branch ${branch})`}${where}`);
};

/** The session created or changed a pull request. */
export const foldPublished = (folding: Folding, message: SystemMessage<"code_change_published">): void => {
  const { provider, url, repo, identifier, action } = message;
  const number = typeof identifier === "string" || typeof identifier === "number" ? ` #${identifier}` : "";
  notice(folding, "published", `Pull request ${action ?? "published"}: ${repo ?? provider}${number} ${url}`);
};

/** Older CLIs only name commands. Newer ones also describe them and their arguments. */
export const commandOf = (command: SystemMessage<"commands_changed">["commands"][number]): Command => {
  const { name, description, argumentHint, aliases, builtin } = command;
  const hint = Array.isArray(argumentHint) ? argumentHint.join(" ") : argumentHint;
  return {
    name,
    ...(description !== undefined && { description }),
    ...(hint !== undefined && hint !== "" && { hint }),
    ...(aliases !== undefined && aliases.length > 0 && { aliases }),
    ...(builtin === true && { builtin }),
  };
};

/** Each turn starts with one. It has the current state of the session. */
export const foldInit = (folding: Folding, message: SystemMessage<"init">): void => {
  const { timeline } = folding;
  const { head } = timeline;
  const { model, permissionMode: mode, session_id: sessionId } = message;
  if (head.mode !== undefined && mode !== undefined && mode !== head.mode) mark(folding, "mode", mode);
  if (head.model !== undefined && model !== head.model) mark(folding, "model", model);
  const { tools, slash_commands: slash, agents, skills, plugins, output_style: outputStyle, apiKeySource } = message;
  timeline.setHead({
    sessionId,
    model,
    about: {
      ...head.about,
      tools,
      agentTypes: agents,
      skills,
      plugins,
      outputStyle,
      apiKeySource,
      fastMode: message.fast_mode_state,
      fastModeReason: message.fast_mode_disabled_reason,
    },
    ...(mode !== undefined && { mode }),
    ...(message.cwd !== undefined && { cwd: message.cwd }),
    ...(message.claude_code_version !== undefined && { cliVersion: message.claude_code_version }),
    ...(message.capabilities !== undefined && { capabilities: message.capabilities }),
    ...(slash !== undefined && head.commands.length === 0 && { commands: slash.map((name) => ({ name })) }),
    ...(message.mcp_servers !== undefined && {
      servers: message.mcp_servers.map((server) =>
        withDetails(head.servers, typeof server === "string" ? { name: server, status: "unknown" } : server),
      ),
    }),
  });
  beginTurn(folding, message.user_message_uuids);
};

/** An init names only state and source. What an earlier answer said about a server still holds. */
const withDetails = (known: Head["servers"], server: Head["servers"][number]): Head["servers"][number] => {
  const before = known.find(({ name }) => name === server.name);
  if (before === undefined) return server;
  // A server that failed or was turned off has no tools.
  const { tools, ...about } = before as McpServerStatus;
  return { ...about, ...(server.status === "connected" && tools !== undefined && { tools }), ...server };
};

const mark = (folding: Folding, what: "mode" | "model" | "cleared" | "title", text: string): void => {
  addRow(folding, { kind: "mark", what, text });
};

export const foldStatus = (folding: Folding, message: SystemMessage<"status">): void => {
  const { memory, timeline } = folding;
  if (message.status === "compacting") memory.compacting = true;
  else if (message.status === null || message.compact_result !== undefined) memory.compacting = false;
  if (message.status === "requesting") beginTurn(folding, message.user_message_uuids);
  const { permissionMode: mode } = message;
  if (mode !== undefined && mode !== timeline.head.mode) {
    mark(folding, "mode", mode);
    timeline.setHead({ mode });
  }
  if (message.compact_result === "failed") {
    addRow(folding, { kind: "compaction", failed: message.compact_error ?? "Compaction failed." });
  }
};

export const foldCompactBoundary = (folding: Folding, message: SystemMessage<"compact_boundary">): void => {
  folding.memory.compacting = false;
  const about = message.compact_metadata;
  if (about?.post_tokens !== undefined) foldCompacted(folding, about.post_tokens);
  folding.memory.compactionRow = addRow(folding, {
    kind: "compaction",
    ...(about !== undefined && { trigger: about.trigger, before: about.pre_tokens }),
    ...(about?.post_tokens !== undefined && { after: about.post_tokens }),
  });
};

/** The retries of one request are one row. The next answer of the model ends them. */
export const foldRetry = (folding: Folding, message: SystemMessage<"api_retry">): void => {
  const { memory, timeline } = folding;
  const { attempt, max_retries: of, retry_delay_ms: delayMs, error_status: status, error } = message;
  const until = folding.at + delayMs;
  const now = { attempt, of, delayMs, status, error, until, over: false };
  const row = memory.retryRow === null ? undefined : rowOf(folding, memory.retryRow, "retry");
  if (row === undefined) memory.retryRow = addRow(folding, { kind: "retry", ...now });
  else timeline.update(row, { ...now, seqs: [...row.seqs, folding.seq].slice(-RETRIES_KEPT) });
  timeline.setHead({ retry: { attempt, of, until } });
};
/** Enough for the raw messages of every retry that the CLI makes. */
const RETRIES_KEPT = 100;

export const foldHookStarted = (folding: Folding, message: SystemMessage<"hook_started">): void => {
  const { hook_id: hookId, hook_name: name, hook_event: event } = message;
  folding.memory.hookRows[hookId] = addRow(folding, { kind: "hook", hookId, name, event, output: "" });
};

export const foldHookProgress = (folding: Folding, message: SystemMessage<"hook_progress">): void => {
  const row = rowOf(folding, folding.memory.hookRows[message.hook_id] ?? "", "hook");
  if (row !== undefined) folding.timeline.update(row, { output: message.output });
};

export const foldHookResponse = (folding: Folding, message: SystemMessage<"hook_response">): void => {
  const { hook_id: hookId, hook_name: name, hook_event: event, output } = message;
  const ended = {
    output,
    endedAt: folding.at,
    ...(message.outcome !== undefined && { outcome: message.outcome }),
    ...(message.exit_code !== undefined && { exitCode: message.exit_code }),
  };
  const row = rowOf(folding, folding.memory.hookRows[hookId] ?? "", "hook");
  delete folding.memory.hookRows[hookId];
  if (row === undefined) addRow(folding, { kind: "hook", hookId, name, event, ...ended });
  else folding.timeline.update(row, { ...ended, seqs: [...row.seqs, folding.seq] });
};

export const foldInformational = (folding: Folding, message: SystemMessage<"informational">): void => {
  if (message.prompt_submit_outcome !== undefined || message.prevent_continuation === true) {
    blockPrompt(folding, message.content);
    return;
  }
  notice(folding, message.tag ?? "informational", message.content, message.level === "warning" ? "warning" : "info");
};

export const foldRefusal = (
  folding: Folding,
  message: SystemMessage<"model_refusal_no_fallback"> | SystemMessage<"model_refusal_fallback">,
): void => {
  if (message.subtype === "model_refusal_fallback") {
    for (const uuid of message.retracted_message_uuids ?? []) retract(folding, uuid);
  }
  const code = typeof message.api_refusal_category === "string" ? { code: message.api_refusal_category } : {};
  addRow(folding, { kind: "error", source: "refusal", text: message.content, ...code });
};

export const foldTitle = (folding: Folding, message: SystemMessage<"session_title_changed">): void =>
  folding.timeline.setHead({ title: message.title });

export const foldReset = (folding: Folding, message: MessageOf<"conversation_reset">): void => {
  mark(folding, "cleared", message.trigger ?? "clear");
  const { context, ...gauges } = folding.timeline.head.gauges;
  const window = context?.window === undefined ? {} : { context: { used: 0, window: context.window } };
  folding.timeline.setHead({ gauges: { ...gauges, ...window } });
  forgetTodos(folding);
};

export const foldRateLimit = (folding: Folding, message: MessageOf<"rate_limit_event">): void => {
  const { status, rateLimitType: type, resetsAt, utilization } = message.rate_limit_info;
  const { limits } = folding.timeline.head;
  const about = {
    status,
    ...(resetsAt !== undefined && { resetsAt }),
    ...(utilization !== undefined && { utilization }),
    at: folding.at,
  };
  folding.timeline.setHead({
    limits: { ...limits, [type ?? "usage"]: about },
    limit: { status, ...(type !== undefined && { type }), ...(resetsAt !== undefined && { resetsAt }) },
  });
  if (status === "rejected") {
    addRow(folding, { kind: "error", source: "limit", text: `The ${type ?? "usage"} limit is reached.` });
  }
};
