// One session on the board: as a card, or as one line.

import type { SessionSummary } from "@quarterdeck/client";
import { memo } from "react";
import { Button } from "../parts/button.tsx";
import { Dot } from "../parts/badge.tsx";
import { Icon } from "../parts/icon.tsx";
import { LineCounts } from "../parts/line-counts.tsx";
import { toastError } from "../parts/toast.tsx";
import { resume } from "../sessions/session-commands.ts";
import { useClient } from "../store/client.tsx";
import { fleetOf, machinePlaceOf } from "../store/fleet.ts";
import { gitFolderOf, useBrief } from "../store/git-briefs.ts";
import { may } from "../store/may.ts";
import { isPinned } from "../store/rail-choices.ts";
import { hrefOf } from "../store/route.ts";
import { wantRequest } from "../store/wanted-request.ts";
import { baseName, formatAge, formatCost } from "../words/format.ts";
import { askedWords, sessionTitleOf, waitingLine, sessionWords } from "../words/session-words.ts";
import { STATE_WORDS, type BoardEntry } from "./board-model.ts";
import { MachineName } from "./machine-name.tsx";
import { WORDS } from "./words.ts";

export interface EntryProps {
  readonly entry: BoardEntry;
  readonly picked: boolean;
  readonly onPick: (id: string, picked: boolean) => void;
  readonly now: number;
}

/** The clock moves every age; only its text decides whether a card is drawn again. */
const isSame = (a: EntryProps, b: EntryProps): boolean =>
  a.entry.summary === b.entry.summary &&
  a.entry.state === b.entry.state &&
  a.entry.unread === b.entry.unread &&
  a.picked === b.picked &&
  a.onPick === b.onPick &&
  formatAge(a.entry.summary.updatedAt, a.now) === formatAge(b.entry.summary.updatedAt, b.now);

export const PickBox = ({ entry: { summary }, picked, onPick }: Omit<EntryProps, "now">) => (
  <input
    type="checkbox"
    className="board-pick"
    aria-label={WORDS.select(sessionTitleOf(summary))}
    checked={picked}
    onChange={(event) => onPick(summary.id, event.target.checked)}
  />
);

export const useBranch = (summary: SessionSummary): string | undefined => {
  const brief = useBrief(gitFolderOf(summary));
  return summary.worktree?.branch ?? brief?.branch;
};

export const ChangedLines = ({ summary: { changes } }: { readonly summary: SessionSummary }) =>
  changes === undefined || changes.files === 0 ? null : (
    <span className="num board-changed">
      <LineCounts {...changes} />
    </span>
  );

/** Opens the session, at the request that waits longest. */
export const SessionLink = ({ entry }: { readonly entry: BoardEntry }) => {
  const { summary, unread } = entry;
  const [first] = summary.waiting;
  return (
    <a
      className={`board-link ${unread ? "board-unread" : ""}`}
      href={hrefOf(summary.id)}
      onClick={() => first !== undefined && wantRequest(first.id)}
    >
      {sessionTitleOf(summary)}
      {unread && <span className="sr-only"> {WORDS.unread}</span>}
    </a>
  );
};

const Asked = ({ summary }: { readonly summary: SessionSummary }) => {
  const first = summary.waiting[0]!;
  const action = first.kind === "question" ? WORDS.answer : WORDS.review;
  return (
    <>
      <p className="board-asks">{waitingLine(summary.waiting)}</p>
      <p className={`board-line board-asked ${first.tool === "Bash" ? "mono" : ""}`}>
        {askedWords(first, summary.cwd)}
      </p>
      <a
        className="btn btn-main btn-small"
        href={hrefOf(summary.id)}
        aria-label={WORDS.label(action, sessionTitleOf(summary))}
        onClick={() => wantRequest(first.id)}
      >
        {action}
      </a>
    </>
  );
};

export const Card = memo((props: EntryProps) => {
  const { entry, now } = props;
  const { summary, state } = entry;
  const here = useClient();
  const client = fleetOf(here)?.of(undefined, summary.id) ?? here;
  const place = machinePlaceOf(summary);
  const branch = useBranch(summary);
  const { line } = sessionWords(summary);
  return (
    <li
      className={`board-card board-${state} ${place?.isAway === true ? "board-away" : ""} ${props.picked ? "board-picked" : ""}`}
    >
      <div className="board-top">
        <SessionLink entry={entry} />
        {isPinned(summary.id) && (
          <span className="board-pin" title={WORDS.pinnedTip}>
            <Icon name="pin" size={13} />
            <span className="sr-only">{WORDS.pinned}</span>
          </span>
        )}
        <PickBox {...props} />
      </div>
      {state === "needs" ? <Asked summary={summary} /> : <p className="board-line">{line}</p>}
      {state === "failed" && may(client, "sessions/resume") && (
        <Button
          small
          aria-label={WORDS.label(WORDS.resume, sessionTitleOf(summary))}
          onClick={() => void resume(client, summary.id, summary.cwd).catch(toastError)}
        >
          {WORDS.resume}
        </Button>
      )}
      <p className="board-facts">
        <span title={summary.cwd}>
          {baseName(summary.project)}
          {branch !== undefined && ` · ${branch}`}
        </span>
        <ChangedLines summary={summary} />
      </p>
      <p className="board-facts num">
        <span>
          {state === "needs" ? WORDS.waits(formatAge(summary.waiting[0]!.at, now)) : formatAge(summary.updatedAt, now)}
          <span className="board-machine">
            {" "}
            · <MachineName summary={summary} />
          </span>
        </span>
        <span>{formatCost(summary.costUsd)}</span>
      </p>
    </li>
  );
}, isSame);

export const BoardRow = memo((props: EntryProps) => {
  const { summary, state } = props.entry;
  return (
    <li className={`board-row ${props.picked ? "board-picked" : ""}`}>
      <Dot tone={STATE_WORDS[state].tone} />
      <SessionLink entry={props.entry} />
      <time className="num">{formatAge(summary.updatedAt, props.now)}</time>
      <PickBox {...props} />
    </li>
  );
}, isSame);
