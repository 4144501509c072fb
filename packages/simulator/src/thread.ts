// One line of conversation with the model, the main one or a subagent's: requests, retries, streamed blocks, tool calls,
// until the model stops or something stops it. It owns the order of what is written about one API message.
import { isRecord } from "./json.ts";
import type { Json } from "./json.ts";
import type { Attempt } from "./model.ts";
import type { AgentRun } from "./agents.ts";
import type { ApiBlock, ApiMessage, Failure } from "./scenario.ts";
import type { Session } from "./session.ts";
import type { TurnMarks } from "./turn-state.ts";
import { ToolCalls } from "./tool-call.ts";
import { apiError, refuse } from "./failed-answer.ts";
import { costOf, usageOf } from "./usage.ts";

export interface Thread {
  readonly messages: ApiMessage[];
  readonly signal: AbortSignal;
  readonly agent: AgentRun | undefined;
  readonly model: string;
  /** The main thread's turn; a subagent has none. */
  readonly turn: TurnMarks | undefined;
}

export type ThreadEnd =
  | { readonly kind: "done"; readonly text: string; readonly stop: string | null; readonly structured?: unknown }
  | {
      readonly kind: "aborted";
      readonly during: "streaming" | "tools";
      readonly text: string;
      readonly stop: string | null;
    }
  | {
      readonly kind: "api-error";
      readonly text: string;
      readonly error: Json;
      readonly terminal: string;
      readonly stop: string;
    }
  | { readonly kind: "max-turns"; readonly stop: string | null }
  | { readonly kind: "budget"; readonly stop: string | null }
  | { readonly kind: "no-structure"; readonly stop: string | null; readonly error: string };

type Spoken =
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
  | { readonly kind: "failed"; readonly failure: Failure | undefined }
  | { readonly kind: "refused"; readonly text: string };

/** What may happen only once in a thread's run. */
interface Once {
  empty: boolean;
  refused: boolean;
  stopHook: boolean;
}

export const INTERRUPTED = "[Request interrupted by user]";
export const INTERRUPTED_TOOLS = "[Request interrupted by user for tool use]";
const MAX_STRUCTURE_TRIES = 5;

export const converse = async (session: Session, thread: Thread): Promise<ThreadEnd> => {
  const once: Once = { empty: false, refused: false, stopHook: false };
  let structureFailures = 0;
  for (let steps = 1; ; steps++) {
    const isMain = thread.agent === undefined;
    if (isMain && session.options.partialMessages)
      session.voice.emit({ type: "system", subtype: "status", status: "requesting", ...marks(thread) });
    if (isMain && session.isOverBudget(0)) return { kind: "budget", stop: null };

    const spoken = await speak(session, thread, once);
    if (spoken.kind === "failed") return apiError(session, thread, spoken.failure);
    if (spoken.kind === "refused") {
      return { kind: "api-error", text: spoken.text, error: {}, terminal: "api_error", stop: "refusal" };
    }
    if (spoken.kind === "aborted") return { kind: "aborted", during: "streaming", text: spoken.text, stop: null };
    if (spoken.content.length > 0) thread.messages.push({ role: "assistant", content: spoken.content });
    if (spoken.overBudget) return { kind: "budget", stop: spoken.stop };

    if (spoken.calls.isEmpty) {
      const feedback = await feedbackOn(session, thread, spoken, once);
      if (feedback === undefined) return { kind: "done", text: spoken.text, stop: spoken.stop };
      thread.messages.push({ role: "user", content: [{ type: "text", text: feedback }] });
      continue;
    }

    const results = await spoken.calls.settled();
    thread.messages.push({ role: "user", content: results });
    if (thread.signal.aborted) {
      markInterrupted(session, thread, INTERRUPTED_TOOLS);
      return { kind: "aborted", during: "tools", text: spoken.text, stop: spoken.stop };
    }
    const structured = spoken.calls.structured;
    if (structured?.ok === true)
      return { kind: "done", text: JSON.stringify(structured.value), stop: spoken.stop, structured: structured.value };
    if (structured?.ok === false && ++structureFailures >= MAX_STRUCTURE_TRIES) {
      return { kind: "no-structure", stop: spoken.stop, error: structured.error };
    }
    if (isMain && session.options.maxTurns !== undefined && steps >= session.options.maxTurns) {
      return { kind: "max-turns", stop: spoken.stop };
    }
    if (isMain) session.foldQueue(thread);
  }
};

const marks = (thread: Thread): Json =>
  thread.turn === undefined || thread.turn.uuids.length === 0 ? {} : { user_message_uuids: [...thread.turn.uuids] };

/** A plain text of role user that the CLI adds for itself. */
const say = (session: Session, thread: Thread, text: string, extra: Json = {}): void => {
  session.voice.user({ content: [{ type: "text", text }], thread, extra });
};

/** Nothing is said for a turn that a newer prompt replaced, nor for a subagent that ends with its turn. */
const markInterrupted = (session: Session, thread: Thread, text: string): void => {
  if (thread.turn?.preempted === true) return;
  if (thread.agent === undefined || thread.agent.isStopped()) say(session, thread, text);
};

/** What the CLI itself answers to a message without tools, so that the model goes on; undefined: the turn is over. */
const feedbackOn = async (
  session: Session,
  thread: Thread,
  spoken: Extract<Spoken, { kind: "spoke" }>,
  once: Once,
): Promise<string | undefined> => {
  if (spoken.stop === "max_tokens") {
    const text =
      "Output token limit hit. Resume directly — no apology, no recap of what you were doing. Pick up mid-thought if that is where the cut happened. Break remaining work into smaller pieces.";
    say(session, thread, text, { isSynthetic: true });
    return text;
  }
  if (spoken.stop === "refusal" && !once.refused) {
    once.refused = true;
    session.voice.emit({
      type: "system",
      subtype: "informational",
      content: `${session.modelName()}'s safeguards stopped the response above · continuing once with that noted`,
      level: "notice",
    });
    const text =
      "Your response above was stopped by a safety classifier — this is not a tool or API error. The rest of it was withheld, and tool calls in it that had not finished did not run. Do not produce that content again, even reworded.";
    say(session, thread, text, { isSynthetic: true, refused_message_id: spoken.messageId });
    return text;
  }
  if (spoken.content.length === 0 && !once.empty) {
    once.empty = true;
    const text = "[Your previous response had no visible output. Please continue and produce a user-visible response.]";
    say(session, thread, text, { isSynthetic: true });
    return text;
  }
  if (thread.agent !== undefined) return undefined;
  const blocked = await session.hooks.stop(once.stopHook, spoken.text, thread.signal);
  if (blocked === undefined) return undefined;
  once.stopHook = true;
  const text = `Stop hook feedback:\n${blocked}`;
  say(session, thread, text, { isSynthetic: true });
  session.voice.emit({
    type: "system",
    subtype: "notification",
    key: "stop-hook-error",
    text: "Stop hook error occurred · ctrl+o to see",
    priority: "immediate",
  });
  return text;
};

/** One API message, with as many attempts as it takes. */
const speak = async (session: Session, thread: Thread, once: Once): Promise<Spoken> => {
  const maxRetries = Number(process.env.CLAUDE_CODE_MAX_RETRIES ?? 10);
  let streams = true;
  for (let retries = 0; ;) {
    if (thread.signal.aborted) {
      markInterrupted(session, thread, INTERRUPTED);
      return { kind: "aborted", text: "", calls: new ToolCalls(session, thread) };
    }
    if (session.needsLogin) return { kind: "failed", failure: undefined };
    const attempt = session.model.attempt(thread.messages, thread.model, { planFile: session.planFile });
    if (attempt.kind === "stream" && (attempt.cut === undefined || attempt.cut.error !== undefined)) {
      const spoken = await play(session, thread, attempt, streams, once);
      if (spoken !== undefined) return spoken;
      // The stream broke with an error: the CLI asks again without streaming.
      streams = false;
      continue;
    }
    const failure: Failure = attempt.kind === "failure" ? attempt.failure : { status: 0 };
    if (!isRetried(failure.status) || retries >= maxRetries) return { kind: "failed", failure };
    const delay = delayBefore(retries, failure);
    retries++;
    if (thread.agent === undefined) {
      session.voice.emit({
        type: "system",
        subtype: "api_retry",
        attempt: retries,
        max_retries: maxRetries,
        retry_delay_ms: delay,
        error_status: failure.status === 0 ? null : failure.status,
        error: retryName(failure.status),
      });
    }
    await pause(delay, thread.signal);
  }
};

const isRetried = (status: number): boolean =>
  status === 0 || status === 401 || status === 408 || status === 409 || status === 429 || status >= 500;

const delayBefore = (retries: number, failure: Failure): number => {
  const after = Number(failure.headers?.["retry-after"]);
  return Number.isFinite(after) ? after * 1000 : Math.round(500 * 2 ** retries * (1 + Math.random() / 4));
};

const retryName = (status: number): string => {
  if (status === 401) return "authentication_failed";
  if (status === 429) return "rate_limit";
  if (status === 529) return "overloaded";
  return status >= 500 ? "server_error" : "unknown";
};

interface OpenBlock {
  readonly index: number;
  readonly block: Json;
  text: string;
  readonly since: number;
}

/** Writes one stream; undefined if it broke with an error. */
const play = async (
  session: Session,
  thread: Thread,
  attempt: Extract<Attempt, { kind: "stream" }>,
  streams: boolean,
  once: Once,
): Promise<Spoken | undefined> => {
  const { reply, events, pace, requestId } = attempt;
  const { signal, turn } = thread;
  const calls = new ToolCalls(session, thread);
  const visible = thread.agent === undefined && session.options.partialMessages && streams;
  const sentAt = Date.now();
  const overBudget = thread.agent === undefined && session.isOverBudget(costOf(thread.model, reply.usage));
  const base = { id: reply.id, type: "message", role: "assistant", model: reply.model };
  let usage: unknown = {};
  let open: OpenBlock | undefined;
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
        stream(event);
        break;
      }
      case "message_delta":
        if (reply.stop === "refusal" && once.refused) refusal = refuse(session, thread, requestId, reply.id);
        stream(event);
        break;
      default:
        stream(event);
    }
  }
  if (attempt.cut !== undefined) {
    if (open !== undefined) stream({ type: "content_block_stop", index: open.index });
    stream(
      { type: "message_stop" },
      { abandoned_blocks: { api_message_id: reply.id, from_block_index: open?.index ?? 0 } },
    );
    return undefined;
  }
  session.ledger.add(thread.model, reply.usage, Date.now() - sentAt, thread.agent === undefined);
  thread.agent?.onMessage(reply.usage, said);
  if (refusal !== undefined) return { kind: "refused", text: refusal };
  return {
    kind: "spoke",
    text: said,
    stop: reply.stop,
    calls,
    content: reply.content,
    messageId: reply.id,
    overBudget,
  };

  async function abort(): Promise<Spoken> {
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

/** Ends early when the signal fires. */
export const pause = (ms: number | undefined, signal: AbortSignal): Promise<void> => {
  if (ms === undefined || ms <= 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
  });
};

/** Lets stdin be read. */
const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
