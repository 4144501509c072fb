// What one session cost: in all, by model, by kind of token, by turn, and what its agents used.

import type { SessionView, TurnRow } from "@quarterdeck/client";
import { useSnapshot } from "../../store/client.tsx";
import { LineCounts } from "../../parts/line-counts.tsx";
import { hrefOf } from "../../store/route.ts";
import { useHead } from "../../store/session.ts";
import { formatCost, formatCount, formatLength, formatShare, formatTime, plural } from "../../words/format.ts";
import { modelName } from "../../words/names.ts";
import { agentsIn, cacheShareOf, tokensOf, turnsCsv } from "./cost-model.ts";
import type { AgentUse } from "./cost-model.ts";
import { ByKind, ByModel, ExportButton, Figure } from "./cost-parts.tsx";

export const SessionCost = ({ view }: { readonly view: SessionView }) => {
  const { gauges, tasks } = useHead(view);
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
          about={last === undefined ? "" : formatLength(last.durationMs)}
        />
        <Figure
          name="From the cache"
          value={formatShare(cacheShareOf(sum))}
          about={`${formatCount(tokensOf(sum))} tokens in all`}
        />
        <Figure
          name="Time at the API"
          value={formatLength(gauges.apiMs)}
          about={
            gauges.linesAdded + gauges.linesRemoved === 0 ? (
              "no lines changed"
            ) : (
              <>
                <LineCounts added={gauges.linesAdded} removed={gauges.linesRemoved} /> lines
              </>
            )
          }
        />
      </dl>
      <ByModel sum={sum} />
      <ByKind sum={sum} />
      <section className="section">
        <h3>
          By turn <span className="num">{more ? `the last ${turns.length}` : turns.length}</span>
          <ExportButton text={() => turnsCsv(turns)} />
        </h3>
        <div className="cost-table-box" tabIndex={0} role="region" aria-label="Cost by turn">
          <table className="cost-table">
            <thead>
              <tr>
                <th scope="col">Turn</th>
                <th scope="col" className="cost-minor">
                  Steps
                </th>
                <th scope="col">Tokens</th>
                <th scope="col" className="cost-minor">
                  From cache
                </th>
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
                  <td className="num cost-minor">{turn.steps}</td>
                  <td className="num">{formatCount(tokensOf(turn))}</td>
                  <td className="num cost-minor">{formatShare(cacheShareOf(turn))}</td>
                  <td className="num">{formatLength(turn.durationMs)}</td>
                  <td className="num">
                    <b>{formatCost(turn.costUsd)}</b>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </section>
      <Agents session={view.id} agents={agentsIn(rows, tasks)} />
    </>
  );
};

const Agents = ({ session, agents }: { readonly session: string; readonly agents: readonly AgentUse[] }) =>
  agents.length === 0 ? null : (
    <section className="section">
      <h3>
        By agent <span className="num">{agents.length}</span>
      </h3>
      <div className="cost-table-box" tabIndex={0} role="region" aria-label="Use by agent">
        <table className="cost-table">
          <thead>
            <tr>
              <th scope="col">Agent</th>
              <th scope="col" className="cost-minor">
                Tool calls
              </th>
              <th scope="col">Tokens</th>
              <th scope="col">Time</th>
            </tr>
          </thead>
          <tbody>
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
          </tbody>
        </table>
      </div>
      <p className="cost-note cost-note-in">
        Claude Code reports tokens of an agent, not its cost. The cost is part of the turn.
      </p>
    </section>
  );
