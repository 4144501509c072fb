// Turns assistant and user messages into text, thinking and tool rows. One message of the API comes as one assistant message
// per block. They share its id. Stream events are in `streamed-drafts.ts`.

import { blockTexts, readCommandText, readToolResult, toolResultsOf } from "@quarterdeck/protocol";
import type { AssistantMessage, ContentBlock, UserMessage } from "@quarterdeck/protocol";
import type { PromptContent } from "./event.ts";
import { addRow, blockRowId, forgetOldMessages, parentOf, rowOf, toolRowId } from "./folding.ts";
import { saidDecision } from "./decisions.ts";
import type { Folding } from "./folding.ts";
import { foldContext, foldContextTable } from "./gauges.ts";
import { beginTurn, foldForeignPrompt, foldReplay, takeImported } from "./prompts.ts";
import { completeCut } from "./recovered.ts";
import { withPatch } from "./replaced-hunks.ts";
import type { ToolDecision, ToolState } from "./row.ts";
import { awaitTodos, settleTodos } from "./todos.ts";
import { foldToolEffect } from "./work.ts";

const SYNTHETIC = "<synthetic>";

export const foldAssistant = (folding: Folding, message: AssistantMessage): void => {
  const { memory, timeline } = folding;
  if (message.uuid !== undefined && Object.hasOwn(memory.rowsOfMessage, message.uuid)) return;
  for (const uuid of message.supersedes ?? []) retract(folding, uuid);
  const main = typeof message.parent_tool_use_id !== "string";
  if (main) {
    endRetry(folding);
    beginTurn(folding, message.user_message_uuids);
    memory.turn!.spoke = true;
  }
  const inner = message.message;
  const synthetic = inner.model === SYNTHETIC;
  if (main && !synthetic) {
    if (inner.usage !== undefined) foldContext(folding, inner.usage);
    if (inner.model !== undefined && timeline.head.model === undefined) timeline.setHead({ model: inner.model });
  }
  const messageId = inner.id ?? message.uuid ?? `e${folding.seq}`;
  const rows: string[] = [];
  const blocks = typeof inner.content === "string" ? [{ type: "text", text: inner.content } as const] : inner.content;
  for (const block of blocks) {
    const index = memory.blocks[messageId] ?? 0;
    memory.blocks[messageId] = index + 1;
    const id = blockRowId(messageId, index);
    timeline.drafts.delete(id);
    if (completeCut(folding, id, block)) {
      rows.push(id);
      continue;
    }
    rows.push(synthetic ? foldSynthetic(folding, message, block) : foldBlock(folding, message, messageId, id, block));
  }
  if (message.uuid !== undefined) memory.rowsOfMessage[message.uuid] = rows;
  forgetOldMessages(folding);
};

const foldBlock = (
  folding: Folding,
  message: AssistantMessage,
  messageId: string,
  id: string,
  block: ContentBlock,
): string => {
  const common = { messageId, ...parentOf(message) };
  const aborted = message.aborted === true ? ({ aborted: true } as const) : {};
  switch (block.type) {
    case "text":
      return addRow(
        folding,
        {
          kind: "text",
          text: (block as { text: string }).text,
          ...common,
          ...aborted,
          ...(message.message.model !== undefined && { model: message.message.model }),
          ...citationsIn(block),
        },
        id,
      );
    case "thinking":
      return addRow(
        folding,
        {
          kind: "thinking",
          text: (block as { thinking: string }).thinking,
          ...common,
          ...aborted,
          ...(message.thinking_duration_ms !== undefined && { durationMs: message.thinking_duration_ms }),
          ...takeThinkingTokens(folding, message),
        },
        id,
      );
    case "redacted_thinking":
      return addRow(folding, { kind: "thinking", text: "", redacted: true, ...common }, id);
    case "tool_use":
      return foldToolUse(folding, block as ToolUse, common);
    default:
      return addRow(folding, { kind: "block", block: block as unknown as Record<string, unknown>, ...common }, id);
  }
};

const citationsIn = (block: ContentBlock): { citations?: readonly Readonly<Record<string, unknown>>[] } => {
  const { citations } = block as { citations?: readonly Readonly<Record<string, unknown>>[] | null };
  return citations === undefined || citations === null || citations.length === 0 ? {} : { citations };
};

/** Estimates cover the main conversation only. */
const takeThinkingTokens = (folding: Folding, message: AssistantMessage): { tokens?: number } => {
  const { memory } = folding;
  if (memory.thinkingTokens === null || typeof message.parent_tool_use_id === "string") return {};
  const tokens = memory.thinkingTokens;
  memory.thinkingTokens = null;
  return { tokens };
};

interface ToolUse {
  readonly id: string;
  readonly name: string;
  readonly input: Record<string, unknown>;
}

const foldToolUse = (folding: Folding, use: ToolUse, common: { messageId: string; parent?: string }): string => {
  folding.memory.openTools[use.id] = true;
  folding.timeline.drafts.delete(toolRowId(use.id));
  const known = rowOf(folding, toolRowId(use.id), "tool");
  if (known !== undefined) {
    // The permission request came before the block was complete.
    folding.timeline.update(known, { ...common, name: use.name, input: use.input, seqs: [...known.seqs, folding.seq] });
    awaitTodos(folding, rowOf(folding, known.id, "tool")!);
    return known.id;
  }
  const { id: toolUseId, name, input } = use;
  const id = addRow(folding, { kind: "tool", toolUseId, name, input, state: "running", ...common }, toolRowId(use.id));
  awaitTodos(folding, rowOf(folding, id, "tool")!);
  return id;
};

/** The row of a tool call. It is created here if the permission request comes before the block. */
export const toolRow = (folding: Folding, use: ToolUse, parent?: string) => {
  const id = toolRowId(use.id);
  if (rowOf(folding, id, "tool") === undefined) {
    foldToolUse(folding, use, { messageId: "", ...(parent !== undefined && { parent }) });
  }
  return rowOf(folding, id, "tool")!;
};

/** Text of the CLI in place of the model: errors, refusals, output of slash commands. */
const foldSynthetic = (folding: Folding, message: AssistantMessage, block: ContentBlock): string => {
  const text = block.type === "text" ? (block as { text: string }).text : JSON.stringify(block);
  if (message.is_api_error_message === true || message.error !== undefined) {
    const source =
      message.error === "authentication_failed" ? "auth" : message.error === "rate_limit" ? "limit" : "api";
    return addRow(folding, {
      kind: "error",
      source,
      text,
      ...(message.error !== undefined && { code: message.error }),
      ...(typeof message.api_error_status === "number" && { status: message.api_error_status }),
      ...parentOf(message),
    });
  }
  if (message.local_command_source !== undefined || message.local_command_run !== undefined) {
    const name = message.local_command_run?.["command"] ?? message.local_command_run?.["name"];
    return foldCommandOutput(folding, text, message.local_command_outcome?.["kind"] === "failed", name);
  }
  return addRow(folding, { kind: "notice", level: "info", topic: "synthetic", text, ...parentOf(message) });
};

export const foldCommandOutput = (folding: Folding, text: string, failed: boolean, name?: unknown): string => {
  if (folding.memory.turn !== null) folding.memory.turn.spoke = true;
  foldContextTable(folding, text);
  return addRow(folding, { kind: "command", text, failed, ...(typeof name === "string" && { name }) });
};

/** Removes the rows of an assistant message. */
export const retract = (folding: Folding, uuid: string): void => {
  for (const id of folding.memory.rowsOfMessage[uuid] ?? []) folding.timeline.remove(id);
};

const INTERRUPTED = /^\[Request interrupted by user/;

export const foldUser = (folding: Folding, message: UserMessage): void => {
  const results = toolResultsOf(message);
  if (results.length > 0) {
    for (const result of results) foldToolResult(folding, message, result);
    return;
  }
  const text = blockTexts(message.message.content).join("\n");
  const command = readCommandText(text);
  if (command !== undefined && (command.stdout ?? command.stderr) !== undefined) {
    if (foldReplay(folding, message)) return;
    foldCommandOutput(folding, command.stdout ?? command.stderr ?? "", command.stderr !== undefined, command.name);
  } else if (INTERRUPTED.test(text)) {
    addRow(folding, { kind: "mark", what: "interrupted", text, ...parentOf(message) });
  } else if (message.isReplay === true) {
    foldReplay(folding, message);
  } else if (folding.memory.compactionRow !== null && typeof message.parent_tool_use_id !== "string") {
    foldSummary(folding, folding.memory.compactionRow, text);
  } else if (message.isSynthetic === true) {
    addRow(folding, { kind: "notice", level: "info", topic: "continuation", text, ...parentOf(message) });
  } else {
    foldForeignPrompt(folding, message, typeof message.parent_tool_use_id === "string" ? "agent" : "cli");
  }
};

/** A user entry of a transcript. A prompt has no echo there, and a command has three entries. */
export const foldImportedUser = (folding: Folding, message: UserMessage): void => {
  const text = blockTexts(message.message.content).join("\n");
  const command = readCommandText(text);
  const isPrompt =
    toolResultsOf(message).length === 0 &&
    message.isSynthetic !== true &&
    typeof message.parent_tool_use_id !== "string" &&
    !INTERRUPTED.test(text) &&
    (command === undefined || command.name !== undefined);
  if (!isPrompt) {
    if (command?.caveat === undefined) foldUser(folding, message);
    return;
  }
  const args = command?.args === undefined || command.args === "" ? "" : ` ${command.args}`;
  const content = command?.name === undefined ? (message.message.content as PromptContent) : `/${command.name}${args}`;
  const { uuid } = message;
  if (uuid !== undefined && takeImported(folding, uuid)) return;
  addRow(
    folding,
    { kind: "prompt", content, state: "done", ...(uuid !== undefined && { uuid }) },
    uuid === undefined ? undefined : `prompt/${uuid}`,
  );
};

/** After a compaction, the CLI sends the model a summary as a user message. */
const foldSummary = (folding: Folding, rowId: string, summary: string): void => {
  folding.memory.compactionRow = null;
  const row = rowOf(folding, rowId, "compaction");
  if (row !== undefined) folding.timeline.update(row, { summary, seqs: [...row.seqs, folding.seq] });
};

const foldToolResult = (
  folding: Folding,
  message: UserMessage,
  given: { toolUseId: string; content?: unknown; isError?: boolean; structured?: unknown },
): void => {
  const { memory, timeline } = folding;
  delete memory.openTools[given.toolUseId];
  const row = rowOf(folding, toolRowId(given.toolUseId), "tool");
  const block = { content: given.content, is_error: given.isError };
  if (row === undefined) {
    const result = readToolResult("unknown", given.structured, block);
    const { toolUseId } = given;
    addRow(
      folding,
      {
        kind: "tool",
        messageId: "",
        toolUseId,
        name: "unknown",
        input: {},
        state: "done",
        result,
        endedAt: folding.at,
        ...parentOf(message),
      },
      toolRowId(toolUseId),
    );
    return;
  }
  // A detached call gets its real result later. Otherwise the first result counts.
  if (row.result !== undefined && row.result.detached !== true) return;
  const result = withPatch(readToolResult(row.name, given.structured, block, row.input));
  const decision = saidDecision(message, given.toolUseId, row.name, timeline.head.mode);
  timeline.update(row, {
    result,
    state: stateOf(row.state, result, decision, wasStopped(message, given.toolUseId)),
    endedAt: folding.at,
    seqs: [...row.seqs, folding.seq],
    ...(decision !== undefined && { decision: { ...decision, ...row.decision } }),
  });
  if (result.ok) foldToolEffect(folding, row, result);
  settleTodos(folding, given.toolUseId);
};

/** Rejected without a decision: the turn was stopped while the call ran or waited. */
const wasStopped = (message: UserMessage, toolUseId: string): boolean => {
  const meta = message.tool_result_meta?.find(({ id }) => id === toolUseId);
  return meta?.non_execution_kind === "user-rejected" && meta.permission_decision === undefined;
};

const stateOf = (
  before: ToolState,
  result: { ok: boolean; interrupted?: true; detached?: true },
  decision: ToolDecision | undefined,
  stopped: boolean,
): ToolState => {
  if (result.detached === true) return "running";
  if (result.ok) return "done";
  // A person denied it. The CLI reports a stop if the denial also ended the turn.
  if (before === "denied") return "denied";
  if (result.interrupted === true || stopped || before === "interrupted") return "interrupted";
  return decision?.behavior === "deny" ? "denied" : "failed";
};

/** A retry is over when any message arrives. */
export const endRetry = (folding: Folding): void => {
  const { memory, timeline } = folding;
  if (memory.retryRow === null) return;
  const row = rowOf(folding, memory.retryRow, "retry");
  if (row !== undefined) timeline.update(row, { over: true });
  memory.retryRow = null;
  timeline.setHead({ retry: null });
};
