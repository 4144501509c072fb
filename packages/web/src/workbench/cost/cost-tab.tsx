// What sessions cost: this one by turn, a project or all of them by day. Sums of days, projects and sessions come from the server.

import { useEffect, useState } from "react";
import { Segments } from "../../parts/segments.tsx";
import { useBudget } from "../../budget/budget.ts";
import { useClient, useServerInfo, useSessionList } from "../../store/client.tsx";
import { useMachines } from "../../store/machines.ts";
import { hrefOf } from "../../store/route.ts";
import { baseName, formatCost, formatCount, formatLength, formatShare } from "../../words/format.ts";
import { modelName } from "../../words/names.ts";
import type { TabProps } from "../tab.ts";
import {
  budgetIn,
  cacheShareOf,
  columnsOf,
  csvOf,
  dayOf,
  modelsByCost,
  PERIODS,
  rangeOf,
  usedTokens,
  topOf,
} from "./cost-model.ts";
import type { Period, UsageOfMachines } from "./cost-model.ts";
import { ByKind, ByModel, ExportButton, Figure } from "./cost-parts.tsx";
import { CostTable } from "./cost-table.tsx";
import { BudgetLine, PlanLimits } from "./limits.tsx";
import { SessionCost } from "./session-cost.tsx";
import { WORDS } from "./words.ts";
import "../panel.css";
import "./cost.css";

type Scope = "session" | "project" | "all";

export const CostTab = ({ view }: TabProps) => {
  const [scope, setScope] = useState<Scope>("session");
  const [period, setPeriod] = useState<Period>(30);
  const project = useSessionList().sessions.find(({ id }) => id === view.id)?.project;
  const scopes = {
    session: WORDS.thisSession,
    project: project === undefined ? WORDS.project : baseName(project),
    all: WORDS.allProjects,
  };
  return (
    <div className="bench-scroll cost" tabIndex={0} role="region" aria-label={WORDS.cost}>
      <div className="cost-choices">
        <Segments label={WORDS.show} value={scope} choices={scopes} onChange={setScope} />
        {scope !== "session" && (
          <Segments
            label={WORDS.period}
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
      <p className="cost-note">{WORDS.prices}</p>
    </div>
  );
};

const Report = ({ period, project }: { readonly period: Period; readonly project?: string }) => {
  const client = useClient();
  const [now] = useState(Date.now);
  const machines = useMachines();
  const [report, setReport] = useState<UsageOfMachines>();
  const [problem, setProblem] = useState<string>();
  const { from, days } = rangeOf(period, now);
  const dayUsd = useBudget(client, undefined).budget?.dayUsd;
  useEffect(() => {
    const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    client
      .call("usage/report", { from, timeZone, ...(project !== undefined && { project }) })
      .then(setReport)
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)));
  }, [client, from, project]);
  if (problem !== undefined) return <p role="alert">{problem}</p>;
  if (report === undefined) return <p className="bench-empty">{WORDS.loading}</p>;
  if (report.total.turns === 0) return <p className="bench-empty">{WORDS.noTurns}</p>;
  const silent = machines.filter(({ name }) => report.machines?.every((sum) => sum.name !== name) === true);
  const today = report.days.find(({ day }) => day === dayOf(now));
  return (
    <>
      <dl className="cost-figures">
        <Figure
          name={PERIODS[period]}
          value={formatCost(report.total.costUsd)}
          about={WORDS.perDay(formatCost(report.total.costUsd / period))}
        />
        <Figure name={WORDS.today} value={formatCost(today?.costUsd ?? 0)} about={WORDS.turns(today?.turns ?? 0)} />
        <Figure
          name={WORDS.fromCache}
          value={formatShare(cacheShareOf(report.total))}
          about={WORDS.tokens(formatCount(usedTokens(report.total)))}
        />
        <Figure
          name={WORDS.sessions}
          value={String(report.sessionCount)}
          about={WORDS.atApi(formatLength(report.total.apiMs))}
        />
      </dl>
      <ByDay report={report} days={days} {...(project === undefined && dayUsd !== undefined && { dayUsd })} />
      <ByModel sum={report.total} />
      <ByKind sum={report.total} />
      {report.machines !== undefined && (
        <Bars
          label={WORDS.costByMachine}
          title={WORDS.byMachine}
          sums={report.machines.map((sum) => ({ key: sum.name, ...sum }))}
        />
      )}
      {silent.length > 0 && <p className="cost-note">{WORDS.notCounted(silent.map(({ name }) => name).join(", "))}</p>}
      {project === undefined && report.projects.length > 1 && (
        <Bars
          label={WORDS.costByProject}
          title={WORDS.byProject}
          sums={report.projects.map((sum) => ({ key: sum.path, name: baseName(sum.path), ...sum }))}
        />
      )}
      <Sessions report={report} />
    </>
  );
};

interface ByDayProps {
  readonly report: UsageOfMachines;
  readonly days: readonly string[];
  /** The budget of a day for all sessions. */
  readonly dayUsd?: number;
}

const ByDay = ({ report, days, dayUsd }: ByDayProps) => {
  const columns = columnsOf(report, days);
  const models = modelsByCost(report.total);
  const isWeekly = columns.length < days.length;
  const budget = budgetIn(columns, dayUsd, isWeekly);
  const top = topOf(columns, budget);
  return (
    <section className="section">
      <h3>
        {isWeekly ? WORDS.byWeek : WORDS.byDay}{" "}
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
        {budget !== undefined && (
          <span className="cost-budget num" style={{ ["--at" as string]: budget / top }}>
            <span>{(isWeekly ? WORDS.budgetOfWeek : WORDS.budgetOfDay)(formatCost(budget))}</span>
          </span>
        )}
        <ol>
          {columns.map(({ day, costUsd, parts }) => (
            <li key={day} title={WORDS.dayCost(day, formatCost(costUsd))}>
              <span className="panel-hidden">
                {(isWeekly ? WORDS.weekCost : WORDS.dayCost)(day, formatCost(costUsd))}
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
        <span>{WORDS.todayMark}</span>
      </p>
    </section>
  );
};

const MOST_PROJECTS = 12;

interface BarsProps {
  readonly label: string;
  readonly title: string;
  readonly sums: readonly ({ readonly key: string; readonly name: string } & UsageOfMachines["total"])[];
}

const Bars = ({ label, title, sums }: BarsProps) => {
  const highest = Math.max(...sums.map(({ costUsd }) => costUsd), 0.000_001);
  return (
    <section className="section" aria-label={label}>
      <h3>
        {title} <span className="num">{sums.length}</span>
      </h3>
      <ul className="cost-models">
        {sums.slice(0, MOST_PROJECTS).map((sum) => (
          <li key={sum.key}>
            <span title={sum.key}>{sum.name}</span>
            <b className="num">{formatCost(sum.costUsd)}</b>
            <span className="cost-model-bar" aria-hidden="true">
              <i className="chart-0" style={{ width: `${(sum.costUsd / highest) * 100}%` }} />
            </span>
            <small className="num">{WORDS.turnsAndTokens(sum.turns, formatCount(usedTokens(sum)))}</small>
          </li>
        ))}
      </ul>
    </section>
  );
};

const Sessions = ({ report }: { readonly report: UsageOfMachines }) => {
  const home = useServerInfo()?.machine.home;
  return (
    <section className="section">
      <h3>
        {WORDS.sessions} <span className="num">{report.sessionCount}</span>
        <ExportButton text={() => csvOf(report)} />
      </h3>
      <CostTable
        label={WORDS.costBySession}
        columns={[
          { title: WORDS.columns.session },
          { title: WORDS.columns.turns, isMinor: true },
          { title: WORDS.columns.tokens },
          { title: WORDS.columns.cache, isMinor: true },
          { title: WORDS.columns.apiTime, isMinor: true },
          { title: WORDS.columns.cost },
        ]}
      >
        {report.sessions.map((session) => (
          <tr key={session.id}>
            <th scope="row">
              <a href={hrefOf(session.id)}>{session.title ?? WORDS.untitled}</a>
              <small title={session.project}>
                {" "}
                {session.project === home ? "~" : baseName(session.project)}
                {session.forkOf !== undefined && WORDS.fork}
              </small>
            </th>
            <td className="num cost-minor">{session.turns}</td>
            <td className="num">{formatCount(usedTokens(session))}</td>
            <td className="num cost-minor">{formatShare(cacheShareOf(session))}</td>
            <td className="num cost-minor">{formatLength(session.apiMs)}</td>
            <td className="num">
              <b>{formatCost(session.costUsd)}</b>
            </td>
          </tr>
        ))}
      </CostTable>
      {report.sessions.length < report.sessionCount && (
        <p className="cost-note">{WORDS.dearest(report.sessions.length, report.sessionCount)}</p>
      )}
    </section>
  );
};
