// How long an allow holds. The choices stand inside the card, so that they never cover what is decided. "Always" shows
// the exact rule, its file and what it would have allowed recently, and the rule is edited in place.

import { oddTextWarnings } from "./odd-text.ts";
import { parseRule } from "@quarterdeck/permissions/words";
import { Keys } from "../parts/badge.tsx";
import { TrueText } from "../content/text/true-text.tsx";
import { DESTINATIONS, scopeWords, type Destination } from "../words/scopes.ts";
import { isForSessionOnly, updateOf, type AllowSuggestion } from "./asked.ts";
import type { AllowChoice, AllowChoiceId } from "./allow-choice.ts";
import { ReachNote } from "./why.tsx";
import type { Tested } from "./why-words.ts";
import { WORDS } from "./words.ts";
import { fill } from "../parts/fill.tsx";
import { sentence } from "../words/sentences.ts";

export interface AllowChoicesProps {
  readonly request: string;
  readonly choices: readonly AllowChoice[];
  readonly chosen: AllowChoiceId;
  /** The rules that "session" and "always" add. */
  readonly rules: readonly AllowSuggestion[];
  readonly to: Destination | undefined;
  readonly tested: Tested | undefined;
  /** The ask rule that makes every rule useless. */
  readonly askRule: string | undefined;
  /** Whether the text of a rule may be changed: below admin the server takes only what the CLI suggested. */
  readonly mayEdit: boolean;
  readonly may: (suggestion: AllowSuggestion) => boolean;
  readonly onChoose: (id: AllowChoiceId) => void;
  readonly onRule: (rule: AllowSuggestion) => void;
  readonly onTo: (to: Destination) => void;
}

export const AllowChoices = (props: AllowChoicesProps) => {
  const { request, choices, chosen, rules, askRule, onChoose } = props;
  return (
    <div ref={showFromStart} className="ask-choices" role="radiogroup" aria-label={WORDS.howLong}>
      {choices.map(({ id, label, about }, at) => (
        <div key={id} className="ask-choice">
          <label>
            <input type="radio" name={`allow ${request}`} checked={chosen === id} onChange={() => onChoose(id)} />
            <span>
              <b>{label}</b>
              {about !== "" && (
                <>
                  {" "}
                  <TrueText text={about} />
                </>
              )}
            </span>
            <Keys>{String(at + 1)}</Keys>
          </label>
          {id === "always" && <Rules {...props} />}
        </div>
      ))}
      {rules.length > 0 && askRule === undefined && !choices.some(({ id }) => id === "always") && <Rules {...props} />}
      {askRule !== undefined && (
        <p className="ask-none">
          {fill(WORDS.alwaysAsks, {
            rule: (
              <code>
                <TrueText text={askRule} />
              </code>
            ),
            page: <a href="#/rules">{WORDS.rulesPage}</a>,
          })}
        </p>
      )}
    </div>
  );
};

/** In a low window they would open below what is in sight. */
export const showFromStart = (choices: HTMLElement | null): void => choices?.scrollIntoView({ block: "start" });

/** In a full card it would come up out of sight, and the button may wait for it. */
export const bringInSight = (shown: HTMLElement | null): void => shown?.scrollIntoView({ block: "nearest" });

const Rules = ({ rules, to, chosen, tested, mayEdit, may, onChoose, onRule, onTo }: AllowChoicesProps) => {
  const isUsed = chosen === "session" || chosen === "always";
  return (
    <div ref={isUsed ? bringInSight : null} className={`ask-rules ${isUsed ? "" : "ask-unused"}`}>
      {rules.map((rule) => (
        <RuleLine
          key={rule.id}
          rule={rule}
          tested={tested}
          mayEdit={mayEdit}
          onChange={(next) => {
            onRule(next);
            if (!isUsed) onChoose("always");
          }}
        />
      ))}
      {to !== undefined && !rules.some(isForSessionOnly) && (
        <label className="ask-where">
          <span>{WORDS.savedIn}</span>
          <select
            aria-label={WORDS.where}
            value={to}
            onChange={(event) => {
              onTo(event.target.value as Destination);
              onChoose("always");
            }}
          >
            {DESTINATIONS.filter((destination) => destination !== "session").map((destination) => (
              <option
                key={destination}
                value={destination}
                disabled={!rules.every((rule) => may({ ...rule, destination }))}
              >
                {scopeWords(destination).name} ({scopeWords(destination).file})
              </option>
            ))}
          </select>
          <small>{scopeWords(to).about}</small>
        </label>
      )}
    </div>
  );
};

interface RuleLineProps {
  readonly rule: AllowSuggestion;
  readonly tested: Tested | undefined;
  readonly mayEdit: boolean;
  readonly onChange: (rule: AllowSuggestion) => void;
}

const RuleLine = ({ rule, tested, mayEdit, onChange }: RuleLineProps) => {
  const wrong = updateOf(rule) === undefined;
  return (
    <div className="ask-rule">
      <input
        className="ask-text"
        aria-label={rule.kind === "rule" ? WORDS.rule : WORDS.folder}
        value={rule.text}
        size={Math.min(52, Math.max(10, rule.text.length))}
        spellCheck={false}
        aria-invalid={wrong}
        readOnly={!mayEdit}
        onChange={(event) => onChange({ ...rule, text: event.target.value })}
      />
      {oddTextWarnings(rule.text).length > 0 && (
        // A field to write in shows no marks.
        <small>{fill(WORDS.trueText, { text: <TrueText text={rule.text} /> })}</small>
      )}
      {wrong && <small className="bad">{problemOf(rule)}</small>}
      {rule.kind === "rule" && !wrong && (
        <ReachNote
          reach={tested?.rules.find((each) => each.rule === rule.text.trim())}
          calls={tested?.looked.calls ?? 0}
        />
      )}
    </div>
  );
};

const problemOf = ({ kind, text }: AllowSuggestion): string => {
  if (kind !== "rule") return WORDS.needsFolder;
  const parsed = parseRule(text);
  return WORDS.badRule(parsed.ok ? undefined : sentence(parsed.error.message));
};
