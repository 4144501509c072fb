// How long ended sessions are kept. Before it is saved, it shows which sessions would be deleted at once.

import type { ResultOf } from "@quarterdeck/client";
import { needs } from "@quarterdeck/client/policy";
import { useState } from "react";
import { Button } from "../parts/button.tsx";
import { toast, toastError } from "../parts/toast.tsx";
import { useClient } from "../store/client.tsx";
import { useNow } from "../store/now.ts";
import { afterConfirm } from "../store/surfaces.ts";
import { formatAgo, formatBytes, plural } from "../words/format.ts";

type ServerSettings = ResultOf<"server/settings">;
type Plan = ResultOf<"server/planRetention">;

export const RetentionForm = ({
  settings: { retention },
  onChange,
}: {
  readonly settings: ServerSettings;
  readonly onChange: () => void;
}) => {
  const client = useClient();
  const now = useNow();
  const [text, setText] = useState(String(retention.days ?? ""));
  const [onlyArchived, setOnlyArchived] = useState(retention.onlyArchived);
  const [plan, setPlan] = useState<Plan>();
  const days = text.trim() === "" ? null : Number(text);
  const isValid = days === null || (Number.isInteger(days) && days >= 1 && days <= 36_500);
  const wanted = { days: isValid ? days : null, onlyArchived };
  const isSame = days === retention.days && onlyArchived === retention.onlyArchived;
  const look = (): void => {
    client.call("server/planRetention", wanted).then(setPlan).catch(toastError);
  };
  const save = (): void => {
    const set = (): void =>
      void client
        .command("server/setRetention", wanted)
        .then(({ deleted }) => {
          toast(deleted > 0 ? `Saved. Deleted ${plural(deleted, "session")}.` : "Saved.");
          setPlan(undefined);
          onChange();
        })
        .catch(toastError);
    const count = plan?.count ?? 0;
    afterConfirm(needs("server/setRetention", wanted), {
      title: `Delete sessions after ${plural(days ?? 0, "day")}?`,
      text: `${count === 0 ? "No session is that old now." : `${plural(count, "session")} will be deleted now, and cannot be restored.`} From then on the server deletes sessions by itself, every few hours. It deletes Quarterdeck's log, attachments and snapshots. Project files and Claude's transcripts stay.`,
      action: count === 0 ? "Save" : `Delete ${plural(count, "session")}`,
      tone: "danger",
      run: set,
    });
  };
  const change = (next: () => void): void => {
    next();
    setPlan(undefined);
  };
  return (
    <section>
      <h2>Retention</h2>
      <p className="server-note">
        {retention.days === null
          ? "Sessions are kept until you delete them."
          : `${retention.onlyArchived ? "Archived sessions" : "Sessions"} that nobody used for ${plural(retention.days, "day")} are deleted by the server.`}
        {retention.last !== undefined &&
          ` Last time: ${plural(retention.last.deleted, "session")}, ${formatAgo(retention.last.at, now)}.`}{" "}
        A session that runs or is open is never deleted.
      </p>
      <form
        className="server-form"
        onSubmit={(event) => {
          event.preventDefault();
          look();
        }}
      >
        <label>
          Delete after{" "}
          <input
            className="input num"
            inputMode="numeric"
            placeholder="never"
            value={text}
            aria-invalid={!isValid}
            aria-label="Delete after (days)"
            onChange={(event) => change(() => setText(event.target.value))}
          />{" "}
          days
        </label>
        <label>
          <input
            type="checkbox"
            checked={onlyArchived}
            onChange={(event) => change(() => setOnlyArchived(event.target.checked))}
          />{" "}
          Only archived sessions
        </label>
        {days !== null && (
          <Button small type="submit" disabled={!isValid}>
            Show what would be deleted
          </Button>
        )}
        <Button
          small
          tone={isSame || (days !== null && plan === undefined) ? "plain" : days === null ? "main" : "danger"}
          disabled={!isValid || isSame || (days !== null && plan === undefined)}
          onClick={save}
        >
          Save retention
        </Button>
      </form>
      {!isValid && <p role="alert">Enter whole days, or leave the field empty to keep everything.</p>}
      {plan !== undefined && (
        <div role="status">
          <p className="server-note">
            {plan.count === 0
              ? "No session would be deleted now."
              : `${plural(plan.count, "session")} (${formatBytes(plan.bytes)}) would be deleted now:`}
          </p>
          {plan.count > 0 && (
            <ul className="server-rows server-doomed" tabIndex={0} aria-label="Sessions that would be deleted">
              {plan.sessions.map(({ id, title, cwd, usedAt }) => (
                <li key={id}>
                  <span>
                    {title ?? "Untitled"}
                    <small>
                      {cwd} · used {formatAgo(usedAt, now)}
                    </small>
                  </span>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </section>
  );
};
