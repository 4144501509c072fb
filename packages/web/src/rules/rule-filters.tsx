// What the list shows: by effect, text, tool and scope.

import { scopeWords } from "../words/scopes.ts";
import { flaggedIn, toolsOf, type Filter, type RuleFilterKind, type Rules } from "./rule-list.ts";
import { WORDS } from "./words.ts";

export const Filters = ({
  rules,
  filter,
  onChange,
}: {
  readonly rules: Rules;
  readonly filter: Filter;
  readonly onChange: (filter: Filter) => void;
}) => {
  const flagged = flaggedIn(rules);
  const scopes = [...new Set(rules.rules.map(({ scope }) => scope))];
  return (
    <search className="rules-filter">
      <fieldset>
        <legend className="sr-only">{WORDS.show}</legend>
        <div className="segments">
          {(Object.entries(WORDS.kinds) as [RuleFilterKind, string][]).map(([kind, words]) => (
            <label key={kind}>
              <input
                type="radio"
                name="rules-kind"
                checked={filter.kind === kind}
                onChange={() => onChange({ ...filter, kind })}
              />
              {kind === "flagged" && flagged > 0 ? `${words} ${String(flagged)}` : words}
            </label>
          ))}
        </div>
      </fieldset>
      <input
        type="search"
        className="input"
        placeholder={WORDS.filter}
        aria-label={WORDS.filter}
        value={filter.text}
        onChange={(event) => onChange({ ...filter, text: event.target.value })}
      />
      <select
        className="input"
        aria-label={WORDS.tool}
        value={filter.tool}
        onChange={(event) => onChange({ ...filter, tool: event.target.value })}
      >
        <option value="">{WORDS.allTools}</option>
        {toolsOf(rules).map((tool) => (
          <option key={tool}>{tool}</option>
        ))}
      </select>
      <select
        className="input"
        aria-label={WORDS.scope}
        value={filter.scope}
        onChange={(event) => onChange({ ...filter, scope: event.target.value })}
      >
        <option value="">{WORDS.allScopes}</option>
        {scopes.map((scope) => (
          <option key={scope} value={scope}>
            {scopeWords(scope).name}
          </option>
        ))}
      </select>
    </search>
  );
};
