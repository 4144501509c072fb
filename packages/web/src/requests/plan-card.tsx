// A plan: read it, comment on it, approve it into a mode, or send it back with what should change.

import { useCallback, useRef, useState } from "react";
import type { OpenRequest } from "@quarterdeck/client";
import { NO_CHANGES } from "@quarterdeck/client/content";
import { needs } from "@quarterdeck/client/policy";
import { Markdown } from "../content/markdown/markdown.tsx";
import { Button } from "../parts/button.tsx";
import type { Mode } from "@quarterdeck/permissions/words";
import { MODE_LIST } from "../words/names.ts";
import { useArming } from "./arming.ts";
import { useSessionView } from "../store/client.tsx";
import { Keys } from "../parts/badge.tsx";
import { hintOf } from "../keys/key-table.ts";
import { may } from "../store/may.ts";
import { PHONE, useMedia } from "../store/media.ts";
import { allowWith, besidePlan, type Asked, type PermissionUpdate } from "./asked.ts";
import { useCardKeys } from "./card-keys.ts";
import { FieldList } from "./input-view.tsx";
import { mayUpdate } from "./may-update.ts";
import type { RequestCardProps } from "./permission-card.tsx";
import { useRespond } from "./respond.ts";
import { ToEnd } from "./to-end.tsx";
import { TrueText } from "../content/text/true-text.tsx";
import { isString, useWrittenAnswer, writtenIn } from "./written-answer.ts";
import { WORDS } from "./words.ts";

const INTO: readonly Mode[] = ["default", "acceptEdits", "auto", "bypassPermissions"];
const into = (mode: string): PermissionUpdate => ({ type: "setMode", mode, destination: "session" });

export const PlanCard = ({
  client,
  session,
  open,
  card,
}: RequestCardProps & { readonly open: OpenRequest & { readonly request: Asked } }) => {
  const { respond, busy, error } = useRespond(client, session, open);
  const own = writtenIn(session, open.id);
  const isPhone = useMedia(PHONE);
  const [isSecond, setSecond] = useState(false);
  const { armed, isArmed, isKeyArmed } = useArming(card, open.id, String(isSecond));
  const { planFilePath } = open.request.input;
  const plan = usePlan(session, open);
  const [read, setRead] = useState(false);
  const onRead = useCallback(() => setRead(true), []);
  const [mode, setMode] = useWrittenAnswer(own, "mode", () => "default");
  const [comment, setComment] = useWrittenAnswer(own, "comment", () => "", isString);
  const field = useRef<HTMLTextAreaElement>(null);
  const [isAsked, setAsked] = useState(false);
  const mayAnswer = may(client, "session/respond");
  const canBypass = useSessionView(session)?.snapshot.head.process?.canBypass === true;
  const modes = MODE_LIST.filter(
    ({ mode: name }) =>
      INTO.includes(name) && mayUpdate(client, open.request, into(name)) && (canBypass || name !== "bypassPermissions"),
  );
  const mayChoose = modes.length > 0;

  const isWritten = comment.trim() !== "";
  const approve = (): void => {
    if (!mayAnswer || busy) return;
    // A plan that was not read to its end needs a second press.
    if (!read && !isSecond) {
      setSecond(true);
      return;
    }
    const guarded = needs("session/respond", allowWith(into(mode))).confirm !== undefined;
    void respond({
      kind: "allow",
      ...(mayChoose && {
        updatedPermissions: [into(mode)],
      }),
      ...(guarded && { confirmed: mode }),
    });
  };
  const sendBack = (): void => {
    // The first press asks for words. They are optional: the second sends the plan back without.
    if (!isWritten && !isAsked) {
      setAsked(true);
      field.current?.focus();
      return;
    }
    keepPlanning();
  };
  const keepPlanning = (): void => void respond({ kind: "deny", message: comment.trim() || NO_CHANGES });
  const onKeyDown = useCardKeys(({ id, place, event }) => {
    const run = (act: () => void): boolean => {
      if (isKeyArmed(event)) act();
      return true;
    };
    const answer = (): void => (isWritten ? sendBack() : approve());
    if (id === "request.deny") return run(() => (isSecond ? setSecond(false) : keepPlanning()));
    if (id === "request.confirm" && place !== "composer") return run(answer);
    // Enter alone never approves what was not read.
    if (id === "request.answer" && place !== "button" && (place !== "text" || isWritten))
      return run(() => (read || isWritten ? answer() : undefined));
    if (place === "text" || place === "composer") return false;
    if (id === "request.allow") return run(approve);
    if (id === "request.no" || id === "request.reason") return run(() => field.current?.focus());
    return false;
  });
  return (
    <div className="ask-card ask-permission ask-planned" onKeyDown={onKeyDown}>
      <div className="ask-what">
        <header className="ask-top">
          <h3>{WORDS.planReady}</h3>
          {typeof planFilePath === "string" && (
            <p>
              <TrueText text={planFilePath} />
            </p>
          )}
        </header>
        <ToEnd className="ask-plan" label={WORDS.plan} onRead={onRead} isRead={read}>
          {plan === undefined ? <p className="ask-none">{WORDS.planTold}</p> : <Markdown text={plan} />}
          <FieldList fields={besidePlan(open.request.input)} />
        </ToEnd>
      </div>
      <div className="ask-side">
        <div className="ask-more">
          <label className="ask-field">
            <span>{isAsked && !isWritten ? WORDS.planWords : WORDS.planChanges}</span>
            <textarea ref={field} rows={2} value={comment} onChange={(event) => setComment(event.target.value)} />
          </label>
          {error !== undefined && (
            <p className="ask-problem" role="alert">
              {error}
            </p>
          )}
        </div>
        <footer className="ask-acts">
          <Button
            tone={!isWritten && (read || isSecond) ? "main" : "plain"}
            busy={busy}
            disabled={!mayAnswer}
            aria-disabled={!armed || undefined}
            className={`${armed ? "" : "ask-inert"} ${read ? "" : "ask-waits"}`}
            onClick={(event) => {
              if (isArmed(event.nativeEvent)) approve();
            }}
          >
            {isSecond && !read ? WORDS.approveAnyway : WORDS.approve}{" "}
            <Keys>{hintOf(read && !isWritten ? "request.answer" : "request.allow")}</Keys>
            {!read && <small>{isSecond ? WORDS.again(isPhone) : WORDS.unread(0)}</small>}
          </Button>
          {mayChoose && (
            <label className="ask-where">
              <span>{WORDS.thenUse}</span>
              <select aria-label={WORDS.modeAfter} value={mode} onChange={(event) => setMode(event.target.value)}>
                {modes.map((words) => (
                  <option key={words.mode} value={words.mode}>
                    {words.name}
                  </option>
                ))}
              </select>
            </label>
          )}
          <Button tone={isWritten ? "main" : "plain"} disabled={!mayAnswer || busy} onClick={sendBack}>
            {WORDS.keepPlanning} <Keys>{hintOf(isWritten ? "request.answer" : "request.deny")}</Keys>
          </Button>
          <Button
            tone="danger"
            className="ask-stop"
            disabled={!mayAnswer || busy}
            onClick={() =>
              void respond({ kind: "deny", message: comment.trim() || "The user stopped here.", interrupt: true })
            }
          >
            {WORDS.reject}
          </Button>
        </footer>
      </div>
    </div>
  );
};

/** From the plan's file, which the CLI puts into the request; where the model wrote none, what it said with the call. */
const usePlan = (session: string, open: OpenRequest & { readonly request: Asked }): string | undefined => {
  const view = useSessionView(session);
  const row = view?.snapshot.rows.findLast((each) => each.kind === "tool" && each.requestId === open.id);
  const told = row?.kind === "tool" ? row.input["plan"] : undefined;
  return [open.request.input["plan"], told].find(
    (text): text is string => typeof text === "string" && text.trim() !== "",
  );
};
