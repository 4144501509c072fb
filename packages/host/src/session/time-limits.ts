// Default time limits, so that no promise of a session stays open forever.

export interface TimeLimits {
  /** For the answer to a control request. The CLI may not answer while a tool runs. Default: two minutes. */
  readonly requestMs?: number;
  /** For an interrupt to take effect. Default: half a minute. */
  readonly interruptMs?: number;
  /**
   * How long the CLI may be silent while `ask` or `reply` waits for the end of a turn. The limit pauses while a person
   * is asked or a tool runs. It also applies to a control request whose answer waits for a login, a tool or the model.
   * Default: one hour.
   */
  readonly silenceMs?: number;
}

export const DEFAULT_LIMITS: Required<TimeLimits> = { requestMs: 120_000, interruptMs: 30_000, silenceMs: 3_600_000 };

const MAX_TIMER_MS = 2_147_483_647;

/** `Infinity`, and times that a timer cannot count, mean no limit. */
export const afterMs = (ms: number, then: () => void): NodeJS.Timeout | undefined =>
  ms > MAX_TIMER_MS ? undefined : setTimeout(then, ms);

export const durationWords = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`);
