// Turns the CLI's own transcripts (`~/.claude/projects/…/<session>.jsonl`, and one file per subagent) into events, because a
// resumed CLI does not replay its history. The format is internal to the CLI, so unknown entries are ignored. An entry
// becomes the message that stdout would have had.

import { isRecord } from "@quarterdeck/protocol";
import type { JsonValue } from "@quarterdeck/protocol";
import type { Event } from "./event.ts";

type Entry = Readonly<Record<string, JsonValue>>;

/** Reads transcripts as they grow. Whole lines go in, events come out. Each entry counts once, even if it is read again. */
export interface TranscriptReader {
  main(lines: string): Event[];
  /** Entries of a subagent, by its id. They are reported when the call that started it is known. */
  agent(id: string, lines: string): Event[];
}

export const createTranscriptReader = (afterSeq = 0): TranscriptReader => {
  let seq = afterSeq;
  let lastAt = 0;
  const told = new Set<string>();
  /** Prompts of calls whose agent is not known yet, by call. */
  const calls = new Map<string, string>();
  const callOf = new Map<string, string>();
  const waiting = new Map<string, Entry[]>();

  const eventOf = (entry: Entry, parent?: string): Event => {
    // oxlint-disable-next-line no-restricted-globals -- parses the time of the entry; reads no clock
    const at = typeof entry["timestamp"] === "string" ? Date.parse(entry["timestamp"]) : Number.NaN;
    if (!Number.isNaN(at)) lastAt = at;
    return { seq: ++seq, at: lastAt, type: "imported", entry, ...(parent !== undefined && { parent }) };
  };
  const isNew = (entry: Entry): boolean => {
    const key = typeof entry["uuid"] === "string" ? entry["uuid"] : JSON.stringify(entry);
    return !told.has(key) && told.add(key) !== undefined;
  };
  const link = (id: string, call: string): Event[] => {
    if (!callOf.has(id)) callOf.set(id, call);
    calls.delete(call);
    const entries = waiting.get(id) ?? [];
    waiting.delete(id);
    return entries.map((entry) => eventOf(entry, callOf.get(id)));
  };
  /** Matches a call and an agent with the same prompt, if the match is unique. */
  const linkByPrompt = (): Event[] =>
    [...waiting].flatMap(([id, [first]]) => {
      const prompt = first === undefined ? undefined : contentOf(first);
      const same = [...calls].filter(([, asked]) => asked === prompt);
      return same.length === 1 ? link(id, same[0]![0]) : [];
    });

  return {
    main: (lines) =>
      entriesOf(lines).flatMap((entry) => {
        if (messageOfEntry(entry) === undefined || !isNew(entry)) return [];
        const launched = launchedAgent(entry);
        const before = launched === undefined ? [] : link(launched.id, launched.toolUseId);
        const event = eventOf(entry);
        for (const [call, prompt] of agentCalls(entry)) calls.set(call, prompt);
        return [...before, event, ...(waiting.size === 0 ? [] : linkByPrompt())];
      }),
    agent: (id, lines) => {
      const entries = entriesOf(lines).filter((entry) => messageOfEntry(entry) !== undefined && isNew(entry));
      const call = callOf.get(id);
      if (call !== undefined) return entries.map((entry) => eventOf(entry, call));
      if (entries.length === 0) return [];
      waiting.set(id, [...(waiting.get(id) ?? []), ...entries]);
      return linkByPrompt();
    },
  };
};

/** Entries of a main transcript. Entries of subagents (by agent id) follow the calls that started them. */
export const eventsOfTranscript = (
  main: string,
  agents: Readonly<Record<string, string>> = {},
  afterSeq = 0,
): Event[] => {
  const reader = createTranscriptReader(afterSeq);
  for (const [id, lines] of Object.entries(agents)) reader.agent(id, lines);
  return reader.main(main);
};

const entriesOf = (text: string): Entry[] =>
  text.split("\n").flatMap((line) => {
    try {
      const entry = JSON.parse(line) as JsonValue;
      return isEntry(entry) ? [entry] : [];
    } catch {
      // An unfinished last line or a damaged line. The rest is still readable.
      return [];
    }
  });

const isEntry = (value: JsonValue | undefined): value is Record<string, JsonValue> => isRecord(value);

const contentOf = (entry: Entry): JsonValue | undefined => {
  const message = entry["message"];
  return isEntry(message) ? message["content"] : undefined;
};

/** Calls in this entry that start an agent, with its prompt. */
const agentCalls = (entry: Entry): [call: string, prompt: string][] => {
  const content = contentOf(entry);
  return (Array.isArray(content) ? content : []).flatMap((block): [string, string][] => {
    if (!isEntry(block) || block["type"] !== "tool_use") return [];
    const { id, input } = block;
    const prompt = isEntry(input) && "subagent_type" in input ? input["prompt"] : undefined;
    return typeof id === "string" && typeof prompt === "string" ? [[id, prompt]] : [];
  });
};

/** The agent whose report is in this entry. */
const launchedAgent = (entry: Entry): { id: string; toolUseId: string } | undefined => {
  const result = entry["toolUseResult"];
  const id = isEntry(result) ? result["agentId"] : undefined;
  const content = contentOf(entry);
  const block = Array.isArray(content) ? content[0] : undefined;
  const toolUseId = isEntry(block) ? block["tool_use_id"] : undefined;
  return typeof id === "string" && typeof toolUseId === "string" ? { id, toolUseId } : undefined;
};

/** The message that stdout would have had, or undefined for internal entries of the CLI. */
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
  // A prompt that joined a running turn is an attachment there, with the uuid with which it was sent.
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
