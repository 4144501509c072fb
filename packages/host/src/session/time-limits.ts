// How long is waited where the caller says nothing: no promise of a session is left open for ever.

export interface TimeLimits {
  /** For the answer to a control request. The CLI may not answer while a tool runs. Default: two minutes. */
  readonly requestMs?: number;
  /** For an interrupt to be taken. Default: half a minute. */
  readonly interruptMs?: number;
  /**
   * For a sign of life while `ask` or `reply` waits for the end of a turn, which may take for ever. Not while a person is asked or a
   * tool runs: those take as long as they take. And for the answer to a control request that itself waits for a login, a tool or the
   * model. Default: one hour.
   */
  readonly silenceMs?: number;
}

export const DEFAULT_LIMITS: Required<TimeLimits> = { requestMs: 120_000, interruptMs: 30_000, silenceMs: 3_600_000 };

const MAX_TIMER_MS = 2_147_483_647;

/** `Infinity`, and what a timer cannot count, is no limit. */
export const afterMs = (ms: number, then: () => void): NodeJS.Timeout | undefined =>
  ms > MAX_TIMER_MS ? undefined : setTimeout(then, ms);

export const inWords = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`);
