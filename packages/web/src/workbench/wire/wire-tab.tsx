// Raw messages between host and CLI, both ways, as the log has them.

import type { SessionView } from "@quarterdeck/client";
import { useEffect, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { CopyButton, TextButton } from "../../parts/text-button.tsx";
import { Segments } from "../../parts/segments.tsx";
import { JsonView } from "../../content/text/json-view.tsx";
import { useClient } from "../../store/client.tsx";
import { useHead } from "../../store/session.ts";
import { locale } from "../../words/language.ts";
import type { TabProps } from "../tab.ts";
import { DebugSwitches } from "./debug-switches.tsx";
import { typeCounts, passesFilter, fixtureOf, knownAmong, totalOf, UNKNOWN, wireLineOf } from "./wire-model.ts";
import type { TypeCount, WireFilter, WireLine } from "./wire-model.ts";
import { WORDS } from "./words.ts";
import "../panel.css";
import "./wire.css";

const PAGE = 500;
const SHOWN = 200;

export const WireTab = ({ view }: TabProps) => {
  const { lines, first, problem, older, knownTypes } = useLines(view);
  const { counts } = useHead(view);
  const [filter, setFilter] = useState<WireFilter>({ dir: "all", type: "", text: "" });
  const types = typeCounts(lines);
  const found = lines.filter((line) => passesFilter(line, filter));
  const shown = found.slice(-SHOWN);
  const change = (part: Partial<WireFilter>): void => setFilter({ ...filter, ...part });
  return (
    <div className="bench-scroll wire" tabIndex={0} role="region" aria-label={WORDS.wire}>
      <div className="wire-filter">
        <Segments
          label={WORDS.direction}
          value={filter.dir}
          choices={WORDS.directions}
          onChange={(dir) => change({ dir })}
        />
        <label>
          <span className="panel-hidden">{WORDS.type}</span>
          <select value={filter.type} onChange={(event) => change({ type: event.target.value })}>
            <option value="">{WORDS.allTypes(types.length)}</option>
            <option value={UNKNOWN}>
              {WORDS.unknownTypes(lines.filter(({ unknown }) => unknown !== undefined).length)}
            </option>
            {types.map((count) => (
              <option key={count.type} value={count.type}>
                {count.type} ({totalOf(count)})
              </option>
            ))}
          </select>
        </label>
        <input
          type="search"
          aria-label={WORDS.search}
          placeholder={WORDS.search}
          value={filter.text}
          onChange={(event) => change({ text: event.target.value })}
        />
      </div>
      {problem !== undefined && <p role="alert">{problem}</p>}
      <p className="panel-note">
        {WORDS.messages(found.length)}
        {found.length > shown.length && WORDS.shown(shown.length)}
        {counts.unknown > 0 && WORDS.ofUnknownType(counts.unknown)}
        {counts.noise > 0 && WORDS.notJson(counts.noise)}{" "}
        <CopyButton label={WORDS.copyFixture} text={() => fixtureOf(found)} />
      </p>
      <Counts counts={types} of={knownTypes} onChoose={(type) => change({ type })} />
      <DebugSwitches view={view} />
      {first > 0 && (
        <p className="panel-note">
          <Button small tone="quiet" onClick={older}>
            {WORDS.loadOlder}
          </Button>
        </p>
      )}
      <ol className="wire-lines">
        {shown.map((line) => (
          <Line key={line.seq} line={line} />
        ))}
      </ol>
    </div>
  );
};

/** The newest part of the log, and what comes. The log is asked again when the head says that something happened. */
const useLines = (view: SessionView) => {
  const client = useClient();
  const { lastEventAt } = useHead(view);
  const [lines, setLines] = useState<readonly WireLine[]>([]);
  const [knownTypes, setKnownTypes] = useState(0);
  const [first, setFirst] = useState<number>();
  const [problem, setProblem] = useState<string>();
  const [wanted, setWanted] = useState(PAGE);
  useEffect(() => {
    let isGone = false;
    const load = async (): Promise<void> => {
      const { lastSeq } = await client.call("session/events", { session: view.id, after: 0, limit: 1 });
      const start = Math.max(0, lastSeq - wanted);
      const read: WireLine[] = [];
      let known = 0;
      for (let after = start; ;) {
        const page = await client.call("session/events", { session: view.id, after, limit: PAGE, judge: true });
        const unknown = new Map(page.unknown?.map(({ seq, reason }) => [seq, reason]));
        read.push(...page.events.map((event) => wireLineOf(event, unknown.get(event.seq))));
        known = page.knownTypes ?? known;
        after = page.events.at(-1)?.seq ?? page.lastSeq;
        if (page.events.length === 0 || after >= page.lastSeq) break;
      }
      if (isGone) return;
      setLines(read);
      setKnownTypes(known);
      setFirst(start);
      setProblem(undefined);
    };
    // A stream of events asks once, not for each.
    const timer = setTimeout(() => void load().catch((error: unknown) => setProblem(String(error))), SETTLE_MS);
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [client, view.id, lastEventAt, wanted]);
  return { lines, knownTypes, first: first ?? 0, problem, older: () => setWanted(wanted + PAGE) };
};
const SETTLE_MS = 300;

const MARKS = { in: "→", out: "←", host: "·" } as const;

/** Each type with its counts, against what the protocol knows. */
const Counts = ({
  counts,
  of,
  onChoose,
}: {
  readonly counts: readonly TypeCount[];
  readonly of: number;
  readonly onChoose: (type: string) => void;
}) => {
  const seen = knownAmong(counts);
  const strange = counts.filter(({ unknown }) => unknown > 0).length;
  return (
    <details className="wire-counts">
      <summary>
        {WORDS.knownTypes(seen, of)}
        {strange > 0 && WORDS.strangeTypes(strange)}
      </summary>
      <table>
        <thead>
          <tr>
            <th scope="col">{WORDS.type}</th>
            <th scope="col">{WORDS.sent}</th>
            <th scope="col">{WORDS.received}</th>
            <th scope="col">{WORDS.unknown}</th>
          </tr>
        </thead>
        <tbody>
          {counts
            .filter(({ host }) => host === 0)
            .map(({ type, in: sent, out, unknown }) => (
              <tr key={type}>
                <th scope="row">
                  <TextButton onClick={() => onChoose(type)}>
                    <code>{type}</code>
                  </TextButton>
                </th>
                <td className="num">{sent}</td>
                <td className="num">{out}</td>
                <td className="num">{unknown > 0 ? <b className="wire-strange">{unknown}</b> : 0}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </details>
  );
};

const Line = ({ line: { seq, at, dir, type, value, unknown } }: { readonly line: WireLine }) => {
  const [isOpen, setOpen] = useState(false);

  return (
    <li className={`wire-line wire-${dir}`}>
      <TextButton expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <code>{type}</code>
        <span className="panel-hidden">{WORDS.way[dir](seq)}</span>
        {unknown !== undefined && <b className="wire-strange">{WORDS.isUnknown}</b>}
        <span className="num wire-seq" aria-hidden="true">
          {seq} {MARKS[dir]}
        </span>
        <span className="wire-start" aria-hidden="true">
          {JSON.stringify(value).slice(0, 160)}
        </span>
        <span className="num wire-at" aria-hidden="true">
          {new Date(at).toLocaleTimeString(locale)}
        </span>
      </TextButton>
      {isOpen && unknown !== undefined && <p className="panel-note">{WORDS.why(unknown)}</p>}
      {isOpen && <JsonView value={value} name={`wire/${seq}`} />}
    </li>
  );
};
