// Turns stream events into drafts: the blocks that the model is still writing. A draft ends when its complete block arrives in
// `conversation.ts`. What was streamed and never completed becomes a cut-off row.

import { isRecord } from "@quarterdeck/protocol";
import type { Delta, StreamEventMessage, ToolUseBlock } from "@quarterdeck/protocol";
import type { Draft } from "./draft.ts";
import { addRow, blockRowId, toolRowId } from "./folding.ts";
import type { Folding } from "./folding.ts";
import { parsePartialJson } from "./partial-json.ts";

export const foldStreamEvent = (folding: Folding, message: StreamEventMessage): void => {
  // Only the main conversation streams drafts. A subagent must not end them.
  if (typeof message.parent_tool_use_id === "string") return;
  const { drafts } = folding.timeline;
  const { event } = message;
  switch (event.type) {
    case "message_start":
      // Unfinished blocks of an earlier message will not be finished.
      dropDrafts(folding);
      folding.streaming = { messageId: event.message.id ?? "" };
      break;
    case "content_block_start": {
      const messageId = streamedMessage(folding, message);
      const { index, content_block: block } = event;
      const kind =
        block.type === "text"
          ? "text"
          : block.type === "thinking"
            ? "thinking"
            : block.type === "tool_use"
              ? "tool"
              : undefined;
      if (kind === undefined) break;
      const id = kind === "tool" ? toolRowId((block as ToolUseBlock).id) : blockRowId(messageId, index);
      folding.openDrafts.set(index, id);
      // The complete block may have arrived first.
      if (folding.timeline.row(id) !== undefined) break;
      const tool = kind === "tool" ? { toolUseId: (block as ToolUseBlock).id, name: (block as ToolUseBlock).name } : {};
      const text =
        kind === "text"
          ? (block as { text: string }).text
          : kind === "thinking"
            ? (block as { thinking: string }).thinking
            : "";
      const draft = { id, kind, messageId, index, at: folding.at, text, ...tool } as const;
      drafts.set(id, draft);
      folding.timeline.growth = { draft, from: 0, text };
      break;
    }
    case "content_block_delta": {
      const id = folding.openDrafts.get(event.index);
      const draft = id === undefined ? undefined : drafts.get(id);
      if (draft === undefined) break;
      const text = addedBy(event.delta);
      if (text === undefined) break;
      const from = draft.text.length;
      draft.text += text;
      if (event.delta.type === "thinking_delta" && typeof event.delta.estimated_tokens === "number")
        draft.tokens = event.delta.estimated_tokens;
      folding.timeline.growth = { draft, from, text };
      break;
    }
    case "content_block_stop": {
      const id = folding.openDrafts.get(event.index);
      if (id !== undefined && folding.timeline.row(id) !== undefined) drafts.delete(id);
      folding.openDrafts.delete(event.index);
      break;
    }
    case "message_stop":
      folding.openDrafts.clear();
      folding.streaming = null;
      break;
  }
};

const addedBy = (delta: Delta): string | undefined => {
  switch (delta.type) {
    case "text_delta":
      return delta.text;
    case "input_json_delta":
      return delta.partial_json;
    case "thinking_delta":
      return delta.thinking;
    default:
      return undefined;
  }
};

export const dropDrafts = (folding: Folding): void => {
  folding.timeline.drafts.clear();
  folding.openDrafts.clear();
  folding.streaming = null;
};

/** Keeps streamed text that a person has read, even if the block was never completed. */
export const foldDraftsLeft = (folding: Folding, drafts: readonly Draft[]): void => {
  const [last] = folding.timeline.rowsBefore(Infinity, 1);
  dropDrafts(folding);
  for (const { id, kind, messageId, text, toolUseId, name, tokens } of drafts) {
    if (folding.timeline.row(id) !== undefined) continue;
    if (kind === "text") addRow(folding, { kind, messageId, text, aborted: true }, id);
    else if (kind === "thinking")
      addRow(folding, { kind, messageId, text, aborted: true, ...(tokens !== undefined && { tokens }) }, id);
    else if (toolUseId !== undefined && name !== undefined) {
      const parsed = parsePartialJson(text);
      const input = isRecord(parsed) ? { ...parsed } : {};
      addRow(folding, { kind, messageId, toolUseId, name, input, state: "unfinished", endedAt: folding.at }, id);
    }
  }
  // The text came before the interruption, although the CLI reported the interruption first.
  if (last?.kind === "mark" && last.what === "interrupted") folding.timeline.move(last, {});
};

const streamedMessage = (folding: Folding, message: StreamEventMessage): string =>
  folding.streaming?.messageId ?? message.api_message_id ?? "";
