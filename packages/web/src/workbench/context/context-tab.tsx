// What fills the context: asked of the CLI when the tab is looked at and after each turn. The head keeps the last answer, so it is
// there before the first turn of a page and after the process has ended.

import type { ContextReport, SessionView } from "@quarterdeck/client";
import { isRunning } from "@quarterdeck/client/content";
import { useEffect, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { toastError } from "../../parts/toast.tsx";
import { useClient, useSnapshot } from "../../store/client.tsx";
import { may } from "../../store/may.ts";
import { useHead, useLastTurn } from "../../store/session.ts";
import { showInBench } from "../../store/workbench.ts";
import { formatAgo, formatCount, formatShare } from "../../words/format.ts";
import { useNow } from "../../store/now.ts";
import { byKey } from "../../words/by-key.ts";
import type { TabProps } from "../tab.ts";
import { growthOf, outlookOf, contextPartsOf, turnBars } from "./context-model.ts";
import type { Outlook, TurnBar } from "./context-model.ts";
import { WORDS } from "./words.ts";
import { fill } from "../../parts/fill.tsx";
import "../panel.css";
import "./context.css";

export const ContextTab = ({ view }: TabProps) => {
  const head = useHead(view);
  const problem = useContextRequest(view);
  const { contextReport: report } = head;
  const { context } = head.gauges;
  const bars = turnBars(useSnapshot(view).rows);
  if (report === undefined && context === undefined) return <p className="bench-empty">{problem ?? WORDS.notYet}</p>;
  const now = context?.used ?? report?.used ?? 0;
  const window = report?.window ?? context?.window;
  const growth = growthOf(bars);
  return (
    <div className="bench-scroll context" tabIndex={0} role="region" aria-label={WORDS.context}>
      <header className="context-head">
        <p>
          {fill(
            window === undefined
              ? WORDS.tokensWithoutWindow
              : WORDS.tokensOfWindow(formatCount(window), formatShare(now / window)),
            { tokens: <b className="num">{formatCount(now)}</b> },
          )}
        </p>
        <CompactButton view={view} />
      </header>
      {report !== undefined && (
        <>
          <Bar report={report} now={now} />
          <OutlookWords outlook={outlookOf(now, report, growth)} compacts={report.compactsAt !== undefined} />
          <Parts report={report} now={now} />
        </>
      )}
      {problem !== undefined && <p className="panel-note">{problem}</p>}
      <ByTurn
        bars={bars}
        {...(report?.compactsAt !== undefined && { compactsAt: report.compactsAt })}
        growth={growth}
      />
      {report !== undefined && <Heaviest report={report} />}
    </div>
  );
};

/** Asks when the tab is first seen and after each turn. Gives the reason where there is no answer. */
const useContextRequest = (view: SessionView): string | undefined => {
  const client = useClient();
  const turn = useLastTurn(view);
  const { process } = useHead(view);
  const isLive = process?.running === true;
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    if (!isLive) return;
    client
      .command("session/request", { session: view.id, request: { subtype: "get_context_usage" } })
      .then(() => setProblem(undefined))
      .catch(() => setProblem(WORDS.noAnswer));
  }, [client, view.id, isLive, turn?.id]);
  if (!isLive) return WORDS.ended;
  return problem;
};

const Bar = ({ report, now }: { readonly report: ContextReport; readonly now: number }) => {
  const { used, since, free, buffer } = contextPartsOf(report, now);
  const { window, compactsAt } = report;
  const width = (tokens: number) => ({ width: `${(tokens / window) * 100}%` });
  return (
    <div className="context-bar-box">
      {compactsAt !== undefined && (
        <span className="context-mark" style={{ left: `${(compactsAt / window) * 100}%` }}>
          <span>{WORDS.compactsAt(formatCount(compactsAt))}</span>
        </span>
      )}
      <div className="context-bar" role="img" aria-label={WORDS.used(formatShare(now / window))}>
        {used.map(({ name, tokens }, at) => (
          <i key={name} className={`chart-${at % CHART_COLORS}`} style={width(tokens)} />
        ))}
        {since > 0 && <i className="chart-since" style={width(since)} />}
        <i className="chart-free" style={width(free)} />
        <i className="chart-buffer" style={width(buffer)} />
      </div>
    </div>
  );
};
const CHART_COLORS = 6;

const OutlookWords = ({
  outlook: { left, turns, warns },
  compacts,
}: {
  readonly outlook: Outlook;
  readonly compacts: boolean;
}) => (
  <p className={warns ? "panel-warning" : "panel-note"} role={warns ? "status" : undefined}>
    {warns && WORDS.nearlyFull}
    {WORDS.left(formatCount(left), compacts, turns)}
  </p>
);

const Parts = ({ report, now }: { readonly report: ContextReport; readonly now: number }) => {
  const { used, since, free, buffer, deferred } = contextPartsOf(report, now);
  const at = useNow();
  const share = (tokens: number): string => `${((tokens / report.window) * 100).toFixed(1)} %`;
  const rows: (readonly [mark: string, name: string, tokens: number])[] = [
    ...used.map(
      ({ name, tokens }, index) => [`chart-${index % CHART_COLORS}`, byKey(WORDS.names, name), tokens] as const,
    ),
    ...(since > 0 ? [["chart-since", WORDS.since(formatAgo(report.at, at)), since] as const] : []),
    ["chart-free", WORDS.free, free],
    ...(buffer > 0 ? [["chart-buffer", WORDS.keptFree, buffer] as const] : []),
  ];
  const waiting = deferred.reduce((sum, { tokens }) => sum + tokens, 0);
  return (
    <table className="context-parts">
      <caption className="panel-hidden">{WORDS.parts}</caption>
      <tbody>
        {rows.map(([mark, name, tokens]) => (
          <tr key={name}>
            <th scope="row">
              <i className={mark} /> {name}
            </th>
            <td className="num">{formatCount(tokens)}</td>
            <td className="num">{share(tokens)}</td>
          </tr>
        ))}
        {waiting > 0 && (
          <tr className="context-deferred">
            <th scope="row">{WORDS.deferred}</th>
            <td className="num">{formatCount(waiting)}</td>
            <td>{WORDS.notUsed}</td>
          </tr>
        )}
      </tbody>
    </table>
  );
};

interface ByTurnProps {
  readonly bars: readonly TurnBar[];
  readonly compactsAt?: number;
  readonly growth: number | undefined;
}

const MOST_BARS = 24;
const NEXT_TURNS = 3;

const ByTurn = ({ bars, compactsAt, growth }: ByTurnProps) => {
  const shown = bars.slice(-MOST_BARS);
  const last = shown.at(-1);
  if (last === undefined) return null;
  const next =
    growth === undefined ? [] : Array.from({ length: NEXT_TURNS }, (_, at) => last.tokens + growth * (at + 1));
  const top = Math.max(compactsAt ?? 0, ...shown.map(({ tokens }) => tokens), ...next, 1);
  const height = (tokens: number) => ({ height: `${(tokens / top) * 100}%` });
  return (
    <section className="section context-section">
      <h3>
        {WORDS.byTurn} <span className="num">{WORDS.now(formatCount(last.tokens))}</span>
      </h3>
      <ol className="context-turns" style={{ ["--line-at" as string]: `${((compactsAt ?? 0) / top) * 100}%` }}>
        {shown.map(({ rowId, tokens, compacted }, at) => (
          <li key={rowId} className={compacted ? "context-compacted" : ""}>
            <i style={height(tokens)} title={(compacted ? WORDS.tokensCompacted : WORDS.tokens)(formatCount(tokens))} />
            <span className="panel-hidden">
              {(compacted ? WORDS.turnTokensCompacted : WORDS.turnTokens)(
                bars.length - shown.length + at + 1,
                formatCount(tokens),
              )}
            </span>
          </li>
        ))}
        {next.map((tokens, at) => (
          <li key={`next ${at}`} className="context-next" aria-hidden="true">
            <i style={height(tokens)} />
          </li>
        ))}
      </ol>
      <p className="panel-axis num">
        <span>{shown.length < bars.length ? WORDS.lastTurns(shown.length) : WORDS.firstTurn}</span>
        {next.length > 0 && <span>{WORDS.next}</span>}
      </p>
    </section>
  );
};

const { lists: TITLES } = WORDS;
type List = ContextReport["messages"];

const LISTS: readonly (readonly [title: string, listOf: (report: ContextReport) => List])[] = [
  [TITLES.messages, ({ messages }) => messages.filter(({ kind }) => kind !== "tool")],
  [TITLES.messageTools, ({ messages }) => messages.filter(({ kind }) => kind === "tool")],
  [TITLES.memory, ({ memoryFiles }) => memoryFiles],
  [TITLES.mcpTools, ({ mcpTools }) => mcpTools],
  [TITLES.systemTools, ({ systemTools }) => systemTools],
  [TITLES.skills, ({ skills }) => skills],
  [TITLES.agents, ({ agents }) => agents],
];
const FIRST_PARTS = 8;

const Heaviest = ({ report }: { readonly report: ContextReport }) =>
  LISTS.map(([title, listOf]) => {
    const list = listOf(report);
    if (list.length === 0) return null;
    return (
      <section key={title} className="section context-section" aria-label={title}>
        <h3>
          {title} <span className="num">{list.length}</span>
        </h3>
        <PartList parts={list} opens={title === TITLES.memory} />
      </section>
    );
  });

const PartList = ({ parts, opens }: { readonly parts: List; readonly opens: boolean }) => {
  const [all, setAll] = useState(false);
  const shown = all ? parts : parts.slice(0, FIRST_PARTS);
  return (
    <>
      <ul className="context-list">
        {shown.map(({ name, tokens }) => (
          <li key={name}>
            <code title={name}>{byKey(WORDS.names, name)}</code>
            <span className="num">{formatCount(tokens)}</span>
            {opens && (
              <Button small tone="quiet" onClick={() => showInBench({ tab: "files", path: name })}>
                {WORDS.open}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {!all && parts.length > FIRST_PARTS && (
        <Button small tone="quiet" onClick={() => setAll(true)}>
          {WORDS.showAll(parts.length)}
        </Button>
      )}
    </>
  );
};

/** Sends the CLI's own command. Instructions say what must be kept. */
const CompactButton = ({ view }: { readonly view: SessionView }) => {
  const client = useClient();
  const { process, phase } = useHead(view);
  const [isOpen, setOpen] = useState(false);
  const [words, setWords] = useState("");
  const content = words.trim() === "" ? "/compact" : `/compact ${words.trim()}`;
  if (process?.running !== true || !may(client, "session/prompt", { content })) return null;
  const send = (): void => {
    client.command("session/prompt", { session: view.id, content }).then(() => setOpen(false), toastError);
  };
  return (
    <>
      <Button small onClick={() => setOpen(true)}>
        {WORDS.compactMenu}
      </Button>
      {isOpen && (
        <Dialog
          title={WORDS.compactTitle}
          about={WORDS.compactAbout}
          onClose={() => setOpen(false)}
          footer={
            <>
              <Button onClick={() => setOpen(false)}>{WORDS.cancel}</Button>
              <Button tone="main" onClick={send}>
                {isRunning(phase) ? WORDS.compactAfter : WORDS.compactNow}
              </Button>
            </>
          }
        >
          <label className="field">
            <span className="label">{WORDS.keep}</span>
            <textarea rows={3} value={words} onChange={(event) => setWords(event.target.value)} />
          </label>
        </Dialog>
      )}
    </>
  );
};
