// The CLI's own transcripts (`~/.claude/projects/…/<session>.jsonl`, a file more for each subagent) as events, so that history
// shows though a resumed CLI replays none. The format is internal to the CLI: read tolerantly, and what is not understood is
// left out. An entry becomes the message that stdout would have carried.

import type { JsonValue } from "@quarterdeck/protocol";
import type { Event, Fact } from "./event.ts";

type Entry = Readonly<Record<string, JsonValue>>;

/** Entries of a main transcript, with those of its subagents (by agent id) where their results come. */
export const eventsOfTranscript = (
  main: string,
  agents: Readonly<Record<string, string>> = {},
  afterSeq = 0,
): Event[] => {
  const facts: { at: number; fact: Fact }[] = [];
  const add = (entry: Entry, parent?: string): void => {
    const at = typeof entry["timestamp"] === "string" ? Date.parse(entry["timestamp"]) : Number.NaN;
    facts.push({
      at: Number.isNaN(at) ? (facts.at(-1)?.at ?? 0) : at,
      fact: { type: "imported", entry, ...(parent !== undefined && { parent }) },
    });
  };
  for (const entry of entriesOf(main)) {
    if (messageOfEntry(entry) === undefined) continue;
    const agent = launchedAgent(entry);
    if (agent !== undefined)
      for (const inner of entriesOf(agents[agent.id] ?? "")) if (messageOfEntry(inner)) add(inner, agent.toolUseId);
    add(entry);
  }
  return facts.map(({ at, fact }, index) => ({ seq: afterSeq + index + 1, at, ...fact }));
};

const entriesOf = (text: string): Entry[] =>
  text.split("\n").flatMap((line) => {
    try {
      const entry = JSON.parse(line) as JsonValue;
      return isEntry(entry) ? [entry] : [];
    } catch {
      // The last line of a file that is being written, or a damaged one: the rest still reads.
      return [];
    }
  });

const isEntry = (value: JsonValue | undefined): value is Record<string, JsonValue> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The agent whose report this entry brings back. */
const launchedAgent = (entry: Entry): { id: string; toolUseId: string } | undefined => {
  const result = entry["toolUseResult"];
  const id = isEntry(result) ? result["agentId"] : undefined;
  const message = entry["message"];
  const content = isEntry(message) ? message["content"] : undefined;
  const block = Array.isArray(content) ? content[0] : undefined;
  const toolUseId = isEntry(block) ? block["tool_use_id"] : undefined;
  return typeof id === "string" && typeof toolUseId === "string" ? { id, toolUseId } : undefined;
};

/** The message that stdout would have carried, or nothing for the CLI's own bookkeeping. */
export const messageOfEntry = (entry: JsonValue, parent?: string): JsonValue | undefined => {
  if (!isEntry(entry) || entry["isMeta"] === true) return undefined;
  const { type, message, uuid, sessionId, timestamp, toolUseResult, isCompactSummary, subtype, content } = entry;
  const { isApiErrorMessage, error, attachment, compactMetadata } = entry;
  const envelope = {
    ...(typeof uuid === "string" && { uuid }),
    ...(typeof sessionId === "string" && { session_id: sessionId }),
    ...(typeof timestamp === "string" && { timestamp }),
    parent_tool_use_id: parent ?? null,
  };
  if (type === "assistant" && isEntry(message)) {
    const failed = {
      ...(isApiErrorMessage === true && { is_api_error_message: true }),
      ...(typeof error === "string" && { error }),
    };
    return { type, message, ...envelope, ...failed };
  }
  // A prompt that was folded in at a tool boundary is an attachment there, under the uuid with which it was sent.
  if (type === "attachment" && isEntry(attachment) && attachment["type"] === "queued_command") {
    const { prompt, source_uuid: source, isMeta } = attachment;
    if (isMeta === true || (typeof prompt !== "string" && !Array.isArray(prompt))) return undefined;
    const named = typeof source === "string" ? { uuid: source } : {};
    return { type: "user", message: { role: "user", content: prompt }, ...envelope, ...named };
  }
  if (type === "user" && isEntry(message)) {
    return {
      type,
      message,
      ...envelope,
      ...(toolUseResult !== undefined && { tool_use_result: toolUseResult }),
      ...(isCompactSummary === true && { isSynthetic: true }),
    };
  }
  if (type !== "system") return undefined;
  if (subtype === "compact_boundary") {
    const { trigger, preTokens, postTokens } = isEntry(compactMetadata) ? compactMetadata : {};
    const metadata = {
      trigger: trigger ?? "manual",
      pre_tokens: preTokens ?? 0,
      ...(typeof postTokens === "number" && { post_tokens: postTokens }),
    };
    return { type, subtype, ...envelope, ...(isEntry(compactMetadata) && { compact_metadata: metadata }) };
  }
  if (subtype === "local_command" && typeof content === "string") {
    return { type: "user", message: { role: "user", content }, ...envelope };
  }
  return undefined;
};
