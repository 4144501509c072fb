// Rows that report an error and what to do next.

import { memo, type ReactNode } from "react";
import type { ErrorRow, RetryRow } from "@quarterdeck/client";
import { formatTime } from "../../words/format.ts";
import { Button } from "../../parts/button.tsx";
import { useNow } from "../../store/now.ts";
import { useHead, useIsLast, useScope } from "../scope.tsx";

const ERRORS: Readonly<Record<ErrorRow["source"], string>> = {
  api: "API error",
  limit: "Usage limit reached",
  auth: "Not logged in",
  process: "Claude Code stopped unexpectedly",
  refusal: "Claude declined",
  protocol: "Claude Code rejected a message",
  memory: "This session uses too much memory",
};

const NOT_STARTED = "not-started";
/** Codes that add nothing for a reader. */
const MUTE: ReadonlySet<string | undefined> = new Set([undefined, NOT_STARTED, "unknown"]);

export const ErrorView = memo(({ row }: { readonly row: ErrorRow }) => (
  <div className={`trouble trouble-${row.source}`} role="group" aria-label={ERRORS[row.source]}>
    <p className="trouble-title">
      <b>{row.code === NOT_STARTED ? "Claude Code couldn't start" : ERRORS[row.source]}</b>
      {row.status !== undefined && <span className="faint num">{row.status}</span>}
      {!MUTE.has(row.code) && <span className="faint mono">{row.code}</span>}
    </p>
    <div className="trouble-text">{row.text}</div>
    <NextStep row={row} />
  </div>
));

const NextStep = ({ row }: { readonly row: ErrorRow }): ReactNode => {
  const { actions } = useScope();
  const limit = useHead((head) => head.limit);
  const running = useHead((head) => head.process?.running !== false);
  const isLast = useIsLast(row.id, (other) => other.kind === "error" && other.source === row.source);
  switch (row.source) {
    case "auth":
      return (
        <p className="next">
          Log in on the machine: run <code>claude</code> there and type <code>/login</code>. Then send the message
          again.
        </p>
      );
    case "limit":
      return (
        <p className="next">
          {limit?.resetsAt === undefined
            ? "Wait, or switch to another model."
            : `The limit resets at ${formatTime(limit.resetsAt < 1e12 ? limit.resetsAt * 1000 : limit.resetsAt)}. Another model may be available now.`}
        </p>
      );
    case "process":
      return (
        <div className="next">
          <span>
            {running
              ? "The conversation is safe and has resumed."
              : row.code === NOT_STARTED
                ? "The conversation is safe. Fix the problem, then resume."
                : "The conversation is safe. Resume to continue. Work in progress was lost."}
          </span>
          {!running && isLast && actions.may("sessions/resume") && (
            <Button
              small
              tone="main"
              onClick={() => {
                actions
                  .resume()
                  .catch((error: unknown) =>
                    actions.toast(error instanceof Error ? error.message : String(error), { tone: "bad" }),
                  );
              }}
            >
              Resume
            </Button>
          )}
        </div>
      );
    case "refusal":
      return <p className="next">Rephrase your message, or choose another model.</p>;
    case "api":
      return (
        <p className="next">
          {row.status === 413 || /^prompt is too long/iu.test(row.text)
            ? "The conversation is too long. Send /compact to make room."
            : (row.status ?? 500) >= 500 || row.status === 429
              ? "This is a temporary problem. Send the message again later."
              : "Change the message or the model, then send it again."}
        </p>
      );
    case "memory":
      return <p className="next">Stop background tasks, or raise the limit in the server settings.</p>;
    case "protocol":
      return (
        <p className="next">The message was not accepted. To see it, open this row's menu and choose Raw messages.</p>
      );
  }
};

export const RetryView = memo(({ row }: { readonly row: RetryRow }) => (
  <div className="small-row">
    <p className="small-line">
      <b>{row.over ? "Retried" : "Retrying"}</b>
      <span>
        {row.attempt} of {row.of}
      </span>
      {!row.over && <Countdown until={row.at + row.delayMs} />}
      <span className="faint">
        {row.status !== null && `${row.status} `}
        {row.error}
      </span>
    </p>
  </div>
));

const Countdown = ({ until }: { readonly until: number }) => {
  const now = useNow();
  const left = Math.ceil((until - now) / 1000);
  return <span className="busy num">{left > 0 ? `in ${left} s` : "now"}</span>;
};
