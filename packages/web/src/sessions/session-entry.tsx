import type { SessionSummary } from "@quarterdeck/client";
import { memo } from "react";
import { formatAge } from "../words/format.ts";
import { hrefOf } from "../store/route.ts";
import { Dot } from "../parts/badge.tsx";
import { Icon } from "../parts/icon.tsx";
import { LineCounts } from "../parts/line-counts.tsx";
import { Menu } from "../parts/menu.tsx";
import { useClient, useSessionList } from "../store/client.tsx";
import { fleetOf, machinePlaceOf } from "../store/fleet.ts";
import { sessionMenu } from "./session-commands.ts";
import { gitFolderOf, useBrief } from "../store/git-briefs.ts";
import { BranchMark } from "./branch-mark.tsx";
import { forkWords, sessionTitleOf, namedWaitingLine, sessionWords } from "../words/session-words.ts";
import { WORDS } from "./words.ts";

export interface SessionEntryProps {
  readonly summary: SessionSummary;
  readonly open: boolean;
  readonly unread: boolean;
  readonly now: number;
}

/** The session has a worktree of its own. */
const WorktreeMark = ({
  summary,
  worktree,
}: {
  readonly summary: SessionSummary;
  readonly worktree: NonNullable<SessionSummary["worktree"]>;
}) => {
  const brief = useBrief(gitFolderOf(summary));
  return (
    <span className="entry-tree" title={WORDS.treeOf(worktree.repository, worktree.base)}>
      <Icon name="fork" size={12} />
      <span className="sr-only">{WORDS.tree}</span>
      <BranchMark brief={brief ?? { branch: worktree.branch, dirty: false }} />
    </span>
  );
};

/** Named by its parent: both usually have the same title. */
const ForkMark = ({ summary }: { readonly summary: SessionSummary }) => {
  const { sessions } = useSessionList();
  const words = forkWords(summary, sessions);
  return (
    <span className="entry-mark" title={words}>
      <Icon name="fork" size={12} /> <span>{words}</span>
      <span className="sr-only">. </span>
    </span>
  );
};

export const SessionEntry = memo(
  ({ summary, open, unread, now }: SessionEntryProps) => {
    const client = useClient();
    const { tone, line } = sessionWords(summary);
    const place = machinePlaceOf(summary);
    return (
      <li className={`entry ${open ? "entry-open" : ""} ${place?.isAway === true ? "entry-away" : ""}`}>
        <a href={hrefOf(summary.id)} aria-current={open ? "page" : undefined} className="entry-link">
          <Dot tone={tone} />
          <b className={unread ? "entry-unread" : ""}>
            {sessionTitleOf(summary)}
            {unread && <span className="sr-only"> {WORDS.unreadMark}</span>}
          </b>
          <time className="num">{formatAge(summary.updatedAt, now)}</time>
          <span className={`entry-line ${tone === "brass" ? "entry-waits" : ""}`}>
            {place !== undefined && <span className="entry-mark entry-place">{place.machine}</span>}
            {summary.forkOf !== undefined && <ForkMark summary={summary} />}
            {summary.archived && <span className="entry-mark">{WORDS.archivedMark}</span>}
            {summary.worktree !== undefined && <WorktreeMark summary={summary} worktree={summary.worktree} />}
            {summary.waiting.length > 0 ? namedWaitingLine(summary) : line}
          </span>
          <Figures summary={summary} />
        </a>
        <Menu
          className="entry-more"
          label={WORDS.menuFor(sessionTitleOf(summary))}
          items={() => sessionMenu(fleetOf(client)?.of(undefined, summary.id) ?? client, summary)}
        >
          <Icon name="more" />
        </Menu>
      </li>
    );
  },
  // The clock moves every entry's age, and only its text decides.
  (before, after) =>
    before.summary === after.summary &&
    before.open === after.open &&
    before.unread === after.unread &&
    formatAge(before.summary.updatedAt, before.now) === formatAge(after.summary.updatedAt, after.now),
);

/** What it changed. The cost stands in the status line. */
const Figures = ({ summary: { changes } }: { readonly summary: SessionSummary }) =>
  changes !== undefined && changes.files > 0 ? (
    <span className="entry-figures num">
      <LineCounts {...changes} />
    </span>
  ) : null;
