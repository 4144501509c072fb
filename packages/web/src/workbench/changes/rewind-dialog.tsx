// Rewinds files, the conversation or both to the moment before a prompt. It shows the effect before, and offers an undo after.

import { isRunning } from "@quarterdeck/client/content";
import type { ResultOf } from "@quarterdeck/client";
import { useEffect, useMemo, useState } from "react";
import { writeUnsent } from "../../composer/unsent.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { useClient, useSessionList } from "../../store/client.tsx";
import { go, hrefOf } from "../../store/route.ts";
import type { Rewind } from "../../store/surfaces.ts";
import { PlanView } from "./plan-view.tsx";
import { REWIND_WORDS } from "./rewind-words.ts";

type What = "code" | "conversation" | "both";

const CHOICES: readonly What[] = ["both", "code", "conversation"];

export interface RewindDialogProps extends Rewind {
  readonly onClose: () => void;
}

export const RewindDialog = ({ session, prompt, text, resends = false, onClose }: RewindDialogProps) => {
  const client = useClient();
  const { sessions } = useSessionList();
  const summary = sessions.find(({ id }) => id === session);
  const phase = summary?.phase;
  const running = phase !== undefined && isRunning(phase);
  const [what, setWhat] = useState<What>(resends ? "conversation" : "both");
  const [others, setOthers] = useState(false);
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set());
  const [plan, setPlan] = useState<ResultOf<"rewind/preview">>();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [edited, setEdited] = useState(text);
  const params = useMemo(
    () => ({ session, prompt, what, ...(others && { outside: "also" as const }) }),
    [session, prompt, what, others],
  );
  const fail = (error: unknown): void => {
    setBusy(false);
    setProblem(error instanceof Error ? error.message : String(error));
  };
  // Again when a turn begins or ends: it changes files.
  useEffect(() => {
    let gone = false;
    client.call("rewind/preview", params).then((found) => {
      if (gone) return;
      setPlan(found);
      setProblem(undefined);
    }, fail);
    return () => {
      gone = true;
    };
  }, [client, params, running]);

  const undo = (id: string): void =>
    void client
      .command("rewind/undo", { session, id })
      .then(({ done, left }) => {
        toast(REWIND_WORDS.undone(done.length, left.length));
        go(hrefOf(session));
      })
      .catch(toastError);

  const apply = (): void => {
    setBusy(true);
    const keep = [...kept];
    client
      .command("rewind/apply", { ...params, ...(keep.length > 0 && { keep }) })
      .then(({ id, done, left, session: fork }) => {
        onClose();
        if (fork !== undefined) {
          // What was said is ready to be said otherwise.
          writeUnsent(fork.id, { text: edited, files: [] });
          go(hrefOf(fork.id));
        }
        const files = what === "conversation" ? undefined : done.length;
        const back =
          fork === undefined ? {} : { action: { label: REWIND_WORDS.goBack, run: () => go(hrefOf(session)) } };
        toast(
          REWIND_WORDS.done(files, left.length),
          id === undefined ? back : { action: { label: REWIND_WORDS.undo, run: () => undo(id) } },
        );
      }, fail);
  };

  const noCode = plan !== undefined && !plan.canRewindCode;
  const left = plan?.left.some(({ by }) => by?.includes("outside") === true) === true;
  const nothing = what === "code" && plan !== undefined && plan.files.length === 0;
  return (
    <Dialog
      title={resends ? REWIND_WORDS.editTitle : REWIND_WORDS.title}
      about={resends ? REWIND_WORDS.editAbout : text.slice(0, 200)}
      onClose={onClose}
      footer={
        <>
          {running && <span className="faint">{REWIND_WORDS.running}</span>}
          <Button onClick={onClose}>{REWIND_WORDS.cancel}</Button>
          <Button
            tone="main"
            busy={busy}
            disabled={running || plan === undefined || nothing || (noCode && what !== "conversation")}
            onClick={apply}
          >
            {resends ? REWIND_WORDS.go : REWIND_WORDS.rewind}
          </Button>
        </>
      }
    >
      {problem !== undefined && <p role="alert">{problem}</p>}
      {resends && (
        <label className="field">
          <span>{REWIND_WORDS.message}</span>
          <textarea
            className="input"
            rows={Math.min(10, Math.max(3, edited.split("\n").length))}
            value={edited}
            data-autofocus
            onChange={(event) => setEdited(event.target.value)}
          />
        </label>
      )}
      <fieldset className="rewind-what">
        <legend className="sr-only">{REWIND_WORDS.what}</legend>
        {CHOICES.map((choice) => (
          <label key={choice}>
            <input
              type="radio"
              name="rewind-what"
              checked={what === choice}
              disabled={noCode && choice !== "conversation"}
              onChange={() => setWhat(choice)}
            />
            {REWIND_WORDS.choices[choice]}
            <small>{noCode && choice !== "conversation" ? REWIND_WORDS.noSnapshot : REWIND_WORDS.about[choice]}</small>
          </label>
        ))}
      </fieldset>
      {what !== "conversation" && plan !== undefined && plan.canRewindCode && (
        <>
          <p className="faint">
            {plan.files.length === 0 ? REWIND_WORDS.nothing : REWIND_WORDS.wouldChange(plan.files.length)}
          </p>
          <PlanView
            plan={plan}
            cwd={summary?.cwd}
            kept={kept}
            onKeep={(path, keeps) =>
              setKept((before) => {
                const next = new Set(before);
                if (keeps) next.add(path);
                else next.delete(path);
                return next;
              })
            }
          />
          {(left || others) && (
            <label className="review-check">
              <input type="checkbox" checked={others} onChange={(event) => setOthers(event.target.checked)} />
              {REWIND_WORDS.others}
            </label>
          )}
        </>
      )}
      {what !== "code" && plan !== undefined && <p className="faint">{REWIND_WORDS.rowsStay(plan.rows)}</p>}
      <p className="faint">{REWIND_WORDS.safe}</p>
    </Dialog>
  );
};
