// Why Claude Code asks, and what a rule would change: the CLI's own words first, then the rule or mode that the settings say.

import type { Client, OpenRequest, ResultOf } from "@quarterdeck/client";
import { TrueText } from "../content/text/true-text.tsx";
import { useSettled } from "../store/settled.ts";
import { plural } from "../words/format.ts";
import { modeName } from "../words/names.ts";
import { placeWords } from "../words/scopes.ts";
import { reasonsOf, type Asked, type Suggestion } from "./asked.ts";

export type Tested = ResultOf<"rules/test">;
export type Reach = Tested["rules"][number];

/** What the settings say about this request, and what the suggested rules would have allowed. */
export const useWhy = (
  client: Client,
  session: string,
  open: OpenRequest,
  suggestions: readonly Suggestion[],
): Tested | undefined => {
  const rules = suggestions.filter(({ kind }) => kind === "rule").map(({ text }) => text.trim());
  const asked = [...new Set(rules)].filter((rule) => rule !== "" && rule.length <= LONGEST).slice(0, MOST);
  return useSettled(JSON.stringify([open.id, asked]), () =>
    client.call("rules/test", { session, requestId: open.id, rules: asked }),
  ).value;
};
const LONGEST = 10_000;
const MOST = 20;

export interface WhyWords {
  /** Of the CLI. */
  readonly own: readonly string[];
  readonly rule?: string;
  /** Where the rule is. */
  readonly place?: string;
  readonly words?: string;
  readonly warnings: readonly string[];
}

/** Our own prediction is left out if it is not what happened. */
export const whyOf = (asked: Asked, tested: Tested | undefined): WhyWords => {
  const own = reasonsOf(asked);
  if (tested === undefined || tested.behavior !== "ask") return { own, warnings: [] };
  const { reason, mode } = tested;
  const { rule, kind, words, warnings } = reason;
  if (rule !== undefined)
    return { own: own.filter((each) => !each.includes(rule)), rule, place: placeWords(reason), warnings };
  const isByMode = kind === "default" || kind === "mode";
  return { own, words: isByMode ? `${words} The mode is “${modeName(mode)}”.` : words, warnings };
};

export const Why = ({ asked, tested }: { readonly asked: Asked; readonly tested: Tested | undefined }) => {
  const { own, rule, place, words, warnings } = whyOf(asked, tested);
  if (own.length === 0 && rule === undefined && words === undefined) return null;
  return (
    <div className="ask-why">
      <p>
        <b>Why it asks:</b>{" "}
        {own.map((each) => (
          <span key={each}>
            <TrueText text={each} />
            {". "}
          </span>
        ))}
        {rule !== undefined && (
          <>
            The rule{" "}
            <code>
              <TrueText text={rule} />
            </code>{" "}
            asks, {place}.
          </>
        )}
        {words !== undefined && <TrueText text={words} />}
      </p>
      {warnings.map((warning) => (
        <p key={warning}>{warning}</p>
      ))}
    </div>
  );
};

/** What one suggested rule would have allowed lately, and what is risky about it. */
export const ReachNote = ({ reach, calls }: { readonly reach: Reach | undefined; readonly calls: number }) => {
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
      {reach.risk !== undefined && <span className="bad"> Risky: {reach.risk.words}</span>}
    </small>
  );
};

export const reachWords = ({ newly, matched }: Pick<Reach, "newly" | "matched">, calls: number): string => {
  if (calls === 0) return "No earlier calls to compare with.";
  const last = `of the last ${plural(calls, "call")}`;
  if (newly === 0)
    return matched === 0 ? `Matches none ${last}.` : `Matches ${String(matched)} ${last}, all allowed anyway.`;
  return `Would also have allowed ${String(newly)} ${last}`;
};
