// Waits for the reply to a prompt: the end of the turn that answers it.

import { didNotRun, hasRun, mayBeSilent } from "@quarterdeck/session";
import type { PromptRow, TurnRow } from "@quarterdeck/session";
import { HostError } from "../host-error.ts";
import type { RequestOptions } from "./pending-requests.ts";
import type { SessionParts } from "./session-parts.ts";
import { afterMs, durationWords } from "./time-limits.ts";

export interface Reply {
  readonly uuid: string;
  /** How the turn ended: `ok`, cost, denials. */
  readonly turn: TurnRow;
  /** The last text of the turn. */
  readonly text: string;
  /** Structured output, if the session has a schema and the model followed it. */
  readonly output?: unknown;
}

/**
 * Resolves with the end of the turn, however it ended. Rejects if no turn will answer the prompt. A turn may never end,
 * so the wait stops after `timeoutMs`. Without it, the wait stops when the CLI was silent for too long while it should
 * act.
 */
export const replyTo = (parts: SessionParts, uuid: string, options: RequestOptions): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const { timeoutMs, signal } = options;
    let timer: NodeJS.Timeout | undefined;
    const settle = (done: () => void): void => {
      release();
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      done();
    };
    const look = (): void => {
      const found = outcomeOf(parts, uuid);
      if (found instanceof HostError) settle(() => reject(found));
      else if (found !== undefined) settle(() => resolve(found));
    };
    const onAbort = (): void =>
      settle(() => reject(new HostError("request-aborted", "The caller stopped waiting for the reply.", { uuid })));
    const giveUp = (why: string): void => {
      const message = `${why} ${adviceFor(parts)}`;
      settle(() => reject(new HostError("request-timeout", message, { uuid })));
    };
    const release = parts.subscribe((event) => {
      if (timeoutMs === undefined) timer?.refresh();
      if (event.type !== "streamed") look();
    });
    const { silenceMs } = parts.limits;
    const onSilence = (): void => {
      if (mayBeSilent(parts.fold.head.phase)) timer?.refresh();
      else giveUp(`The session was silent for ${durationWords(silenceMs)}.`);
    };
    timer =
      timeoutMs === undefined
        ? afterMs(silenceMs, onSilence)
        : afterMs(timeoutMs, () => giveUp(`No reply within ${durationWords(timeoutMs)}.`));
    signal?.addEventListener("abort", onAbort, { once: true });
    if (signal?.aborted === true) onAbort();
    else look();
  });

const adviceFor = ({ fold: { head } }: SessionParts): string => {
  const [asked] = head.requests;
  const waits = asked === undefined ? "" : `It waits for an answer to ${asked.id} (${asked.kind}). Call \`respond\`. `;
  return `${waits}The turn continues. Wait again with \`reply(uuid)\`, or end it with \`stop()\`.`;
};

const outcomeOf = (parts: SessionParts, uuid: string): Reply | HostError | undefined => {
  const row = parts.fold.row(`prompt/${uuid}`);
  if (row?.kind !== "prompt") return new HostError("unknown-prompt", `Prompt ${uuid} does not exist.`, { uuid });
  if (didNotRun(row.state)) {
    const why = row.reason === undefined ? "" : `: ${row.reason}`;
    const details = { uuid, state: row.state, ...(row.reason !== undefined && { reason: row.reason }) };
    return new HostError("not-run", `The prompt did not run (${row.state})${why}`, details);
  }
  const turn = hasRun(row.state) ? turnOf(parts, row) : undefined;
  if (turn !== undefined) return replyOf(parts, row, turn);
  // After the process has ended, its last messages may still be on their way into the log.
  const mayCome = parts.isLive || parts.fold.head.process?.running === true;
  return mayCome && !hasRun(row.state)
    ? undefined
    : new HostError("process-ended", "The process ended during the turn.", { uuid });
};

/** Newest rows first: a caller usually looks when the turn has just ended. */
const turnOf = ({ fold }: SessionParts, prompt: PromptRow): TurnRow | undefined => {
  for (let before = Infinity; before > prompt.order;) {
    const page = fold.rowsBefore(before, 20);
    const turn = page.find((row): row is TurnRow => row.kind === "turn" && row.prompts.includes(prompt.id));
    if (turn !== undefined || page.length === 0) return turn;
    before = page[0]!.order;
  }
  return undefined;
};

const replyOf = ({ fold }: SessionParts, prompt: PromptRow, turn: TurnRow): Reply => {
  let text = "";
  for (let before = turn.order; text === "" && before > prompt.order;) {
    const page = fold.rowsBefore(before, 20);
    const said = page.findLast((row) => (row.kind === "text" || row.kind === "command") && row.parent === undefined);
    if (said !== undefined && said.order > prompt.order) text = (said as { text: string }).text;
    if (page.length === 0) break;
    before = page[0]!.order;
  }
  const output = turn.structuredOutput === undefined ? {} : { output: turn.structuredOutput };
  return { uuid: prompt.uuid!, turn, text, ...output };
};
