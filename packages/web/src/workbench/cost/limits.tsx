// What may be spent: the budgets that people set here, and the limits of the plan as Claude Code reports them.

import type { SessionView } from "@quarterdeck/client";
import { useState } from "react";
import { AmountField } from "../../budget/amount-field.tsx";
import { useBudget } from "../../budget/budget.ts";
import { TextButton } from "../../parts/text-button.tsx";
import { useClient } from "../../store/client.tsx";
import { may } from "../../store/may.ts";
import { useNow } from "../../store/now.ts";
import { useHead } from "../../store/session.ts";
import { formatCost, formatShare, formatSpan, formatTime } from "../../words/format.ts";
import { locale } from "../../words/language.ts";
import { useRequest } from "../use-request.ts";
import { planRows, type PlanRow } from "./plan-limits.ts";
import { WORDS } from "./words.ts";
import "../settings/settings.css";

export const BudgetLine = ({ view }: { readonly view: SessionView }) => {
  const client = useClient();
  const { gauges, budget: noted } = useHead(view);
  const { budget, reload } = useBudget(
    client,
    view.id,
    `${gauges.costUsd} ${noted?.limitUsd ?? ""} ${noted?.state ?? ""}`,
  );
  const [isOpen, setOpen] = useState(false);
  if (budget === undefined) return null;
  const { session, dayUsd, spentTodayUsd } = budget;
  const bars = [
    ...(session?.limitUsd === undefined
      ? []
      : [{ name: WORDS.sessionBudget, spent: session.spentUsd, limit: session.limitUsd }]),
    ...(dayUsd === undefined ? [] : [{ name: WORDS.dayBudget, spent: spentTodayUsd, limit: dayUsd }]),
  ];
  const mayDay = may(client, "budgets/set", { dayUsd: 1 });
  const save = (change: { dayUsd?: number | null; limitUsd?: number | null }): Promise<unknown> =>
    client.command("budgets/set", { session: view.id, ...change }).then(reload);
  return (
    <section className="section">
      <h3>
        {WORDS.budgets}
        {may(client, "budgets/set", { limitUsd: 1 }) && (
          <TextButton expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? WORDS.done : WORDS.change}
          </TextButton>
        )}
      </h3>
      {bars.length === 0 && <p className="set-about">{WORDS.noBudget(formatCost(spentTodayUsd))}</p>}
      {bars.map(({ name, spent, limit }) => (
        <Bar
          key={name}
          name={name}
          share={spent / limit}
          words={(spent >= limit ? WORDS.allSpent : spent >= limit * 0.8 ? WORDS.nearlySpent : WORDS.spent)(
            formatCost(spent),
            formatCost(limit),
          )}
        />
      ))}
      {isOpen && (
        <>
          <AmountField
            label={WORDS.sessionBudgetField}
            value={session?.limitUsd}
            onSave={(limitUsd) => save({ limitUsd })}
          />
          {mayDay && (
            <AmountField label={WORDS.dayBudgetField} value={dayUsd} onSave={(amount) => save({ dayUsd: amount })} />
          )}
        </>
      )}
    </section>
  );
};

export const PlanLimits = ({ view }: { readonly view: SessionView }) => {
  const client = useClient();
  const now = useNow();
  const head = useHead(view);
  const isLive = head.process?.running === true;
  const { answer, problem } = useRequest(client, view.id, "get_usage", isLive, head.gauges.turns);
  const rows = planRows(answer, head.limits);
  const plan = answer?.["subscription_type"];
  return (
    <section className="section">
      <h3>
        {WORDS.plan} <span>{typeof plan === "string" ? plan : ""}</span>
      </h3>
      {rows.map((row) => (
        <Bar key={row.name} name={row.name} share={row.share} words={wordsOf(row, now)} />
      ))}
      {rows.length === 0 && (
        <p className="set-about">
          {!isLive
            ? WORDS.ended
            : problem !== undefined
              ? WORDS.notReported
              : answer === undefined
                ? WORDS.asking
                : WORDS.noLimits}
        </p>
      )}
    </section>
  );
};

const STATUS: Readonly<Record<string, string>> = WORDS.states;

const wordsOf = ({ share, resetsAt, status }: PlanRow, now: number): string =>
  [
    ...(share === undefined ? [] : [formatShare(share)]),
    ...(status !== undefined && Object.hasOwn(STATUS, status) ? [STATUS[status]!] : []),
    ...(resetsAt === undefined
      ? []
      : [
          resetsAt > now
            ? WORDS.resetsIn(formatSpan(resetsAt - now), resetTime(resetsAt, now))
            : WORDS.resetsAt(resetTime(resetsAt, now)),
        ]),
  ].join(" · ");

/** A limit of a week resets on another day. */
const resetTime = (at: number, now: number): string =>
  at - now < 20 * 3_600_000
    ? formatTime(at)
    : new Date(at).toLocaleString(locale, { weekday: "short", hour: "2-digit", minute: "2-digit" });

const Bar = ({
  name,
  share,
  words,
}: {
  readonly name: string;
  readonly share?: number | undefined;
  readonly words: string;
}) => (
  <div className="cost-limit">
    <span>{name}</span>
    <span className="num">{words}</span>
    {share !== undefined && (
      <span className="cost-model-bar" aria-hidden="true">
        <i
          className={share >= 0.8 ? "cost-limit-near" : "chart-0"}
          style={{ width: `${Math.min(1, Math.max(0, share)) * 100}%` }}
        />
      </span>
    )}
  </div>
);
