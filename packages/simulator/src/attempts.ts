// One API message, with all its attempts: which failures are retried, after how long, and what the host sees of that.
// `streamed-answer` shows what each attempt writes.
import { pause } from "./pause.ts";
import type { Failure } from "./scenario.ts";
import { INTERRUPTED, markInterrupted, play } from "./streamed-answer.ts";
import type { Played } from "./streamed-answer.ts";
import { ToolCalls } from "./tool-call.ts";
import type { Session, Thread } from "./session-contract.ts";

export type Spoken = Played | { readonly kind: "failed"; readonly failure: Failure | undefined };

/** One API message. `failed` means that no answer came. */
export const speak = async (session: Session, thread: Thread, hasRefused: boolean): Promise<Spoken> => {
  const maxRetries = Number(process.env.CLAUDE_CODE_MAX_RETRIES ?? 10);
  let streams = true;
  for (let retries = 0; ;) {
    if (thread.signal.aborted) {
      markInterrupted(session, thread, INTERRUPTED);
      return { kind: "aborted", text: "", calls: new ToolCalls(session, thread) };
    }
    if (session.needsLogin) return { kind: "failed", failure: undefined };
    const attempt = session.model.attempt(thread.messages, thread.model, { planFile: session.planFile }, streams);
    if (attempt.kind === "stream") {
      if (retries > 0) thread.agent?.onRetry(undefined);
      const played = await play(session, thread, attempt, { streams, hasRefused });
      // Complete blocks stay, and the conversation continues from there.
      if (played.kind !== "broke" || played.content.length > 0) return played;
      if (played.isError || retries >= maxRetries) {
        // After an error in a stream, or after streams that keep breaking, the CLI asks once more without streaming.
        streams = false;
        continue;
      }
    }
    const failure: Failure = attempt.kind === "failure" ? attempt.failure : { status: 0 };
    if (!isRetried(failure.status) || retries >= maxRetries) return { kind: "failed", failure };
    const delay = delayBefore(retries, failure);
    retries++;
    const retry = {
      attempt: retries,
      max_retries: maxRetries,
      retry_delay_ms: delay,
      error_status: failure.status === 0 ? null : failure.status,
    };
    const error = retryName(failure.status);
    if (thread.agent === undefined) session.voice.emit({ type: "system", subtype: "api_retry", ...retry, error });
    else thread.agent.onRetry({ ...retry, error_category: error });
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
