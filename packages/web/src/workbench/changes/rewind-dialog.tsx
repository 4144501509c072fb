// Back to before a prompt: files, conversation or both. First what it would do, then the deed, then the way back from it.

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
import { plural } from "../../words/format.ts";
import { PlanView } from "./plan-view.tsx";

type What = "code" | "conversation" | "both";

const CHOICES: readonly (readonly [What, string, string])[] = [
  ["both", "Files and conversation", "Restores the files, and continues before this message in a new session"],
  ["code", "Files only", "Restores the files as they were before this message"],
  ["conversation", "Conversation only", "Continues before this message in a new session. Files stay"],
];

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
        const stayed = left.length === 0 ? "" : ` ${plural(left.length, "file")} changed since and stayed.`;
        toast(`The rewind is undone: ${plural(done.length, "file")} restored.${stayed}`);
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
        const files = what === "conversation" ? "" : ` ${plural(done.length, "file")} restored.`;
        const stayed = left.length === 0 ? "" : ` ${plural(left.length, "file")} stayed.`;
        const back = fork === undefined ? {} : { action: { label: "Go back", run: () => go(hrefOf(session)) } };
        toast(
          `Rewound.${files}${stayed}`,
          id === undefined ? back : { action: { label: "Undo", run: () => undo(id) } },
        );
      }, fail);
  };

  const noCode = plan !== undefined && !plan.canRewindCode;
  const left = plan?.left.some(({ by }) => by?.includes("outside") === true) === true;
  const nothing = what === "code" && plan !== undefined && plan.files.length === 0;
  return (
    <Dialog
      title={resends ? "Edit and resend" : "Rewind to before this message"}
      about={resends ? "Continues before this message in a new session. This one stays as it is." : text.slice(0, 200)}
      onClose={onClose}
      footer={
        <>
          {running && <span className="faint">A turn is running. Stop it, or wait until it ends.</span>}
          <Button onClick={onClose}>Cancel</Button>
          <Button
            tone="main"
            busy={busy}
            disabled={running || plan === undefined || nothing || (noCode && what !== "conversation")}
            onClick={apply}
          >
            {resends ? "Continue" : "Rewind"}
          </Button>
        </>
      }
    >
      {problem !== undefined && <p role="alert">{problem}</p>}
      {resends && (
        <label className="field">
          <span>Message</span>
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
        <legend className="sr-only">What to rewind</legend>
        {CHOICES.map(([choice, words, about]) => (
          <label key={choice}>
            <input
              type="radio"
              name="rewind-what"
              checked={what === choice}
              disabled={noCode && choice !== "conversation"}
              onChange={() => setWhat(choice)}
            />
            {words}
            <small>{noCode && choice !== "conversation" ? "No snapshot was taken before this message" : about}</small>
          </label>
        ))}
      </fieldset>
      {what !== "conversation" && plan !== undefined && plan.canRewindCode && (
        <>
          <p className="faint">
            {plan.files.length === 0
              ? "The files are as they were then."
              : `${plural(plan.files.length, "file")} would change:`}
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
              Also restore files that were changed outside this session
            </label>
          )}
        </>
      )}
      {what !== "code" && plan !== undefined && (
        <p className="faint">{plural(plan.rows, "row")} from this message on stay in this session only.</p>
      )}
      <p className="faint">Files can be restored again with Undo. No session is deleted.</p>
    </Dialog>
  );
};
