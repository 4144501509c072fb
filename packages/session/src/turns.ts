// The end of a turn, and of the process.

import { endRetry, foldCommandOutput } from "./conversation.ts";
import type { Event } from "./event.ts";
import { addRow, leaveTools } from "./folding.ts";
import type { Folding } from "./folding.ts";
import { foldUsage } from "./gauges.ts";
import { isInterrupted } from "./interrupted.ts";
import { notice } from "./notices.ts";
import { answerOldest, endPrompts, promptsOfTurn, settleTurn } from "./prompts.ts";
import { endRequests } from "./requests.ts";
import { textWithoutSecrets } from "./secrets.ts";
import { forgetSessionRules } from "./session-rules.ts";
import { dropDrafts } from "./streamed-drafts.ts";
import { leaveTodos } from "./todos.ts";
import { endTasks } from "./work.ts";
import type { ResultMessage } from "@quarterdeck/protocol";

export const foldResult = (folding: Folding, message: ResultMessage): void => {
  const { memory } = folding;
  endRetry(folding);
  dropDrafts(folding);
  memory.compacting = false;
  answerOldest(folding);
  const wokeItself = memory.turn?.wokeItself === true;
  // Older CLIs answer some commands only in the result.
  if (message.subtype === "success" && message.result !== "" && memory.turn?.spoke === false) {
    foldCommandOutput(folding, message.result, message.is_error);
  }
  memory.compactionRow = null;
  const { costUsd, byModel } = foldUsage(folding, message);
  const context = folding.timeline.head.gauges.context?.used;
  const { subtype, terminal_reason: reason } = message;
  const ok = !message.is_error;
  const interrupted = isInterrupted({ subtype, ok, ...(reason !== undefined && { reason }) });
  const errors = message.subtype === "success" ? [] : message.errors;
  const origin = message.origin?.kind ?? (wokeItself ? "cli" : undefined);
  addRow(folding, {
    kind: "turn",
    prompts: promptsOfTurn(folding, message.user_message_uuids),
    ok,
    subtype,
    errors,
    costUsd,
    durationMs: message.duration_ms ?? 0,
    steps: message.num_turns ?? 0,
    inputTokens: message.usage?.input_tokens ?? 0,
    outputTokens: message.usage?.output_tokens ?? 0,
    cacheReadTokens: message.usage?.cache_read_input_tokens ?? 0,
    cacheWriteTokens: message.usage?.cache_creation_input_tokens ?? 0,
    apiMs: message.duration_api_ms ?? 0,
    byModel,
    ...(context !== undefined && context > 0 && { context }),
    denials: message.permission_denials ?? [],
    ...(reason !== undefined && { reason }),
    ...(typeof message.stop_reason === "string" && { stopReason: message.stop_reason }),
    ...(origin !== undefined && origin !== "human" && { origin }),
    ...(message.subtype === "success" &&
      message.structured_output !== undefined && { structuredOutput: message.structured_output }),
  });
  memory.lastTurn = { ok, interrupted };
  settleTurn(folding, message.user_message_uuids, interrupted ? "interrupted" : ok ? "done" : "failed");
  leaveTools(folding, interrupted ? "interrupted" : "unfinished", (parent) => parent === undefined);
  leaveTodos(folding);
};

export const foldProcessStarted = (folding: Folding, event: Extract<Event, { type: "process-started" }>): void => {
  const { memory, timeline } = folding;
  const incarnation = (timeline.head.process?.incarnation ?? 0) + 1;
  const { mode } = timeline.head;
  memory.processCost = null;
  memory.processModels = {};
  if (event.keptPermissions !== true) forgetSessionRules(folding);
  memory.initialized = false;
  memory.ending = false;
  memory.ownStderr = "";
  memory.lastTurn = null;
  timeline.setHead({
    process: {
      running: true,
      incarnation,
      ...(event.pid !== undefined && { pid: event.pid }),
      ...(event.canBypass === true && { canBypass: true as const }),
      ...(event.asksPolicies === true && { asksPolicies: true as const }),
      ...(event.debugFile !== undefined && { debugFile: event.debugFile }),
    },
    ...(event.mode !== undefined && { mode: event.mode }),
    ...(event.cwd !== undefined && { cwd: event.cwd }),
    ...(event.version !== undefined && { cliVersion: event.version }),
  });
  if (incarnation > 1) {
    addRow(folding, { kind: "mark", what: "resumed", text: `process ${incarnation}` });
    // What waited for this process stands below the line.
    for (const { rowId } of timeline.head.queue) memory.sentWhileBusy[rowId] = true;
  }
  if (mode !== undefined && event.mode !== undefined && event.mode !== mode)
    addRow(folding, { kind: "mark", what: "mode", text: event.mode, ...(incarnation > 1 && { from: mode }) });
  if (event.leftOut !== undefined) {
    const text = `Started without the folder's own settings: ${event.leftOut.join(", ")}.`;
    notice(folding, "folder", text, "warning");
  }
  if (event.ignoredMode !== undefined) {
    const text = `Your settings name the mode ${event.ignoredMode}, which asks nobody. This session started without it. An admin can choose it at the start of a session.`;
    notice(folding, "permission mode", text, "warning");
  }
};

export const foldProcessExited = (folding: Folding, event: Extract<Event, { type: "process-exited" }>): void => {
  const { memory, timeline } = folding;
  const isIdle = hasNothingToDo(folding);
  endRetry(folding);
  dropDrafts(folding);
  endRequests(folding);
  endPrompts(folding);
  const isCut = memory.turn !== null && memory.turn.prompts.length > 0;
  settleTurn(folding, undefined, "interrupted");
  leaveTools(folding, "unfinished", () => true);
  leaveTodos(folding);
  endTasks(folding);
  memory.compacting = false;
  const { code, signal, reason } = event;
  timeline.setHead({
    process: {
      running: false,
      incarnation: timeline.head.process?.incarnation ?? 1,
      endedAt: folding.at,
      code,
      signal,
    },
  });
  // A request to end the last process says nothing about a process that never ran.
  if (reason !== undefined) memory.ending = false;
  // The host stopped, and the CLI with it. Without work under way nothing is lost, so there is nothing to report.
  else if (code === null && signal === null && isIdle) memory.ending = true;
  if (isOrderly(folding, code)) {
    if (isCut && !isStopped(folding))
      addRow(folding, { kind: "mark", what: "process-exited", text: "The process was stopped during this turn." });
    return;
  }
  const said = lastLines(textWithoutSecrets(memory.ownStderr));
  if (reason !== undefined) {
    addRow(folding, { kind: "error", source: "process", code: "not-started", text: reason + said });
    return;
  }
  // Nobody saw it end, so its last words do not say why.
  const text =
    signal !== null
      ? `The CLI ended by ${signal}.${said}`
      : code !== null
        ? `The CLI ended with code ${code}.${said}`
        : "It ended while Quarterdeck was not running.";
  addRow(folding, { kind: "error", source: "process", text });
};

/** The process was ready, and nothing that it or a person began is left. */
const hasNothingToDo = ({ memory, timeline: { head } }: Folding): boolean =>
  memory.initialized &&
  memory.turn === null &&
  head.requests.length === 0 &&
  head.queue.length === 0 &&
  head.tasks.every(({ endedAt }) => endedAt !== undefined);

/** The last lines of stderr, which often say why a process ended: at most five lines and 1000 characters. */
const lastLines = (stderr: string): string => {
  const lines = stderr.trimEnd().split("\n").slice(-5).join("\n").slice(-1000);
  return lines === "" ? "" : `\n${lines}`;
};

/** The CLI has already said that the turn was stopped. */
const isStopped = ({ timeline }: Folding): boolean => {
  const [last] = timeline.rowsBefore(Infinity, 1);
  return last?.kind === "mark" && last.what === "interrupted";
};

export const foldMemoryExceeded = (folding: Folding, event: Extract<Event, { type: "memory-exceeded" }>): void => {
  const { bytes, limitBytes, ends } = event;
  folding.timeline.setHead({ memory: { bytes, limitBytes, at: folding.at } });
  const then = ends ? " Its process is stopped, as the settings of the server say." : "";
  const text = `This session uses ${megabytes(bytes)} of memory. Its limit is ${megabytes(limitBytes)}.${then}`;
  addRow(folding, { kind: "error", source: "memory", text });
};
const megabytes = (bytes: number): string => `${Math.round(bytes / 1_048_576)} MB`;

export const foldBudget = (folding: Folding, event: Extract<Event, { type: "budget-noted" }>): void => {
  const { state, scope, spentUsd, limitUsd } = event;
  const before = folding.timeline.head.budget?.state;
  folding.timeline.setHead({ budget: state === "free" ? null : { state, scope, spentUsd, limitUsd, at: folding.at } });
  if (state === "free" || state === before) return;
  const whose = scope === "day" ? "today's budget" : "the budget of this session";
  const sums = `$${spentUsd.toFixed(2)} of $${limitUsd.toFixed(2)}`;
  if (state === "near") return notice(folding, "budget", `More than 80 % of ${whose} is spent: ${sums}.`, "warning");
  notice(
    folding,
    "budget",
    `All of ${whose} is spent: ${sums}. Claude Code takes no prompts until it is raised.`,
    "warning",
  );
};

export const foldFolderChanged = (folding: Folding, { files }: Extract<Event, { type: "folder-changed" }>): void => {
  const which = files.length === 0 ? "" : `: ${files.join(", ")}`;
  const text = `This folder's hooks, servers or settings changed after they were trusted${which}. Claude Code was stopped before it could run them. Trust the folder again or go on without its settings; queued prompts wait for that.`;
  notice(folding, "folder", text, "warning");
};

/** Exit code 1 only repeats that the last turn failed. 143 or a signal is what we asked for. */
export const isOrderly = (folding: Folding, code: number | null): boolean => {
  const { memory } = folding;
  return code === 0 || memory.ending || (code === 1 && memory.lastTurn !== null && !memory.lastTurn.ok);
};
