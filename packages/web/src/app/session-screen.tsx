// One session: header, timeline, open requests, composer. Only the timeline's pane renders with every change.

import type { Client, SessionView } from "@quarterdeck/client";
import { memo, useEffect, useState } from "react";
import { Composer } from "../composer/composer.tsx";
import { Timeline } from "../timeline/timeline.tsx";
import { later } from "../parts/later.tsx";
import { useClient, useSessionList, useSnapshot } from "../store/client.tsx";
import { fleetOf } from "../store/fleet.ts";
import { useMachines } from "../store/machines.ts";
import { markSeen } from "../store/seen.ts";
import { useHead, useIsEmpty, useReadOnly, useStatus } from "../store/session.ts";
import { may } from "../store/may.ts";
import { Broken } from "./broken.tsx";
import type { RowTarget, SessionActions } from "../store/session-actions.ts";
import { SessionHeader } from "./session-header.tsx";
import { useSessionActions } from "./use-session-actions.ts";
import { WORDS as LIST_WORDS } from "../sessions/words.ts";
import { WORDS } from "./words.ts";

const BudgetNote = later(async () => (await import("../budget/budget-note.tsx")).BudgetNote);
const Failure = later(async () => (await import("./session-notes.tsx")).SessionFailure);
const ProcessNote = later(async () => (await import("./session-notes.tsx")).ProcessNote);
const ArchivedNote = later(async () => (await import("./session-notes.tsx")).ArchivedNote);
const AwayNote = later(async () => (await import("./session-notes.tsx")).AwayNote);
const HeldNote = later(async () => (await import("./session-notes.tsx")).HeldNote);
const RoleNote = later(async () => (await import("./session-notes.tsx")).RoleNote);
const RequestDock = later(async () => (await import("../requests/request-dock.tsx")).RequestDock);

export interface SessionScreenProps {
  readonly view: SessionView;
  readonly target: RowTarget | undefined;
  readonly onMenu: () => void;
}

export const SessionScreen = ({ view, target, onMenu }: SessionScreenProps) => {
  const client = useClient();
  const actions = useSessionActions(client, view.id);
  const status = useStatus(view);
  if (status === "failed")
    return (
      <>
        <SessionHeader view={view} onMenu={onMenu} />
        <Failure view={view} />
      </>
    );
  return (
    <>
      <SessionHeader view={view} onMenu={onMenu} />
      <TimelinePane view={view} actions={actions} target={target} />
      <div className="deck" data-session={view.id}>
        <div className="deck-in">
          <Notes client={client} view={view} />
          <Budget client={client} view={view} />
          <Requests client={client} view={view} />
          <ComposerSlot client={client} view={view} actions={actions} />
        </div>
      </div>
    </>
  );
};

interface TimelinePaneProps {
  readonly view: SessionView;
  readonly actions: SessionActions;
  readonly target: RowTarget | undefined;
}

const TimelinePane = memo(({ view, actions, target }: TimelinePaneProps) => {
  const snapshot = useSnapshot(view);
  const { status, rows, moreAfter } = snapshot;
  const newest = rows.at(-1)?.order;
  useEffect(() => {
    // Rows that arrive while the page is hidden stay unread.
    const mark = (): void => {
      if (newest !== undefined && !moreAfter && document.visibilityState === "visible") markSeen(view.id, newest);
    };
    mark();
    document.addEventListener("visibilitychange", mark);
    return () => document.removeEventListener("visibilitychange", mark);
  }, [view.id, newest, moreAfter]);

  return (
    <div className="flow">
      {status === "loading" && rows.length === 0 ? (
        <Skeleton />
      ) : (
        <Timeline view={view} snapshot={snapshot} actions={actions} target={target} />
      )}
      <EmptySession view={view} />
    </div>
  );
});

const EmptySession = ({ view }: { readonly view: SessionView }) => {
  const empty = useIsEmpty(view);
  const head = useHead(view);
  if (!empty) return null;
  return (
    <div className="flow-empty">
      <p>
        <b>{head.cwd === undefined ? WORDS.new : WORDS.newIn(head.cwd)}</b>
      </p>
      <p>{WORDS.hint}</p>
    </div>
  );
};

const Skeleton = () => {
  const fleet = fleetOf(useClient());
  const machine = useMachines().find(({ name }) => name === fleet?.machine);
  // Nothing is loading. The list is all that is known.
  if (machine?.state === "away" || machine?.state === "not-answering")
    return (
      <div className="flow-empty">
        <p>{WORDS.elsewhere(machine.name)}</p>
      </div>
    );
  return (
    <div className="skeleton" role="status" aria-label={WORDS.loading}>
      {[34, 78, 64, 88, 52].map((width) => (
        <i key={width} style={{ width: `${width}%` }} />
      ))}
    </div>
  );
};

const LATER_MS = 3000;

interface PartProps {
  readonly client: Client;
  readonly view: SessionView;
}

/** Loaded when the page is idle, so that it is ready for the first request. */
const Requests = memo(({ client, view }: PartProps) => {
  const head = useHead(view);
  const asked = head.requests.length > 0;
  const [wanted, setWanted] = useState(asked);
  if (asked && !wanted) setWanted(true);
  useEffect(() => {
    const timer = setTimeout(RequestDock.prefetch, LATER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="requests-slot">
      {asked && <h2 className="sr-only">{LIST_WORDS.needsYou}</h2>}
      <Broken what={WORDS.parts.requests}>
        {wanted && <RequestDock session={view.id} head={head} client={client} />}
      </Broken>
    </div>
  );
});

/** It stays mounted after it was shown, because it sends refused prompts when the budget is raised. */
const Budget = ({ client, view }: PartProps) => {
  const { budget } = useHead(view);
  const [wanted, setWanted] = useState(false);
  if (budget != null && !wanted) setWanted(true);
  return wanted ? <BudgetNote client={client} session={view.id} budget={budget ?? undefined} /> : null;
};

/** The process ended by itself, or the session is in no list. Both are rare. */
const Notes = ({ client, view }: PartProps) => {
  const head = useHead(view);
  const summary = useSessionList().sessions.find(({ id }) => id === view.id);
  return (
    <>
      {head.phase === "died" && <ProcessNote client={client} session={view.id} head={head} />}
      {summary?.handedOver !== undefined && <AwayNote client={client} summary={summary} />}
      {summary?.archived === true && <ArchivedNote client={client} summary={summary} />}
    </>
  );
};

const ComposerSlot = memo(({ client, view, actions }: PartProps & { readonly actions: SessionActions }) => {
  const readOnly = useReadOnly(view);
  const { cwd } = useHead(view);
  if (readOnly) return <HeldNote client={client} session={view.id} cwd={cwd ?? ""} />;
  if (!may(client, "session/prompt")) return <RoleNote client={client} />;
  return <Composer key={view.id} client={client} view={view} actions={actions} />;
});
