// A plan: read it, comment on it, approve it into a mode, or send it back with what should change.

import { useCallback, useRef, useState, type KeyboardEvent } from "react";
import type { OpenRequest } from "@quarterdeck/client";
import { Markdown } from "../timeline/markdown/markdown.tsx";
import { Button } from "../parts/button.tsx";
import { MODES } from "../app/words.ts";
import { useArming } from "./arming.ts";
import { useSessionView } from "../store/client.tsx";
import { besidePlan, type Asked } from "./asked.ts";
import { FieldList, ToEnd } from "./input-view.tsx";
import type { CardProps } from "./permission-card.tsx";
import { useRespond } from "./respond.ts";
import { TrueText } from "./true-text.tsx";
import { useWritten, writtenIn } from "./written-answer.ts";

const INTO = ["default", "acceptEdits", "auto", "bypassPermissions"];

export const PlanCard = ({
  client,
  session,
  open,
  card,
}: CardProps & { readonly open: OpenRequest & { readonly request: Asked } }) => {
  const { respond, busy, error } = useRespond(client, session, open);
  const own = writtenIn(session, open.id);
  const { armed, isArmed } = useArming(card, open.id);
  const { planFilePath } = open.request.input;
  const plan = usePlan(session, open);
  const [read, setRead] = useState(false);
  const onRead = useCallback(() => setRead(true), []);
  const [mode, setMode] = useWritten(own, "mode", () => "default");
  const [comment, setComment] = useWritten(own, "comment", () => "");
  const field = useRef<HTMLTextAreaElement>(null);
  const role = client.info?.device.role;
  const mayAnswer = role !== "view";
  const mayChoose = role !== "view" && role !== "answer";
  const modes = MODES.filter((words) => INTO.includes(words.mode) && (role === "admin" || words.admin !== true));

  const ready = armed && read;

  const approve = (event: Event): void => {
    if (!ready || !isArmed(event)) return;
    const guarded = MODES.find((words) => words.mode === mode)?.admin === true;
    void respond({
      kind: "allow",
      ...(mayChoose && {
        updatedPermissions: [{ type: "setMode", mode: mode as "default", destination: "session" }],
      }),
      ...(guarded && { confirmed: mode }),
    });
  };
  const sendBack = (): void => {
    if (comment.trim() === "") {
      field.current?.focus();
      return;
    }
    void respond({ kind: "deny", message: comment.trim() });
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === "Escape" && !event.defaultPrevented) {
      event.preventDefault();
      void respond({ kind: "deny", message: comment.trim() || "The user wants to keep planning." });
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      if (comment.trim() === "") approve(event.nativeEvent);
      else sendBack();
    }
  };
  return (
    <div className="ask-card" onKeyDown={onKey}>
      <header className="ask-top">
        <h3>A plan</h3>
        <p>{typeof planFilePath === "string" ? <TrueText text={planFilePath} /> : "ready to be carried out"}</p>
      </header>
      <ToEnd className="ask-plan" label="The plan" onRead={onRead}>
        {plan === undefined ? (
          <p className="ask-none">No plan was written down; what it means to do stands in the conversation.</p>
        ) : (
          <Markdown text={plan} />
        )}
        <FieldList fields={besidePlan(open.request.input)} />
      </ToEnd>
      <label className="ask-field">
        <span>What should be different? Without words, approve it as it is.</span>
        <textarea ref={field} rows={2} value={comment} onChange={(event) => setComment(event.target.value)} />
      </label>
      {error !== undefined && (
        <p className="ask-problem" role="alert">
          {error}
        </p>
      )}
      <footer className="ask-acts">
        {!read && <p className="ask-unread">Read to the end before you approve it.</p>}
        <Button
          tone={comment.trim() === "" ? "main" : "plain"}
          busy={busy}
          disabled={!mayAnswer}
          aria-disabled={!ready || undefined}
          className={ready ? "" : "ask-inert"}
          onClick={(event) => approve(event.nativeEvent)}
        >
          Approve
        </Button>
        {mayChoose && (
          <label className="ask-where">
            <span>and go on in</span>
            <select aria-label="Mode after the plan" value={mode} onChange={(event) => setMode(event.target.value)}>
              {modes.map((words) => (
                <option key={words.mode} value={words.mode}>
                  {words.name}
                </option>
              ))}
            </select>
          </label>
        )}
        <Button tone={comment.trim() === "" ? "plain" : "main"} disabled={!mayAnswer || busy} onClick={sendBack}>
          Keep planning
        </Button>
        <Button
          tone="danger"
          className="ask-stop"
          disabled={!mayAnswer || busy}
          onClick={() =>
            void respond({ kind: "deny", message: comment.trim() || "The user stopped here.", interrupt: true })
          }
        >
          Reject and stop
        </Button>
      </footer>
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
