import type { Head, SessionSummary, SessionView } from "@quarterdeck/client";
import { memo } from "react";
import { Button, IconButton } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { LineCounts } from "../parts/line-counts.tsx";
import { Menu, type MenuItem } from "../parts/menu.tsx";
import { toastError } from "../parts/toast.tsx";
import { BranchMark, branchWords } from "../sessions/branch-mark.tsx";
import { fork, sessionMenu } from "../sessions/session-commands.ts";
import { forkWords, sessionTitleOf } from "../words/session-words.ts";
import { hrefOf } from "../store/route.ts";
import { useClient, useServerInfo, useSessionList } from "../store/client.tsx";
import { machinePlaceOf } from "../store/fleet.ts";
import { gitFolderOf, useBrief } from "../store/git-briefs.ts";
import { openFindBar } from "../store/find-bar.ts";
import { SHEET, useMedia } from "../store/media.ts";
import { useHead } from "../store/session.ts";
import { closeBench, openBench, showInBench, useBench } from "../store/workbench.ts";
import { formatCost, formatShare, shortPath } from "../words/format.ts";
import { hintOf } from "../keys/key-table.ts";
import { MenuButton } from "./menu-button.tsx";
import { modeName, PHASE_WORDS } from "../words/names.ts";
import { WORDS as LIST_WORDS } from "../sessions/words.ts";
import { WORDS } from "./words.ts";

/** A phone has no room for the status line, so the header shows the most important part of it. */
interface PhoneStatusProps {
  readonly head: Head;
  readonly machine: string | undefined;
  readonly forkedFrom: string | undefined;
}

const PhoneStatus = ({ head, machine, forkedFrom }: PhoneStatusProps) => {
  const { context, costUsd } = head.gauges;
  const share = context?.window === undefined ? undefined : WORDS.context(formatShare(context.used / context.window));
  // Nothing of the session has arrived. A machine that is away sends nothing.
  const known = head.lastEventAt > 0 ? [PHASE_WORDS[head.phase], modeName(head.mode), share, formatCost(costUsd)] : [];
  const parts = [machine, forkedFrom, ...known];
  return <p className="head-sub num">{parts.filter((part) => part !== undefined).join(" · ")}</p>;
};

/** If there are no snapshots: the changes by edit tools. */
const touched = ({ files }: Head) => {
  const all = Object.values(files);
  const sum = (of: (file: (typeof all)[number]) => number) => all.reduce((total, file) => total + of(file), 0);
  return { files: all.length, added: sum(({ added }) => added), removed: sum(({ removed }) => removed) };
};

/** A phone has no Ctrl+F. */
const FIND: MenuItem = {
  id: "find",
  label: WORDS.find,
  icon: "search",
  keys: hintOf("find.rows"),
  run: openFindBar,
};

/** Added and removed lines of the session. Opens the tab with the changes. */
const Delta = ({ head }: { readonly head: Head }) => {
  const { files, added, removed } = head.changes ?? touched(head);
  if (files === 0) return null;
  return (
    <button type="button" className="head-delta num" onClick={() => showInBench({ tab: "changes" })}>
      <span className="sr-only">{WORDS.changes}</span>
      <LineCounts {...{ files, added, removed }} />
    </button>
  );
};

/** Branch of the session's folder. Opens the git tab. */
const Branch = ({ summary }: { readonly summary: SessionSummary }) => {
  const brief = useBrief(gitFolderOf(summary));
  if (brief === undefined) return null;
  const words = (summary.worktree === undefined ? WORDS.git : WORDS.inTree)(branchWords(brief));
  return (
    <button
      type="button"
      className="head-delta head-branch"
      aria-label={words}
      onClick={() => showInBench({ tab: "git" })}
    >
      {summary.worktree !== undefined && <Icon name="fork" size={13} />}
      <BranchMark brief={brief} />
    </button>
  );
};

/** The way back to the session that this one was forked from. */
const ForkOf = ({
  summary,
  sessions,
}: {
  readonly summary: SessionSummary;
  readonly sessions: readonly SessionSummary[];
}) => {
  const words = forkWords(summary, sessions);
  const exists = sessions.some(({ id }) => id === summary.forkOf);
  return exists ? (
    <a className="head-fork" href={hrefOf(summary.forkOf)} title={words}>
      <Icon name="fork" size={13} /> <span>{words}</span>
    </a>
  ) : (
    <span className="head-fork" title={words}>
      <Icon name="fork" size={13} /> <span>{words}</span>
    </span>
  );
};

export const SessionHeader = memo(({ view, onMenu }: { readonly view: SessionView; readonly onMenu: () => void }) => {
  const client = useClient();
  const info = useServerInfo();
  const head = useHead(view);
  const { sessions } = useSessionList();
  const bench = useBench();
  const open = useMedia(SHEET) ? bench.sheet : bench.open;
  const summary = sessions.find(({ id }) => id === view.id);
  const place = summary && machinePlaceOf(summary);
  const cwd = head.cwd ?? summary?.cwd;
  // The summary knows which title wins: a person's, the CLI's, or one from the first prompt.
  const title = summary?.title ?? head.title ?? (cwd === undefined ? WORDS.session : sessionTitleOf({ cwd }));
  return (
    <header className="head">
      <MenuButton onMenu={onMenu} />
      <div className="head-titles">
        <h1 title={title}>{title}</h1>
        <PhoneStatus
          head={head}
          machine={place?.machine}
          forkedFrom={summary?.forkOf === undefined ? undefined : forkWords(summary, sessions)}
        />
      </div>
      {summary?.forkOf !== undefined && <ForkOf summary={summary} sessions={sessions} />}
      {summary?.archived === true && <span className="badge">{LIST_WORDS.archivedMark}</span>}
      {cwd !== undefined && (
        <span className="head-path mono" title={cwd}>
          {place?.machine}
          <span>
            {place && ":"}
            {shortPath(cwd, info?.machine.home)}
          </span>
        </span>
      )}
      <div className="head-end">
        {summary !== undefined && <Branch summary={summary} />}
        <Delta head={head} />
        {summary !== undefined && (
          <>
            <Button small className="desk-only" onClick={() => void fork(client, view.id).catch(toastError)}>
              {LIST_WORDS.fork}
            </Button>
            <Menu className="icon-btn" label={WORDS.menu} items={() => [FIND, ...sessionMenu(client, summary)]}>
              <Icon name="more" />
            </Menu>
          </>
        )}
        <IconButton
          icon="side"
          label={open ? WORDS.hide : WORDS.show}
          aria-pressed={open}
          className="head-bench"
          onClick={open ? closeBench : openBench}
        />
      </div>
    </header>
  );
});
