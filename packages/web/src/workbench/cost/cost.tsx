// What sessions cost: this one by turn, a project or all of them by day. Sums of days, projects and sessions come from the server.

import type { SessionView, TurnRow } from "@quarterdeck/client";
import { useEffect, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Segments } from "../../parts/segments.tsx";
import { useClient, useServerInfo, useSessionList, useSnapshot } from "../../store/client.tsx";
import { useHead } from "../../store/session.ts";
import { hrefOf } from "../../store/route.ts";
import { baseName, formatCost, formatCount, formatShare, formatSpan, formatTime, plural } from "../../words/format.ts";
import { modelName } from "../../words/names.ts";
import type { TabProps } from "../tab.ts";
import { cacheShareOf, columnsOf, csvOf, dayOf, modelsOf, PERIODS, rangeOf, tokensOf, topOf } from "./cost-model.ts";
import type { Period, UsageReport } from "./cost-model.ts";
import { BudgetLine, PlanLimits } from "./limits.tsx";
import "../panel.css";
import "./cost.css";

type Scope = "session" | "project" | "all";

export const Cost = ({ view }: TabProps) => {
  const [scope, setScope] = useState<Scope>("session");
  const [period, setPeriod] = useState<Period>(30);
  const project = useSessionList().sessions.find(({ id }) => id === view.id)?.project;
  const scopes = {
    session: "This session",
    project: project === undefined ? "Project" : baseName(project),
    all: "All projects",
  };
  return (
    <div className="bench-scroll cost" tabIndex={0} role="region" aria-label="Cost">
      <div className="cost-choices">
        <Segments label="Show" value={scope} choices={scopes} onChange={setScope} />
        {scope !== "session" && (
          <Segments
            label="Period"
            value={String(period)}
            choices={PERIODS}
            onChange={(value) => setPeriod(Number(value) as Period)}
          />
        )}
      </div>
      <BudgetLine view={view} />
      {scope === "session" ? (
        <SessionCost view={view} />
      ) : (
        <Report
          key={`${scope} ${period}`}
          period={period}
          {...(scope === "project" && project !== undefined && { project })}
        />
      )}
      <PlanLimits view={view} />
      <p className="cost-note">API prices, as Claude Code reports them. A subscription may bill differently.</p>
    </div>
  );
};

const SessionCost = ({ view }: { readonly view: SessionView }) => {
  const { gauges } = useHead(view);
  const { rows, more } = useSnapshot(view);
  const turns = rows.filter((row): row is TurnRow => row.kind === "turn" && row.parent === undefined);
  const sum = { costUsd: gauges.costUsd, turns: gauges.turns, apiMs: gauges.apiMs, byModel: gauges.byModel };
  const last = turns.at(-1);
  if (gauges.turns === 0) return <p className="bench-empty">The first turn has not ended. Its cost appears here.</p>;
  return (
    <>
      <dl className="cost-figures">
        <Figure name="This session" value={formatCost(gauges.costUsd)} about={plural(gauges.turns, "turn")} />
        <Figure
          name="Last turn"
          value={formatCost(last?.costUsd ?? 0)}
          about={last === undefined ? "" : formatSpan(last.durationMs)}
        />
        <Figure
          name="From the cache"
          value={formatShare(cacheShareOf(sum))}
          about={`${formatCount(tokensOf(sum))} tokens in all`}
        />
        <Figure
          name="Time at the API"
          value={formatSpan(gauges.apiMs)}
          about={`+${gauges.linesAdded} −${gauges.linesRemoved} lines`}
        />
      </dl>
      <ByModel sum={sum} />
      <section className="section">
        <h3>
          By turn <span className="num">{more ? `the last ${turns.length}` : turns.length}</span>
        </h3>
        <div className="cost-table-box" tabIndex={0} role="region" aria-label="Cost by turn">
          <table className="cost-table">
            <thead>
              <tr>
                <th scope="col">Turn</th>
                <th scope="col">Steps</th>
                <th scope="col">Tokens</th>
                <th scope="col">From cache</th>
                <th scope="col">Time</th>
                <th scope="col">Cost</th>
              </tr>
            </thead>
            <tbody>
              {turns.toReversed().map((turn) => (
                <tr key={turn.id}>
                  <th scope="row">
                    <a href={hrefOf(view.id, turn.id)}>{formatTime(turn.at)}</a>
                    {Object.keys(turn.byModel).length > 0 && (
                      <small> {Object.keys(turn.byModel).map(modelName).join(", ")}</small>
                    )}
                  </th>
                  <td className="num">{turn.steps}</td>
                  <td className="num">{formatCount(tokensOf(turn))}</td>
                  <td className="num">{formatShare(cacheShareOf(turn))}</td>
                  <td className="num">{formatSpan(turn.durationMs)}</td>
                  <td className="num">
                    <b>{formatCost(turn.costUsd)}</b>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </section>
    </>
  );
};

const Report = ({ period, project }: { readonly period: Period; readonly project?: string }) => {
  const client = useClient();
  const [now] = useState(Date.now);
  const [report, setReport] = useState<UsageReport>();
  const [problem, setProblem] = useState<string>();
  const { from, days } = rangeOf(period, now);
  useEffect(() => {
    const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    client
      .call("usage/report", { from, timeZone, ...(project !== undefined && { project }) })
      .then(setReport)
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)));
  }, [client, from, project]);
  if (problem !== undefined) return <p role="alert">{problem}</p>;
  if (report === undefined) return <p className="bench-empty">Loading…</p>;
  if (report.total.turns === 0)
    return <p className="bench-empty">No turn has ended in this time. Choose a longer period.</p>;
  const today = report.days.find(({ day }) => day === dayOf(now));
  return (
    <>
      <dl className="cost-figures">
        <Figure
          name={PERIODS[period]}
          value={formatCost(report.total.costUsd)}
          about={`${formatCost(report.total.costUsd / period)} a day`}
        />
        <Figure name="Today" value={formatCost(today?.costUsd ?? 0)} about={plural(today?.turns ?? 0, "turn")} />
        <Figure
          name="From the cache"
          value={formatShare(cacheShareOf(report.total))}
          about={`${formatCount(tokensOf(report.total))} tokens`}
        />
        <Figure
          name="Sessions"
          value={String(report.sessionCount)}
          about={formatSpan(report.total.apiMs) + " at the API"}
        />
      </dl>
      <ByDay report={report} days={days} />
      <ByModel sum={report.total} />
      <Sessions report={report} />
    </>
  );
};

const Figure = ({ name, value, about }: { readonly name: string; readonly value: string; readonly about: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <b className="num">{value}</b>
      <small className="num">{about}</small>
    </dd>
  </div>
);

const ByDay = ({ report, days }: { readonly report: UsageReport; readonly days: readonly string[] }) => {
  const columns = columnsOf(report, days);
  const models = modelsOf(report.total);
  const top = topOf(columns);
  const isWeekly = columns.length < days.length;
  return (
    <section className="section">
      <h3>
        {isWeekly ? "By week" : "By day"}{" "}
        <span className="cost-legend">
          {models.slice(0, 6).map((model, at) => (
            <span key={model}>
              <i className={`chart-${at % 6}`} /> {modelName(model)}
            </span>
          ))}
        </span>
      </h3>
      <div className="cost-chart">
        <span className="cost-top num">{formatCost(top)}</span>
        <ol>
          {columns.map(({ day, costUsd, parts }) => (
            <li key={day} title={`${day}: ${formatCost(costUsd)}`}>
              <span className="panel-hidden">
                {isWeekly ? "Week of " : ""}
                {day}: {formatCost(costUsd)}
              </span>
              {parts.toReversed().map((part) => (
                <i
                  key={part.model}
                  className={`chart-${models.indexOf(part.model) % 6}`}
                  style={{ height: `${(part.costUsd / top) * 100}%` }}
                />
              ))}
            </li>
          ))}
        </ol>
      </div>
      <p className="panel-axis num">
        <span>{days[0]}</span>
        <span>today</span>
      </p>
    </section>
  );
};

const ByModel = ({ sum }: { readonly sum: UsageReport["total"] }) => {
  const models = modelsOf(sum);
  const highest = Math.max(...models.map((model) => sum.byModel[model]!.costUsd), 0.000_001);
  return (
    <section className="section">
      <h3>By model</h3>
      <ul className="cost-models">
        {models.map((model, at) => {
          const use = sum.byModel[model]!;
          const own = { ...sum, byModel: { [model]: use } };
          return (
            <li key={model}>
              <span title={model}>{modelName(model)}</span>
              <b className="num">{formatCost(use.costUsd)}</b>
              <span className="cost-model-bar" aria-hidden="true">
                <i className={`chart-${at % 6}`} style={{ width: `${(use.costUsd / highest) * 100}%` }} />
              </span>
              <small className="num">
                {formatCount(use.input + use.cacheRead + use.cacheWrite)} in, {formatShare(cacheShareOf(own))} from the
                cache · {formatCount(use.output)} out
              </small>
            </li>
          );
        })}
      </ul>
    </section>
  );
};

const Sessions = ({ report }: { readonly report: UsageReport }) => {
  const home = useServerInfo()?.machine.home;
  return (
    <section className="section">
      <h3>
        Sessions <span className="num">{report.sessionCount}</span>
        <Button small onClick={() => download(csvOf(report))}>
          Export CSV
        </Button>
      </h3>
      <div className="cost-table-box" tabIndex={0} role="region" aria-label="Cost by session">
        <table className="cost-table">
          <thead>
            <tr>
              <th scope="col">Session</th>
              <th scope="col">Turns</th>
              <th scope="col">Tokens</th>
              <th scope="col">From cache</th>
              <th scope="col">API time</th>
              <th scope="col">Cost</th>
            </tr>
          </thead>
          <tbody>
            {report.sessions.map((session) => (
              <tr key={session.id}>
                <th scope="row">
                  <a href={hrefOf(session.id)}>{session.title ?? "Untitled"}</a>
                  <small title={session.project}>
                    {" "}
                    {session.project === home ? "~" : baseName(session.project)}
                    {session.forkOf !== undefined && " · fork, without its parent’s cost"}
                  </small>
                </th>
                <td className="num">{session.turns}</td>
                <td className="num">{formatCount(tokensOf(session))}</td>
                <td className="num">{formatShare(cacheShareOf(session))}</td>
                <td className="num">{formatSpan(session.apiMs)}</td>
                <td className="num">
                  <b>{formatCost(session.costUsd)}</b>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {report.sessions.length < report.sessionCount && (
        <p className="cost-note">
          The {report.sessions.length} dearest of {report.sessionCount}.
        </p>
      )}
    </section>
  );
};

const download = (text: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `quarterdeck-cost-${dayOf(Date.now())}.csv`;
  link.click();
  URL.revokeObjectURL(url);
};
