// One step of a scenario as the Messages API would send it: the events of a stream, or the single message that they add
// up to. Pure: it knows nothing of HTTP, time or attempts.
import type { Block, Step, Usage } from "./scenario.ts";

export interface StreamEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface Reply {
  readonly id: string;
  readonly model: string;
  readonly content: readonly RawBlock[];
  readonly stop: string;
  readonly usage: FullUsage;
  readonly stopSequence: string | null;
}

export type RawBlock = { readonly type: string; readonly [field: string]: unknown };

interface FullUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation: {
    readonly ephemeral_5m_input_tokens: number;
    readonly ephemeral_1h_input_tokens: number;
  };
  readonly service_tier: "standard";
}

const DEFAULT_DELTA_CHARS = 12;

/** `serial` is the number of this reply in its process. The message id and the ids of unnamed tool uses contain it. */
export const replyOf = (step: Step, serial: number, model: string): Reply => {
  let tools = 0;
  const content = (step.say ?? []).map((block) =>
    rawBlockOf(block, () => `toolu_sim_${numbered(serial)}_${String(++tools)}`),
  );
  const usesTool = content.some((block) => block.type === "tool_use");
  return {
    ...rawReplyOf(content, serial, model),
    stop: step.stop ?? (usesTool ? "tool_use" : "end_turn"),
    stopSequence: step.stop === "stop_sequence" ? "STOP" : null,
    usage: usageOf(step.usage, content),
  };
};

/** A reply whose blocks are written like the API writes them. */
export const rawReplyOf = (content: readonly RawBlock[], serial: number, model: string): Reply => ({
  id: `msg_sim_${numbered(serial)}`,
  model,
  content,
  stop: "end_turn",
  stopSequence: null,
  usage: usageOf(undefined, content),
});

const numbered = (serial: number): string => String(serial).padStart(4, "0");

/** The body of an answer that is not streamed. */
export const messageOf = (reply: Reply): Readonly<Record<string, unknown>> => ({
  id: reply.id,
  type: "message",
  role: "assistant",
  model: reply.model,
  content: reply.content,
  stop_reason: reply.stop,
  stop_sequence: reply.stopSequence,
  usage: reply.usage,
});

export const streamEventsOf = (reply: Reply, deltaChars = DEFAULT_DELTA_CHARS): readonly StreamEvent[] => {
  const events: StreamEvent[] = [
    {
      type: "message_start",
      message: {
        ...messageOf(reply),
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...reply.usage, output_tokens: Math.min(1, reply.usage.output_tokens) },
      },
    },
    { type: "ping" },
  ];
  for (const [index, block] of reply.content.entries()) {
    const { start, deltas } = partsOf(block, deltaChars);
    events.push({ type: "content_block_start", index, content_block: start });
    for (const delta of deltas) events.push({ type: "content_block_delta", index, delta });
    events.push({ type: "content_block_stop", index });
  }
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = reply.usage;
  events.push({
    type: "message_delta",
    delta: { stop_reason: reply.stop, stop_sequence: reply.stopSequence },
    usage: { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens },
  });
  events.push({ type: "message_stop" });
  return events;
};

const rawBlockOf = (block: Block, toolId: () => string): RawBlock => {
  if ("text" in block) return { type: "text", text: block.text };
  if ("thinking" in block) {
    return {
      type: "thinking",
      thinking: block.thinking,
      signature: block.signature ?? "c2ltdWxhdGVkIHNpZ25hdHVyZQ==",
    };
  }
  if ("redactedThinking" in block) return { type: "redacted_thinking", data: block.redactedThinking };
  return { type: "tool_use", id: block.id ?? toolId(), name: block.tool, input: block.input };
};

const partsOf = (
  block: RawBlock,
  deltaChars: number,
): { readonly start: RawBlock; readonly deltas: readonly StreamEvent[] } => {
  switch (block.type) {
    case "text":
      return {
        start: { type: "text", text: "" },
        deltas: pieces(String(block.text), deltaChars).map((text) => ({
          type: "text_delta",
          text,
        })),
      };
    case "thinking":
      return {
        start: { type: "thinking", thinking: "", signature: "" },
        deltas: [
          ...pieces(String(block.thinking), deltaChars).map((thinking) => ({
            type: "thinking_delta",
            thinking,
          })),
          { type: "signature_delta", signature: block.signature },
        ],
      };
    case "tool_use":
    case "server_tool_use":
      // The real API starts the input with an empty piece.
      return {
        start: { ...block, input: {} },
        deltas: ["", ...pieces(JSON.stringify(block.input), deltaChars)].map((partial_json) => ({
          type: "input_json_delta",
          partial_json,
        })),
      };
    default:
      return { start: block, deltas: [] };
  }
};

/** Cuts at code points, so that no piece ends inside a surrogate pair. */
const pieces = (text: string, size: number): readonly string[] => {
  const points = Array.from(text);
  const result: string[] = [];
  for (let at = 0; at < points.length; at += size) result.push(points.slice(at, at + size).join(""));
  return result;
};

const usageOf = (usage: Usage | undefined, content: readonly RawBlock[]): FullUsage => ({
  input_tokens: usage?.input_tokens ?? 20,
  output_tokens: usage?.output_tokens ?? Math.max(1, Math.ceil(JSON.stringify(content).length / 4)),
  cache_creation_input_tokens: usage?.cache_creation_input_tokens ?? 0,
  cache_read_input_tokens: usage?.cache_read_input_tokens ?? 0,
  cache_creation: {
    ephemeral_5m_input_tokens: usage?.cache_creation_input_tokens ?? 0,
    ephemeral_1h_input_tokens: 0,
  },
  service_tier: "standard",
});
