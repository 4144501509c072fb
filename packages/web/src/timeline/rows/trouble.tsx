// Rows that report an error and what to do next.

import { memo, useState, type ReactNode } from "react";
import type { ErrorRow, RetryRow } from "@quarterdeck/client";
import { isResting } from "@quarterdeck/client/content";
import { formatTime } from "../../words/format.ts";
import { useKept } from "../../content/kept-choices.ts";
import { Button } from "../../parts/button.tsx";
import { TextButton } from "../../parts/text-button.tsx";
import { useNow } from "../../store/now.ts";
import { useScopeHead, useIsLast, useScope } from "../scope.tsx";
import { apiWords, BAD_KEY, retryWords, type ApiWords } from "./api-words.ts";
import { WORDS } from "../rare-words.ts";
import { fill } from "../../parts/fill.tsx";
import "./trouble.css";

const NOT_STARTED = "not-started";
/** Codes that add nothing for a reader. */
const MUTE: ReadonlySet<string | undefined> = new Set([
  undefined,
  NOT_STARTED,
  "unknown",
  "authentication_failed",
  "rate_limit",
]);

/** The API has too many requests at once. A usage limit of a plan is another thing: it has its own words below. */
const isManyRequests = ({ source, text }: ErrorRow): boolean => source === "limit" && /\(429\)|^API Error/u.test(text);

/** The CLI has a key from its environment, so a login would not help. */
const isBadKey = ({ source, text }: ErrorRow): boolean => source === "auth" && BAD_KEY.test(text);

const wordsOf = (row: ErrorRow): ApiWords | undefined =>
  row.source === "api" || isManyRequests(row) || isBadKey(row) ? apiWords(row) : undefined;

export const ErrorView = memo(({ row }: { readonly row: ErrorRow }) => {
  const words = wordsOf(row);
  const title = words?.title ?? (row.code === NOT_STARTED ? WORDS.notStarted : WORDS.errors[row.source]);
  const text = words?.text ?? row.text;
  return (
    <div className={`trouble trouble-${row.source}`} role="group" aria-label={title}>
      <p className="trouble-title">
        <b>{title}</b>
        {row.status !== undefined && <span className="faint num">{row.status}</span>}
        {words === undefined && !MUTE.has(row.code) && <span className="faint mono">{row.code}</span>}
      </p>
      {text !== "" && <div className="trouble-text">{text}</div>}
      <NextStep row={row} words={words} />
      {words?.raw !== undefined && <Raw id={row.id} text={words.raw} />}
    </div>
  );
});

const Raw = ({ id, text }: { readonly id: string; readonly text: string }) => {
  const [open, setOpen] = useKept(`raw/${id}`, false);
  return (
    <div className="trouble-raw">
      <TextButton expanded={open} onClick={() => setOpen(!open)}>
        {open ? WORDS.hideDetails : WORDS.details}
      </TextButton>
      {open && <div className="trouble-text mono">{text}</div>}
    </div>
  );
};

/** Sends the last message once more. Only where nothing was said after the error. */
const SendAgain = ({ row }: { readonly row: ErrorRow }) => {
  const { actions, view } = useScope();
  const rests = useScopeHead((head) => isResting(head.phase));
  const isLast = useIsLast(row.id, (other) => other.kind === "error" || other.kind === "prompt");
  const [sent, setSent] = useState(false);
  const prompt = view.snapshot.rows.findLast(
    (other) => other.kind === "prompt" && other.order < row.order && other.parent === undefined,
  );
  if (prompt?.kind !== "prompt" || typeof prompt.content !== "string" || prompt.origin !== undefined) return null;
  if (sent || !isLast || !rests || view.snapshot.readOnly || !actions.may("session/prompt")) return null;
  const { content } = prompt;
  return (
    <Button
      small
      onClick={() => {
        setSent(true);
        actions.sendAgain(content);
      }}
    >
      {WORDS.sendAgain}
    </Button>
  );
};

interface NextStepProps {
  readonly row: ErrorRow;
  readonly words: ApiWords | undefined;
}

const NextStep = ({ row, words }: NextStepProps): ReactNode => {
  const limit = useScopeHead((head) => head.limit);
  const running = useScopeHead((head) => head.process?.running !== false);
  // It stays true after a later process ended, too.
  const resumed = !useIsLast(
    row.id,
    (other) => other.id === row.id || (other.kind === "mark" && other.what === "resumed"),
  );
  switch (words === undefined ? row.source : "api") {
    case "auth":
      return (
        <div className="next">
          <span>{fill(WORDS.logIn, { claude: <code>claude</code>, login: <code>/login</code> })}</span>
          <SendAgain row={row} />
        </div>
      );
    case "limit":
      return (
        <p className="next">
          {limit?.resetsAt === undefined
            ? WORDS.limitWait
            : WORDS.limitUntil(formatTime(limit.resetsAt < 1e12 ? limit.resetsAt * 1000 : limit.resetsAt))}
        </p>
      );
    case "process":
      return (
        // The note above the message has the button.
        <p className="next">
          {running || resumed ? WORDS.safeResumed : row.code === NOT_STARTED ? WORDS.safeFix : WORDS.safe}
        </p>
      );
    case "refusal":
      return <p className="next">{WORDS.rephrase}</p>;
    case "api":
      return (
        <div className="next">
          <span>{words?.step}</span>
          {words?.again === true && <SendAgain row={row} />}
        </div>
      );
    case "memory":
      return <p className="next">{WORDS.freeMemory}</p>;
    case "protocol":
      return <p className="next">{WORDS.notAccepted}</p>;
  }
};

/** All retries of one request. While one is awaited, it counts down. */
export const RetryView = memo(({ row }: { readonly row: RetryRow }) => (
  <div className="small-row retry">
    <p className="small-line">
      <b>{row.over ? WORDS.retried(row.attempt) : WORDS.retrying}</b>
      <span className={row.over ? "faint" : undefined}>{retryWords(row)}</span>
      {!row.over && <span className="num">{WORDS.attempt(row.attempt, row.of)}</span>}
      {!row.over && <Countdown until={row.until} />}
    </p>
  </div>
));

const Countdown = ({ until }: { readonly until: number }) => {
  const now = useNow();
  const left = Math.ceil((until - now) / 1000);
  return <span className="busy num">{WORDS.inSeconds(left)}</span>;
};
