// One attempt at one API message, written as it arrives: stream events, a message for each block, and the tools that it
// starts. It handles answers that end early, by an interrupt or a broken stream. `attempts` decides whether to retry.
import { isRecord } from "./json.ts";
import type { Json } from "./json.ts";
import { refuse } from "./failed-answer.ts";
import type { Attempt } from "./model.ts";
import { pause } from "./pause.ts";
import type { ApiBlock } from "./scenario.ts";
import { ToolCalls } from "./tool-call.ts";
import { costOf, usageOf } from "./usage.ts";
import type { Session, Thread } from "./session-contract.ts";

export type Played =
  | {
      readonly kind: "spoke";
      readonly text: string;
      readonly stop: string;
      readonly calls: ToolCalls;
      readonly content: readonly ApiBlock[];
      readonly messageId: string;
      readonly overBudget: boolean;
    }
  | { readonly kind: "aborted"; readonly text: string; readonly calls: ToolCalls }
  | { readonly kind: "refused"; readonly text: string }
  /** The stream ended in the middle. `content` has the complete blocks. */
  | {
      readonly kind: "broke";
      readonly isError: boolean;
      readonly text: string;
      readonly calls: ToolCalls;
      readonly content: readonly ApiBlock[];
    };

export const INTERRUPTED = "[Request interrupted by user]";
export const INTERRUPTED_TOOLS = "[Request interrupted by user for tool use]";

interface OpenBlock {
  readonly index: number;
  readonly block: Json;
  text: string;
  readonly since: number;
}

/** Writes one attempt until it ends, breaks or is stopped. */
export const play = async (
  session: Session,
  thread: Thread,
  attempt: Extract<Attempt, { kind: "stream" }>,
  how: { readonly streams: boolean; readonly hasRefused: boolean },
): Promise<Played> => {
  const { streams } = how;
  const { reply, events, pace, requestId } = attempt;
  const { signal, turn } = thread;
  const calls = new ToolCalls(session, thread, reply.id);
  const visible = thread.agent === undefined && session.options.partialMessages && streams;
  const sentAt = Date.now();
  const overBudget = thread.agent === undefined && session.isOverBudget(costOf(thread.model, reply.usage));
  const base = { id: reply.id, type: "message", role: "assistant", model: reply.model };
  let usage: unknown = {};
  const content: ApiBlock[] = [];
  let open: OpenBlock | undefined;
  let isWhole = false;
  let estimated = 0;
  let said = "";
  let refusal: string | undefined;
  const stream = (event: Json, extra: Json = {}): void => {
    if (!visible) return;
    session.voice.emit({ type: "stream_event", event, parent_tool_use_id: null, ...extra, api_message_id: reply.id });
  };
  const assistant = (block: Json, extra: Json): void => {
    const first = turn?.firstMarks ?? {};
    if (turn !== undefined) turn.firstMarks = {};
    session.voice.assistant({
      message: {
        ...base,
        content: [block],
        stop_reason: streams ? null : reply.stop,
        stop_sequence: null,
        usage,
        context_management: null,
      },
      thread,
      extra: { request_id: requestId, ...extra, ...first },
    });
  };

  await pause(pace.firstMs, signal);
  for (const [at, event] of events.entries()) {
    if (event.type === "content_block_delta") await pause(pace.deltaMs, signal);
    if (signal.aborted) return abort();
    if (at % 64 === 63) await breathe();
    await session.output.room();
    switch (event.type) {
      case "message_start": {
        const message = isRecord(event.message) ? event.message : {};
        usage = streams ? message.usage : usageOf(reply.usage);
        const ttft = Date.now() - sentAt;
        if (turn !== undefined) {
          turn.firstByteAt ??= Date.now();
          turn.firstRequest ??= {
            sentAt,
            inputTokens: reply.usage.input_tokens,
            cacheRead: reply.usage.cache_read_input_tokens,
          };
          turn.onFirstByte();
        }
        const first =
          turn !== undefined && "user_message_uuid" in turn.firstMarks ? { ...turn.firstMarks, owed_rows: [] } : {};
        stream(event, { ttft_ms: ttft, thinking_display: "updates", ...first });
        break;
      }
      case "content_block_start": {
        const block = isRecord(event.content_block) ? event.content_block : {};
        open = { index: Number(event.index), block, text: "", since: Date.now() };
        if (turn !== undefined) turn.firstContentAt ??= Date.now();
        stream(event, block.type === "thinking" ? { thinking_display: "updates" } : {});
        break;
      }
      case "content_block_delta": {
        const delta = isRecord(event.delta) ? event.delta : {};
        const piece = delta.text ?? delta.thinking ?? delta.partial_json;
        if (open !== undefined && typeof piece === "string") open.text += piece;
        if (delta.type === "thinking_delta" && thread.agent === undefined) {
          const tokens = Math.ceil((open?.text.length ?? 0) / 4);
          session.voice.emit({
            type: "system",
            subtype: "thinking_tokens",
            estimated_tokens: tokens,
            estimated_tokens_delta: tokens - estimated,
          });
          estimated = tokens;
        }
        stream(event, delta.type === "thinking_delta" ? { thinking_display: "updates" } : {});
        break;
      }
      case "content_block_stop": {
        const block = reply.content[Number(event.index)]!;
        const thinks = block.type === "thinking";
        if (block.type === "text") said = String(block.text);
        const timing =
          thinks && thread.agent === undefined
            ? { thinking_duration_ms: Date.now() - (open?.since ?? Date.now()), thinking_display: "updates" }
            : {};
        const call = block.type === "tool_use" ? calls.prepare(block) : undefined;
        const shown = call?.shown ?? block;
        if (call !== undefined) thread.agent?.onTool(call, reply.usage);
        if (thread.agent === undefined || thread.agent.shows(block.type))
          assistant(shown, { ...timing, ...call?.meta });
        if (call !== undefined) {
          thread.agent?.afterTool(call, reply.usage);
          if (!overBudget) calls.start(call);
        }
        open = undefined;
        content.push(block);
        stream(event);
        break;
      }
      case "message_delta":
        isWhole = true;
        if (reply.stop === "refusal" && how.hasRefused) refusal = refuse(session, thread, requestId, reply.id);
        stream(event);
        break;
      default:
        stream(event);
    }
  }
  if (attempt.cut !== undefined && !isWhole) {
    // An incomplete tool input is dropped silently.
    if (open !== undefined && open.block.type !== "tool_use") stream({ type: "content_block_stop", index: open.index });
    stream(
      { type: "message_stop" },
      { abandoned_blocks: { api_message_id: reply.id, from_block_index: content.length } },
    );
    session.ledger.add(thread.model, begun(reply.usage), Date.now() - sentAt, thread.agent === undefined);
    return { kind: "broke", isError: attempt.cut.error !== undefined, content, calls, text: said };
  }
  if (attempt.cut !== undefined) stream({ type: "message_stop" });
  session.ledger.add(thread.model, reply.usage, Date.now() - sentAt, thread.agent === undefined);
  thread.agent?.onMessage(reply.usage, said);
  if (refusal !== undefined) return { kind: "refused", text: refusal };
  return {
    kind: "spoke",
    text: said,
    stop: reply.stop,
    calls,
    content,
    messageId: reply.id,
    overBudget,
  };

  async function abort(): Promise<Played> {
    const partial = open !== undefined && open.block.type === "text" && open.text !== "" ? open.text : undefined;
    if (partial !== undefined && (thread.agent === undefined || thread.agent.shows("text"))) {
      assistant({ type: "text", text: partial }, { aborted: true });
      said = partial;
    }
    await calls.settled();
    markInterrupted(session, thread, calls.isEmpty ? INTERRUPTED : INTERRUPTED_TOOLS);
    thread.messages.push({ role: "assistant", content: partial ?? "" }, { role: "user", content: INTERRUPTED });
    if (open !== undefined) stream({ type: "content_block_stop", index: open.index });
    stream(ABORTED_DELTA(reply.usage.input_tokens));
    const from = open === undefined ? 0 : partial === undefined ? open.index : open.index + 1;
    stream({ type: "message_stop" }, { abandoned_blocks: { api_message_id: reply.id, from_block_index: from } });
    return { kind: "aborted", text: said, calls };
  }
};

/** The usage of a broken stream: the input, and the one token of its start. */
const begun = <U extends { readonly output_tokens: number }>(usage: U): U => ({
  ...usage,
  output_tokens: Math.min(1, usage.output_tokens),
});

/** Nothing is written for a turn that a newer prompt replaced, or for a subagent that ends with its turn. */
export const markInterrupted = (session: Session, thread: Thread, text: string): void => {
  if (thread.turn?.preempted === true) return;
  if (thread.agent !== undefined && !thread.agent.isStopped()) return;
  session.voice.user({ content: [{ type: "text", text }], thread, extra: {} });
};

const ABORTED_DELTA = (inputTokens: number): Json => ({
  type: "message_delta",
  context_management: null,
  delta: { container: null, stop_details: null, stop_reason: null, stop_sequence: null },
  usage: {
    output_tokens_details: { thinking_tokens: 0 },
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    input_tokens: inputTokens,
    iterations: [],
    output_tokens: 1,
    server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
    fallback_credit: null,
  },
});

/** Lets stdin be read. */
const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
