// Why Claude Code asks, and what a rule would change: the CLI's own words first, then the rule or mode that the settings say.

import type { Client, OpenRequest } from "@quarterdeck/client";
import { TrueText } from "../content/text/true-text.tsx";
import { useSettled } from "../store/settled.ts";
import type { Asked, AllowSuggestion } from "./asked.ts";
import { reachWords, whyOf, type RuleReach, type Tested } from "./why-words.ts";
import { WORDS } from "./words.ts";
import { fill } from "../parts/fill.tsx";
import { sentence } from "../words/sentences.ts";

/** What the settings say about this request, and what the suggested rules would have allowed. */
export const useWhy = (
  client: Client,
  session: string,
  open: OpenRequest,
  suggestions: readonly AllowSuggestion[],
): Tested | undefined => {
  const rules = suggestions.filter(({ kind }) => kind === "rule").map(({ text }) => text.trim());
  const asked = [...new Set(rules)].filter((rule) => rule !== "" && rule.length <= LONGEST).slice(0, MOST);
  return useSettled(JSON.stringify([open.id, asked]), () =>
    client.call("rules/test", { session, requestId: open.id, rules: asked }),
  ).value;
};
const LONGEST = 10_000;
const MOST = 20;

export const Why = ({ asked, tested }: { readonly asked: Asked; readonly tested: Tested | undefined }) => {
  const { own, rule, place, words, warnings } = whyOf(asked, tested);
  if (own.length === 0 && rule === undefined && words === undefined) return null;
  return (
    <div className="ask-why">
      <p>
        <b>{WORDS.why}</b>{" "}
        {own.map((each) => (
          <span key={each}>
            <TrueText text={each} />
            {/[.!?。]$/u.test(each) ? " " : WORDS.stop}
          </span>
        ))}
        {rule !== undefined && (
          <>
            {fill(WORDS.ruleAsks, {
              rule: (
                <code>
                  <TrueText text={rule} />
                </code>
              ),
              place,
            })}
          </>
        )}
        {words !== undefined && <TrueText text={words} />}
      </p>
      {warnings.map((warning) => (
        <p key={warning}>{sentence(warning)}</p>
      ))}
    </div>
  );
};

/** What one suggested rule would have allowed recently, and what is risky about it. */
export const ReachNote = ({ reach, calls }: { readonly reach: RuleReach | undefined; readonly calls: number }) => {
  if (reach === undefined || reach.error !== undefined) return null;
  return (
    <small className="ask-reach">
      {reachWords(reach, calls)}
      {reach.newly > 0 && (
        <>
          {": "}
          <TrueText text={reach.examples.join(", ")} />
        </>
      )}
      {reach.risk !== undefined && <span className="bad"> {WORDS.risky(sentence(reach.risk.words))}</span>}
    </small>
  );
};
