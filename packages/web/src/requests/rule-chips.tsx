// The rules that would stop the asking: the CLI's own suggestions, each editable, each with where it would be written.

import { warningsOf } from "@quarterdeck/client/content";
import { parseRule } from "@quarterdeck/permissions/words";
import { useState } from "react";
import { Icon } from "../parts/icon.tsx";
import { modeName } from "../words/names.ts";
import { DESTINATIONS, scopeWords, type Destination } from "../words/scopes.ts";
import { forSession, updateOf, type Suggestion } from "./asked.ts";
import { TrueText } from "../content/text/true-text.tsx";
import { ReachNote } from "./why.tsx";
import type { Tested } from "./why-words.ts";

export interface RuleChipsProps {
  readonly suggestions: readonly Suggestion[];
  readonly chosen: ReadonlySet<string>;
  /** What the rules would have allowed lately, when the server has said it. */
  readonly tested: Tested | undefined;
  /** Whether the text of a rule may be changed: below admin the server takes only what the CLI suggested. */
  readonly mayEdit: boolean;
  readonly may: (suggestion: Suggestion) => boolean;
  readonly onChoose: (id: string, chosen: boolean) => void;
  readonly onChange: (suggestion: Suggestion) => void;
}

/** What "for this session" adds is in sight; the others wait behind a word, so that the card stays small. */
export const RuleChips = ({ suggestions, chosen, tested, mayEdit, may, onChoose, onChange }: RuleChipsProps) => {
  const [all, setAll] = useState(false);
  const shown = new Set(forSession(suggestions).map(({ id }) => id));
  const hidden = all ? 0 : suggestions.length - shown.size;
  return (
    <fieldset className="ask-rules">
      <legend>Always allow</legend>
      {suggestions.map((suggestion) => {
        if (!all && !shown.has(suggestion.id)) return null;
        const isChosen = chosen.has(suggestion.id);
        const words = scopeWords(suggestion.destination);
        const wrong = updateOf(suggestion) === undefined;
        return (
          <div key={suggestion.id} className={`ask-rule ${isChosen ? "ask-chosen" : ""}`}>
            <label className="ask-pick">
              <input
                type="checkbox"
                checked={isChosen}
                onChange={(event) => onChoose(suggestion.id, event.target.checked)}
              />
              <span className="ask-tick" aria-hidden="true">
                {isChosen && <Icon name="check" size={12} />}
              </span>
              <span className="sr-only">{kindWords(suggestion)}</span>
            </label>
            {suggestion.kind === "mode" ? (
              <span className="ask-mode">“{modeName(suggestion.text)}” mode</span>
            ) : (
              <input
                className="ask-text"
                aria-label={suggestion.kind === "rule" ? "Rule" : "Folder"}
                value={suggestion.text}
                size={Math.min(52, Math.max(10, suggestion.text.length))}
                spellCheck={false}
                aria-invalid={wrong}
                readOnly={!mayEdit}
                onChange={(event) => onChange({ ...suggestion, text: event.target.value })}
              />
            )}
            <label className="ask-where">
              <span>in</span>
              <select
                aria-label="Where to save the rule"
                value={suggestion.destination}
                onChange={(event) => onChange({ ...suggestion, destination: event.target.value as Destination })}
              >
                {DESTINATIONS.map((destination) => (
                  <option key={destination} value={destination} disabled={!may({ ...suggestion, destination })}>
                    {whereWords(destination)}
                  </option>
                ))}
              </select>
            </label>
            {warningsOf(suggestion.text).length > 0 && (
              // A field to write in shows no marks.
              <small>
                Actual text: <TrueText text={suggestion.text} />
              </small>
            )}
            <small>
              {wrong
                ? problemOf(suggestion)
                : suggestion.destination === "session"
                  ? words.about
                  : `saved in ${words.file}, ${words.about}`}
            </small>
            {suggestion.kind === "rule" && !wrong && (
              <ReachNote
                reach={tested?.rules.find(({ rule }) => rule === suggestion.text.trim())}
                calls={tested?.looked.calls ?? 0}
              />
            )}
          </div>
        );
      })}
      {hidden > 0 && (
        <button type="button" className="ask-link" onClick={() => setAll(true)}>
          {hidden} more
        </button>
      )}
    </fieldset>
  );
};

/** The place, and the file that would be written. */
const whereWords = (destination: Destination): string => {
  const { name, file } = scopeWords(destination);
  return destination === "session" ? name : `${name} (${file})`;
};

const problemOf = ({ kind, text }: Suggestion): string => {
  if (kind !== "rule") return "Enter a folder.";
  const parsed = parseRule(text);
  return `Not a valid rule. ${parsed.ok ? "Use Tool or Tool(pattern)." : parsed.error.message}`;
};

const kindWords = ({ kind, text }: Suggestion): string =>
  kind === "rule"
    ? `Always allow ${text}`
    : kind === "directory"
      ? `Allow access to ${text}`
      : `Switch to ${modeName(text)}`;
