// What a receiver wants: events, content, quiet hours. For a device and for a target of the server.

import type { ResultOf } from "@quarterdeck/client";
import { WORDS } from "./words.ts";

type Choices = ResultOf<"notifications/get">["choices"];

const EVENTS = ["waiting", "finished", "failed"] as const;

export const ChoiceFields = ({
  choices,
  onChange,
}: {
  readonly choices: Choices;
  readonly onChange: (next: Choices) => void;
}) => {
  const { quiet } = choices;
  const hours = quiet ?? { from: "22:00", to: "07:00", timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone };
  return (
    <>
      {EVENTS.map((event) => (
        <label key={event} className="notify-check">
          <input
            type="checkbox"
            checked={choices[event]}
            onChange={() => onChange({ ...choices, [event]: !choices[event] })}
          />
          {WORDS.events[event]}
        </label>
      ))}
      <label className="notify-check">
        <input
          type="checkbox"
          checked={choices.content === "hidden"}
          onChange={() => onChange({ ...choices, content: choices.content === "hidden" ? "shown" : "hidden" })}
        />
        {WORDS.hide}
      </label>
      <label className="notify-check">
        <input
          type="checkbox"
          checked={quiet !== null}
          onChange={() => onChange({ ...choices, quiet: quiet === null ? hours : null })}
        />
        {WORDS.quiet}
      </label>
      {quiet !== null && (
        <div className="notify-times">
          {(["from", "to"] as const).map((end) => (
            <label key={end} className="field">
              <span>{WORDS[end]}</span>
              <input
                className="input"
                type="time"
                value={quiet[end]}
                onChange={({ target }) =>
                  // Cleared by the person: the time before still holds.
                  /^\d\d:\d\d$/u.test(target.value) &&
                  onChange({ ...choices, quiet: { ...quiet, [end]: target.value } })
                }
              />
            </label>
          ))}
          <small>{quiet.timeZone}</small>
        </div>
      )}
    </>
  );
};
