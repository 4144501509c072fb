// What waits for a person in this session, above the composer: a stack, one card at a time, the oldest first. A request that was
// answered elsewhere, withdrawn or lost with its process says so before it goes.

import type { Client, ClosedRequest, Head, OpenRequest } from "@quarterdeck/client";
import { toolTitle, waitsForPerson } from "@quarterdeck/client/content";
import { useEffect, useMemo, useRef, useState, type FocusEvent, type RefObject } from "react";
import { IconButton } from "../parts/button.tsx";
import { isTyping } from "../parts/is-typing.ts";
import { formatTime } from "../words/format.ts";
import { firstFocusable, useWantedRequest, wantRequest } from "../store/wanted-request.ts";
import { isPermission } from "./asked.ts";
import { DialogCard } from "./dialog-card.tsx";
import { ElicitationCard, isElicitation } from "./elicitation-card.tsx";
import { PermissionCard, type RequestCardProps } from "./permission-card.tsx";
import { PlanCard } from "./plan-card.tsx";
import { QuestionCard } from "./question-card.tsx";
import { forgetWritten, writtenIn } from "./written-answer.ts";
import { WORDS } from "./words.ts";
import "./requests.css";

export interface RequestDockProps {
  readonly session: string;
  readonly head: Head;
  readonly client: Client;
}

/** Requests that the driving program answers: its hooks and its servers. */
const CLOSED_SHOWN_MS = 6000;

/**
 * While focus is inside it, it takes Escape itself (deny) and calls `preventDefault`, which tells the page that the key is
 * used up.
 */
export const RequestDock = ({ session, head, client }: RequestDockProps) => {
  const requests = head.requests.filter(waitsForPerson);
  const wanted = useWantedRequest();
  const at = Math.max(
    0,
    requests.findIndex(({ id }) => id === wanted),
  );
  const open = requests[at];
  const card = useRef<HTMLElement>(null);
  const onFocus = useFocusAfter(open?.id, card);
  const closed = useJustClosed(requests, head.closedRequests, client.info?.device.id);
  const agents = useMemo(
    () => new Map(head.tasks.map((task) => [task.id, task.agentType ?? task.description])),
    [head.tasks],
  );

  useForgetClosed(session, head.closedRequests);
  if (open === undefined) return closed === undefined ? null : <ClosedNote closed={closed} />;
  const step = (by: number): void => wantRequest(requests[(at + by + requests.length) % requests.length]?.id);
  const stack = requests.length > 1 && (
    <div className="ask-stack">
      <IconButton icon="up" label={WORDS.previous} onClick={() => step(-1)} />
      <span className="badge badge-brass num">{WORDS.place(at + 1, requests.length)}</span>
      <IconButton icon="down" label={WORDS.nextRequest} onClick={() => step(1)} />
    </div>
  );
  return (
    <section ref={card} className="ask" onFocus={onFocus} aria-label={WORDS.needsYou(requests.length)}>
      <div className="sr-only" role="status">
        {announced(open)}
      </div>
      {/* About a card that was open beside this one, not about one before it. */}
      {closed !== undefined && open.at <= closed.at && <ClosedNote closed={closed} />}
      {stack}
      <Card
        key={open.id}
        client={client}
        session={session}
        open={open}
        card={card}
        agents={agents}
        cwd={head.cwd}
        folders={head.rules.directories}
      />
    </section>
  );
};

/**
 * A card takes the focus when it opens, unless somebody is typing. An empty composer counts as nobody. After an answer by keyboard,
 * focus goes to the next request or to the composer.
 */
const useFocusAfter = (id: string | undefined, card: RefObject<HTMLElement | null>) => {
  const byKeyboard = useRef(false);
  useEffect(() => {
    const was = byKeyboard.current;
    byKeyboard.current = false;
    const { activeElement: active } = document;
    const isFree = active === null || active === document.body;
    if (card.current === null) {
      if (was && isFree) document.querySelector<HTMLElement>("#composer")?.focus();
      return;
    }
    // On a touch screen, focus in a field would only open the on-screen keyboard.
    const hasKeyboard = was || matchMedia("(pointer: fine)").matches;
    if (hasKeyboard && !card.current.contains(active) && !isBusy(active))
      firstFocusable(card.current)?.focus({ preventScroll: true });
  }, [id, card]);
  return (event: FocusEvent): void => {
    byKeyboard.current = event.target instanceof Element && event.target.matches(":focus-visible");
  };
};

const isBusy = (active: Element | null): boolean => {
  if (document.querySelector("dialog[open], :popover-open") !== null) return true;
  if (active instanceof HTMLTextAreaElement && active.id === "composer") return active.value !== "";
  return isTyping(active);
};

const Card = (props: RequestCardProps) => {
  const { open } = props;
  if (isElicitation(open)) return <ElicitationCard {...props} open={open} />;
  if (!isPermission(open)) return <DialogCard {...props} />;
  if (open.kind === "question") return <QuestionCard {...props} open={open} />;
  if (open.kind === "plan") return <PlanCard {...props} open={open} />;
  return <PermissionCard {...props} open={open} />;
};

const announced = (open: OpenRequest): string =>
  isPermission(open) && open.kind === "permission"
    ? WORDS.permissionNeedsYou(toolTitle(open.request.tool_name))
    : WORDS.kindNeedsYou(open.kind);

/** The last request that closed without an answer from this device. Shown for a few seconds. */
const useJustClosed = (open: readonly OpenRequest[], closed: readonly ClosedRequest[], device: string | undefined) => {
  const seen = useRef(new Set<string>());
  const [note, setNote] = useState<ClosedRequest>();
  for (const { id } of open) seen.current.add(id);
  const gone = closed.findLast(({ id, by }) => seen.current.has(id) && (by === undefined || by.id !== device));
  useEffect(() => {
    if (gone === undefined) return undefined;
    setNote(gone);
    const timer = setTimeout(() => {
      seen.current.delete(gone.id);
      setNote(undefined);
    }, CLOSED_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [gone]);
  return note;
};

/** Words for a request that another device answered, or that was withdrawn, are not stored any longer. */
const useForgetClosed = (session: string, closed: readonly ClosedRequest[]): void =>
  useEffect(() => {
    for (const { id } of closed) forgetWritten(writtenIn(session, id));
  }, [session, closed]);

const ClosedNote = ({ closed }: { readonly closed: ClosedRequest }) => (
  <p className="ask-closed" role="status">
    {closedWords(closed)}
  </p>
);

const closedWords = ({ kind, fate, by, at, behavior }: ClosedRequest): string => {
  if (fate === "cancelled") return WORDS.withdrawn(kind);
  if (fate === "ended") return WORDS.ended(kind);
  return WORDS.closed(kind, behavior, by === undefined ? undefined : (by.name ?? by.id), formatTime(at));
};
