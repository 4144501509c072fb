// The board as a table. Only the rows in sight are drawn.

import { useRef } from "react";
import { Dot } from "../parts/badge.tsx";
import { Icon } from "../parts/icon.tsx";
import { useWindow } from "../parts/use-window.ts";
import { useMachines } from "../store/machines.ts";
import { baseName, formatAge, formatCost } from "../words/format.ts";
import { askedWords, sessionTitleOf, sessionWords } from "../words/session-words.ts";
import { STATE_WORDS, type BoardChoice, type BoardEntry, type Sort } from "./board-model.ts";
import { chooseOnBoard } from "./board-store.ts";
import { ChangedLines, PickBox, SessionLink, useBranch, type EntryProps } from "./card.tsx";
import { MachineName } from "./machine-name.tsx";
import { WORDS } from "./words.ts";

export interface TableProps {
  readonly entries: readonly BoardEntry[];
  readonly choice: BoardChoice;
  readonly picked: ReadonlySet<string>;
  readonly onPick: EntryProps["onPick"];
  readonly onPickAll: (picked: boolean) => void;
  readonly now: number;
}

const COLUMNS: readonly (readonly [name: string, sort: Sort | undefined, className: string])[] = [
  [WORDS.columns.state, "state", "board-c-state"],
  [WORDS.columns.title, "title", "board-c-title"],
  [WORDS.columns.line, undefined, "board-c-line"],
  [WORDS.columns.project, "project", "board-c-project"],
  [WORDS.columns.branch, undefined, "board-c-branch"],
  [WORDS.columns.machine, undefined, "board-c-machine"],
  [WORDS.columns.changes, "changes", "board-c-changes"],
  [WORDS.columns.cost, "cost", "board-c-cost"],
  [WORDS.columns.age, "age", "board-c-age"],
];

/** Words start at A, and numbers at the largest. */
const startsDown = (sort: Sort): boolean => sort === "changes" || sort === "cost" || sort === "age";

export const Table = ({ entries, choice, picked, onPick, onPickAll, now }: TableProps) => {
  const list = useRef<HTMLTableSectionElement>(null);
  const machines = useMachines();
  const { from, to, height } = useWindow(list, {
    count: entries.length,
    scroller: ".board-table",
    line: ".board-tr",
    guess: 38,
  });
  const all = entries.length > 0 && entries.every(({ summary }) => picked.has(summary.id));
  return (
    <div
      className={`board-table ${machines.length > 1 ? "board-of-fleet" : ""}`}
      tabIndex={0}
      role="region"
      aria-label={WORDS.sessions}
    >
      <table aria-rowcount={entries.length + 1}>
        <thead>
          <tr>
            <th scope="col" className="board-c-pick">
              <input
                type="checkbox"
                aria-label={WORDS.selectAll}
                checked={all}
                onChange={(event) => onPickAll(event.target.checked)}
              />
            </th>
            {COLUMNS.map(([name, sort, className]) => (
              <th
                key={name}
                scope="col"
                className={className}
                aria-sort={sort !== choice.sort ? undefined : choice.down ? "descending" : "ascending"}
              >
                {sort === undefined ? (
                  name
                ) : (
                  <button
                    type="button"
                    onClick={() =>
                      chooseOnBoard({ sort, down: choice.sort === sort ? !choice.down : startsDown(sort) })
                    }
                  >
                    {name}
                    {choice.sort === sort && <Icon name={choice.down ? "down" : "up"} size={12} />}
                  </button>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={list}>
          {from > 0 && <tr aria-hidden="true" style={{ height: from * height }} />}
          {entries.slice(from, to).map((entry, at) => (
            <TableRow
              key={entry.summary.id}
              entry={entry}
              at={from + at}
              picked={picked.has(entry.summary.id)}
              onPick={onPick}
              now={now}
            />
          ))}
          {to < entries.length && <tr aria-hidden="true" style={{ height: (entries.length - to) * height }} />}
        </tbody>
      </table>
    </div>
  );
};

const TableRow = (props: EntryProps & { readonly at: number }) => {
  const { entry, at, now } = props;
  const { summary, state } = entry;
  const branch = useBranch(summary);
  const [first] = summary.waiting;
  const line =
    first === undefined
      ? sessionWords(summary).line
      : WORDS.asked(sessionWords(summary).line, askedWords(first, summary.cwd));
  const { tone, name } = STATE_WORDS[state];
  return (
    <tr
      className={`board-tr ${props.picked ? "board-picked" : ""}`}
      aria-rowindex={at + 2}
      title={sessionTitleOf(summary)}
    >
      <td className="board-c-pick">
        <PickBox {...props} />
      </td>
      <td className={`board-c-state board-t-${state}`}>
        <Dot tone={tone} /> <span>{name}</span>
      </td>
      <th scope="row" className="board-c-title">
        <SessionLink entry={entry} />
      </th>
      <td className={`board-c-line ${state === "needs" ? "board-asks" : ""}`}>{line}</td>
      <td className="board-c-project">{baseName(summary.project)}</td>
      <td className="board-c-branch">{branch}</td>
      <td className="board-c-machine">
        <MachineName summary={summary} />
      </td>
      <td className="board-c-changes">
        <ChangedLines summary={summary} />
      </td>
      <td className="board-c-cost num">{formatCost(summary.costUsd)}</td>
      <td className="board-c-age num">{formatAge(summary.updatedAt, now)}</td>
    </tr>
  );
};
