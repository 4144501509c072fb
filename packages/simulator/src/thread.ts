// One conversation with the model, of the main agent or of a subagent. It has answers, tool calls and the CLI's own
// messages, until the model stops or is stopped. `attempts` gets each answer.
import { speak } from "./attempts.ts";
import { apiError, brokenAnswer } from "./failed-answer.ts";
import type { Json } from "./json.ts";
import type { ApiMessage } from "./scenario.ts";
import { INTERRUPTED_TOOLS, markInterrupted } from "./streamed-answer.ts";
import type { Played } from "./streamed-answer.ts";
import type { Session, Thread, ThreadEnd } from "./session-contract.ts";

/** What may happen only a limited number of times in a thread's run. */
interface Once {
  empty: boolean;
  refused: boolean;
  stopHook: boolean;
  resumed: number;
}

const MAX_STRUCTURE_TRIES = 5;
const MAX_RESUMED = 3;

export const converse = async (session: Session, thread: Thread): Promise<ThreadEnd> => {
  const once: Once = { empty: false, refused: false, stopHook: false, resumed: 0 };
  let structureFailures = 0;
  for (let steps = 1; ; steps++) {
    const isMain = thread.agent === undefined;
    if (isMain && session.options.partialMessages)
      session.voice.emit({ type: "system", subtype: "status", status: "requesting", ...marks(thread) });
    if (isMain && session.isOverBudget(0)) return { kind: "budget", stop: null };

    const spoken = await speak(session, thread, once.refused);
    if (spoken.kind === "failed") return apiError(session, thread, spoken.failure);
    if (spoken.kind === "refused") {
      return { kind: "api-error", text: spoken.text, error: {}, terminal: "api_error", stop: "refusal" };
    }
    if (spoken.kind === "aborted") return { kind: "aborted", during: "streaming", text: spoken.text, stop: null };
    // Thoughts alone are not sent back to the model.
    const isKept = spoken.kind === "spoke" || spoken.content.some(({ type }) => type !== "thinking");
    if (isKept && spoken.content.length > 0) thread.messages.push({ role: "assistant", content: spoken.content });
    if (spoken.kind === "broke") {
      const canResume = spoken.calls.isEmpty && once.resumed++ < MAX_RESUMED;
      if (canResume) {
        thread.messages.push(resume(session, thread));
        continue;
      }
      const end = brokenAnswer(session, thread, spoken.isError, !spoken.calls.isEmpty);
      if (spoken.calls.isEmpty) return end;
    } else if (spoken.overBudget) return { kind: "budget", stop: spoken.stop };

    if (spoken.kind === "spoke" && spoken.calls.isEmpty) {
      const feedback = await feedbackOn(session, thread, spoken, once);
      if (feedback === undefined) return { kind: "done", text: spoken.text, stop: spoken.stop };
      thread.messages.push({ role: "user", content: [{ type: "text", text: feedback }] });
      continue;
    }

    const stop = spoken.kind === "spoke" ? spoken.stop : "tool_use";
    const results = await spoken.calls.settled();
    thread.messages.push({ role: "user", content: results });
    if (thread.turn?.stopped !== undefined) {
      session.voice.emit({
        type: "system",
        subtype: "informational",
        content: thread.turn.stopped,
        level: "warning",
      });
      return { kind: "aborted", during: "tools", text: spoken.text, stop };
    }
    if (thread.signal.aborted) {
      markInterrupted(session, thread, INTERRUPTED_TOOLS);
      return { kind: "aborted", during: "tools", text: spoken.text, stop };
    }
    const structured = spoken.calls.structured;
    if (structured?.ok === true)
      return { kind: "done", text: JSON.stringify(structured.value), stop, structured: structured.value };
    if (structured?.ok === false && ++structureFailures >= MAX_STRUCTURE_TRIES) {
      return { kind: "no-structure", stop, error: structured.error };
    }
    if (isMain && session.options.maxTurns !== undefined && steps >= session.options.maxTurns) {
      return { kind: "max-turns", stop };
    }
    if (isMain) session.foldQueue(thread);
  }
};

const marks = (thread: Thread): Json =>
  thread.turn === undefined || thread.turn.uuids.length === 0 ? {} : { user_message_uuids: [...thread.turn.uuids] };

/** A text of role user that the CLI itself adds. */
const say = (session: Session, thread: Thread, text: string, extra: Json = {}): void => {
  session.voice.user({ content: [{ type: "text", text }], thread, extra });
};

/** Asks the model to continue where its stream broke off. */
const resume = (session: Session, thread: Thread): ApiMessage => {
  const text =
    thread.agent === undefined
      ? "Your response above was cut off mid-stream. Resume directly from where it stops — no apology, no recap. If none of it survived, answer the request from the start."
      : "Your response above was cut off mid-stream and only your next message is delivered. Write the complete response again from the start — no apology, no mention of the cut-off.";
  if (thread.agent === undefined || thread.agent.shows("text")) say(session, thread, text, { isSynthetic: true });
  return { role: "user", content: `<system-reminder>${text}</system-reminder>` };
};

/** The CLI's own answer to a message without tools, so that the model continues. Undefined: the turn is over. */
const feedbackOn = async (
  session: Session,
  thread: Thread,
  spoken: Extract<Played, { kind: "spoke" }>,
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
