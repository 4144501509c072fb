// The `result` of a turn and its fields.
import { subagentStatsOf } from "./agent-stats.ts";
import { RESULT_FAST_MODE } from "./facts.ts";
import type { Json } from "./json.ts";
import type { Session, ThreadEnd } from "./session-contract.ts";
import type { Turn } from "./turn-state.ts";
import { usageOf } from "./usage.ts";

const shared = (session: Session, turn: Turn): Json => ({
  duration_ms: Date.now() - turn.startedAt,
  num_turns: 1 + turn.marks.userMessages,
  total_cost_usd: session.ledger.costUSD,
  usage: usageOf(session.ledger.turnTokens),
  modelUsage: session.ledger.modelUsage(),
  permission_denials: turn.marks.denials,
  ...RESULT_FAST_MODE,
  subagent_stats: subagentStatsOf(session.agentStats),
  safety_stops: 0,
  ...(turn.prompts.at(-1)?.origin === undefined ? {} : { origin: turn.prompts.at(-1)?.origin }),
  ...(turn.marks.uuids.length === 0
    ? {}
    : {
        user_message_uuid: turn.prompts.at(-1)?.uuid ?? turn.marks.uuids[0],
        user_message_uuids: [...turn.marks.uuids],
      }),
});

/** The result of a turn that did not call a model. */
export const localResult = (session: Session, turn: Turn, result: string, extra: Json = {}): void => {
  session.emitResult(
    {
      subtype: "success",
      is_error: false,
      ...shared(session, turn),
      duration_api_ms: 0,
      num_turns: 0,
      stop_reason: null,
      result,
      ...extra,
    },
    false,
  );
};

export const modelResult = (session: Session, turn: Turn, end: ThreadEnd): boolean => {
  const { marks } = turn;
  const base = { ...shared(session, turn), duration_api_ms: session.ledger.apiMs };
  const failed = (subtype: string, reason: string, stop: string | null, error: string): true => {
    session.emitResult(
      {
        ...base,
        subtype,
        is_error: true,
        terminal_reason: reason,
        stop_reason: stop,
        errors: [error, ...(marks.stopped === undefined ? [] : [marks.stopped])],
        ...(marks.stopped === undefined ? {} : { stopped_by_permission_check: true }),
      },
      true,
    );
    return true;
  };
  const succeeded = (result: string, reason: string, stop: string | null, extra: Json): void => {
    session.emitResult(
      {
        ...base,
        subtype: "success",
        is_error: false,
        terminal_reason: reason,
        stop_reason: stop,
        api_error_status: null,
        result,
        ...extra,
        ...timings(turn),
        ...(marks.uuids.length === 0 || marks.firstRequest === undefined
          ? {}
          : {
              request_sent_wall_ms: marks.firstRequest.sentAt,
              first_request_input_tokens: marks.firstRequest.inputTokens,
              first_request_cache_read_input_tokens: marks.firstRequest.cacheRead,
            }),
      },
      false,
    );
  };
  switch (end.kind) {
    case "done":
      succeeded(end.text, "completed", end.stop, "structured" in end ? { structured_output: end.structured } : {});
      return false;
    case "aborted": {
      if (marks.preempted) {
        succeeded(end.text, "aborted_streaming", null, {});
        return false;
      }
      const diagnostic = `[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=${String(end.stop)}`;
      return failed("error_during_execution", `aborted_${end.during}`, end.stop, diagnostic);
    }
    case "api-error":
      session.emitResult(
        {
          ...base,
          subtype: "success",
          is_error: true,
          terminal_reason: end.terminal,
          stop_reason: end.stop,
          api_error_status: null,
          ...end.error,
          result: end.text,
        },
        true,
      );
      return true;
    case "max-turns":
      return failed(
        "error_max_turns",
        "max_turns",
        end.stop,
        `Reached maximum number of turns (${String(session.options.maxTurns)})`,
      );
    case "budget":
      return failed(
        "error_max_budget_usd",
        "budget_exhausted",
        end.stop,
        `Reached maximum budget ($${String(session.options.maxBudgetUsd)})`,
      );
    case "no-structure":
      return failed(
        "error_max_structured_output_retries",
        "structured_output_retry_exhausted",
        end.stop,
        `Failed to provide valid structured output after 5 attempts — last StructuredOutput error: ${end.error}`,
      );
  }
};

const timings = ({ marks, startedAt }: Turn): Json => {
  const since = (at: number | undefined): number => (at ?? startedAt) - startedAt;
  return {
    ttft_stream_ms: since(marks.firstByteAt),
    time_to_request_ms: since(marks.firstRequest?.sentAt),
    ...(marks.firstContentAt === undefined
      ? {}
      : { ttft_ms: since(marks.firstContentAt), first_content_frame_ms: since(marks.firstContentAt) }),
  };
};
