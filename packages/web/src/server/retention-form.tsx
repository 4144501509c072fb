// How long ended sessions are kept. Before it is saved, it shows which sessions would be deleted at once.

import type { ResultOf } from "@quarterdeck/client";
import { needs } from "@quarterdeck/client/policy";
import { useState } from "react";
import { Button } from "../parts/button.tsx";
import { toast, toastError } from "../parts/toast.tsx";
import { useClient } from "../store/client.tsx";
import { useNow } from "../store/now.ts";
import { afterConfirm } from "../store/surfaces.ts";
import { fill } from "../parts/fill.tsx";
import { formatAgo, formatBytes } from "../words/format.ts";
import { WORDS } from "./words.ts";

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
          toast(deleted > 0 ? WORDS.savedDeleted(deleted) : WORDS.saved);
          setPlan(undefined);
          onChange();
        })
        .catch(toastError);
    const count = plan?.count ?? 0;
    afterConfirm(needs("server/setRetention", wanted), {
      title: WORDS.deleteAsk(days ?? 0),
      text: WORDS.deleteAbout(count === 0 ? WORDS.deleteNone : WORDS.deleteNow(count)),
      action: count === 0 ? WORDS.save : WORDS.delete(count),
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
      <h2>{WORDS.retention}</h2>
      <p className="server-note">
        {retention.days === null
          ? WORDS.keptAll
          : (retention.onlyArchived ? WORDS.keptArchived : WORDS.kept)(retention.days)}
        {retention.last !== undefined && ` ${WORDS.last(retention.last.deleted, formatAgo(retention.last.at, now))}`}{" "}
        {WORDS.neverLive}
      </p>
      <form
        className="server-form"
        onSubmit={(event) => {
          event.preventDefault();
          look();
        }}
      >
        <label>
          {fill(WORDS.deleteAfter, {
            field: (
              <input
                className="input num"
                inputMode="numeric"
                placeholder={WORDS.never}
                value={text}
                aria-invalid={!isValid}
                aria-label={WORDS.deleteAfterLabel}
                onChange={(event) => change(() => setText(event.target.value))}
              />
            ),
          })}
        </label>
        <label>
          <input
            type="checkbox"
            checked={onlyArchived}
            onChange={(event) => change(() => setOnlyArchived(event.target.checked))}
          />{" "}
          {WORDS.onlyArchived}
        </label>
        {days !== null && (
          <Button small type="submit" disabled={!isValid}>
            {WORDS.show}
          </Button>
        )}
        <Button
          small
          tone={isSame || (days !== null && plan === undefined) ? "plain" : days === null ? "main" : "danger"}
          disabled={!isValid || isSame || (days !== null && plan === undefined)}
          onClick={save}
        >
          {WORDS.saveRetention}
        </Button>
      </form>
      {!isValid && <p role="alert">{WORDS.invalid}</p>}
      {plan !== undefined && (
        <div role="status">
          <p className="server-note">
            {plan.count === 0 ? WORDS.wouldNone : WORDS.would(plan.count, formatBytes(plan.bytes))}
          </p>
          {plan.count > 0 && (
            <ul className="server-rows server-doomed" tabIndex={0} aria-label={WORDS.wouldLabel}>
              {plan.sessions.map(({ id, title, cwd, usedAt }) => (
                <li key={id}>
                  <span>
                    {title ?? WORDS.untitled}
                    <small>{WORDS.used(cwd, formatAgo(usedAt, now))}</small>
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
