// The board by state: a lane for each. A long lane draws only what is in sight.

import { useRef } from "react";
import { Dot } from "../parts/badge.tsx";
import { useWindow } from "../parts/use-window.ts";
import { STATE_WORDS, type BoardLane } from "./board-model.ts";
import { Card, BoardRow, type EntryProps } from "./card.tsx";
import { WORDS } from "./words.ts";

export interface LanesProps {
  readonly lanes: readonly BoardLane[];
  readonly picked: ReadonlySet<string>;
  readonly onPick: EntryProps["onPick"];
  readonly now: number;
}

export const Lanes = ({ lanes, picked, onPick, now }: LanesProps) => (
  <div className="board-lanes" tabIndex={0} role="region" aria-label={WORDS.lanes} onKeyDown={walk}>
    {lanes.map((lane) => (
      <section key={lane.state} className="board-lane" aria-label={STATE_WORDS[lane.state].name}>
        <h2 className={`board-head board-head-${lane.state}`}>
          <Dot tone={STATE_WORDS[lane.state].tone} />
          {STATE_WORDS[lane.state].name}
          <span className="num">{lane.cards.length + lane.lines.length}</span>
        </h2>
        <div className="board-scroll">
          {lane.cards.length > 0 && (
            <ul className="board-cards">
              {lane.cards.map((entry) => (
                <Card
                  key={entry.summary.id}
                  entry={entry}
                  picked={picked.has(entry.summary.id)}
                  onPick={onPick}
                  now={now}
                />
              ))}
            </ul>
          )}
          {lane.lines.length > 0 && <Lines lane={lane} picked={picked} onPick={onPick} now={now} />}
        </div>
      </section>
    ))}
  </div>
);

const Lines = ({ lane: { lines }, picked, onPick, now }: Omit<LanesProps, "lanes"> & { readonly lane: BoardLane }) => {
  const list = useRef<HTMLUListElement>(null);
  const { from, to, height } = useWindow(list, {
    count: lines.length,
    scroller: ".board-scroll",
    line: ".board-row",
    guess: 34,
  });
  return (
    <ul ref={list} className="board-rows" style={{ height: lines.length * height, paddingTop: from * height }}>
      {lines.slice(from, to).map((entry) => (
        <BoardRow
          key={entry.summary.id}
          entry={entry}
          picked={picked.has(entry.summary.id)}
          onPick={onPick}
          now={now}
        />
      ))}
    </ul>
  );
};

/** Arrow keys go through the cards of a lane, and to the lanes beside it. X selects. */
const walk = (event: React.KeyboardEvent<HTMLElement>): void => {
  const link = event.target instanceof Element ? event.target.closest<HTMLElement>(".board-link") : null;
  if (link === null || event.altKey || event.ctrlKey || event.metaKey) return;
  const lanes = [...event.currentTarget.querySelectorAll(".board-lane")].map((lane) => [
    ...lane.querySelectorAll<HTMLElement>(".board-link"),
  ]);
  const lane = lanes.findIndex((links) => links.includes(link));
  const at = lanes[lane]!.indexOf(link);
  const beside = (by: 1 | -1): HTMLElement | undefined => {
    for (let next = lane + by; next >= 0 && next < lanes.length; next += by) {
      const links = lanes[next]!;
      if (links.length > 0) return links[Math.min(at, links.length - 1)];
    }
    return undefined;
  };
  if (event.key.toLowerCase() === "x") link.closest("li")?.querySelector<HTMLElement>(".board-pick")?.click();
  else if (event.key === "ArrowDown") lanes[lane]![at + 1]?.focus();
  else if (event.key === "ArrowUp") lanes[lane]![at - 1]?.focus();
  else if (event.key === "ArrowRight") beside(1)?.focus();
  else if (event.key === "ArrowLeft") beside(-1)?.focus();
  else return;
  event.preventDefault();
};
