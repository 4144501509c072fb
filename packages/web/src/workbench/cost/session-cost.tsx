// What one session cost: in all, by model, by kind of token, by turn, and what its agents used.

import type { SessionView, TurnRow } from "@quarterdeck/client";
import { useSnapshot } from "../../store/client.tsx";
import { hrefOf } from "../../store/route.ts";
import { useHead } from "../../store/session.ts";
import { formatCost, formatCount, formatLength, formatShare, formatTime, lineCounts } from "../../words/format.ts";
import { modelName } from "../../words/names.ts";
import { agentsIn, cacheShareOf, usedTokens, turnsCsv } from "./cost-model.ts";
import type { AgentUse } from "./cost-model.ts";
import { ByKind, ByModel, ExportButton, Figure } from "./cost-parts.tsx";
import { CostTable } from "./cost-table.tsx";
import { WORDS } from "./words.ts";

export const SessionCost = ({ view }: { readonly view: SessionView }) => {
  const { gauges, tasks } = useHead(view);
  const { rows, more } = useSnapshot(view);
  const turns = rows.filter((row): row is TurnRow => row.kind === "turn" && row.parent === undefined);
  const sum = { costUsd: gauges.costUsd, turns: gauges.turns, apiMs: gauges.apiMs, byModel: gauges.byModel };
  const last = turns.at(-1);
  if (gauges.turns === 0) return <p className="bench-empty">{WORDS.firstTurn}</p>;
  return (
    <>
      <dl className="cost-figures">
        <Figure name={WORDS.thisSession} value={formatCost(gauges.costUsd)} about={WORDS.turns(gauges.turns)} />
        <Figure
          name={WORDS.lastTurn}
          value={formatCost(last?.costUsd ?? 0)}
          about={last === undefined ? "" : formatLength(last.durationMs)}
        />
        <Figure
          name={WORDS.fromCache}
          value={formatShare(cacheShareOf(sum))}
          about={WORDS.tokensInAll(formatCount(usedTokens(sum)))}
        />
        <Figure
          name={WORDS.timeAtApi}
          value={formatLength(gauges.apiMs)}
          about={WORDS.lines(lineCounts(gauges.linesAdded, gauges.linesRemoved))}
        />
      </dl>
      <ByModel sum={sum} />
      <ByKind sum={sum} />
      <section className="section">
        <h3>
          {WORDS.byTurn} <span className="num">{more ? WORDS.theLast(turns.length) : turns.length}</span>
          <ExportButton text={() => turnsCsv(turns)} />
        </h3>
        <CostTable
          label={WORDS.costByTurn}
          columns={[
            { title: WORDS.columns.turn },
            { title: WORDS.columns.steps, isMinor: true },
            { title: WORDS.columns.tokens },
            { title: WORDS.columns.cache, isMinor: true },
            { title: WORDS.columns.time },
            { title: WORDS.columns.cost },
          ]}
        >
          {turns.toReversed().map((turn) => (
            <tr key={turn.id}>
              <th scope="row">
                <a href={hrefOf(view.id, turn.id)}>{formatTime(turn.at)}</a>
                {Object.keys(turn.byModel).length > 0 && (
                  <small> {Object.keys(turn.byModel).map(modelName).join(", ")}</small>
                )}
              </th>
              <td className="num cost-minor">{turn.steps}</td>
              <td className="num">{formatCount(usedTokens(turn))}</td>
              <td className="num cost-minor">{formatShare(cacheShareOf(turn))}</td>
              <td className="num">{formatLength(turn.durationMs)}</td>
              <td className="num">
                <b>{formatCost(turn.costUsd)}</b>
              </td>
            </tr>
          ))}
        </CostTable>
      </section>
      <Agents session={view.id} agents={agentsIn(rows, tasks)} />
    </>
  );
};

const Agents = ({ session, agents }: { readonly session: string; readonly agents: readonly AgentUse[] }) =>
  agents.length === 0 ? null : (
    <section className="section">
      <h3>
        {WORDS.byAgent} <span className="num">{agents.length}</span>
      </h3>
      <CostTable
        label={WORDS.useByAgent}
        columns={[
          { title: WORDS.columns.agent },
          { title: WORDS.columns.tools, isMinor: true },
          { title: WORDS.columns.tokens },
          { title: WORDS.columns.time },
        ]}
      >
        {agents.map(({ rowId, name, about, tokens, tools, ms }) => (
          <tr key={rowId}>
            <th scope="row">
              <a href={hrefOf(session, rowId)}>{about === "" ? name : about}</a>
              {about !== "" && <small> {name}</small>}
            </th>
            <td className="num cost-minor">{tools ?? "–"}</td>
            <td className="num">{tokens === undefined ? "–" : formatCount(tokens)}</td>
            <td className="num">{ms === undefined ? "–" : formatLength(ms)}</td>
          </tr>
        ))}
      </CostTable>
      <p className="cost-note cost-note-in">{WORDS.agentCost}</p>
    </section>
  );
