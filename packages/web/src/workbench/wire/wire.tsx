// Raw messages between host and CLI, both ways, as the log has them.

import type { SessionView } from "@quarterdeck/client";
import { useEffect, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { CopyButton, TextButton } from "../../parts/text-button.tsx";
import { Segments } from "../../parts/segments.tsx";
import { JsonView } from "../../content/text/json-view.tsx";
import { useClient } from "../../store/client.tsx";
import { useHead } from "../../store/session.ts";
import { plural } from "../../words/format.ts";
import type { TabProps } from "../tab.ts";
import { countsOf, fits, fixtureOf, wireLineOf } from "./wire-model.ts";
import type { WireFilter, WireLine } from "./wire-model.ts";
import "../panel.css";
import "./wire.css";

const PAGE = 500;
const SHOWN = 200;

export const Wire = ({ view }: TabProps) => {
  const { lines, first, problem, older } = useLines(view);
  const { counts } = useHead(view);
  const [filter, setFilter] = useState<WireFilter>({ dir: "all", type: "", text: "" });
  const types = countsOf(lines);
  const found = lines.filter((line) => fits(line, filter));
  const shown = found.slice(-SHOWN);
  const change = (part: Partial<WireFilter>): void => setFilter({ ...filter, ...part });
  return (
    <div className="bench-scroll wire" tabIndex={0} role="region" aria-label="Wire">
      <div className="wire-filter">
        <Segments
          label="Direction"
          value={filter.dir}
          choices={{ all: "All", in: "To the CLI", out: "From the CLI", host: "Host" }}
          onChange={(dir) => change({ dir })}
        />
        <label>
          <span className="panel-hidden">Type</span>
          <select value={filter.type} onChange={(event) => change({ type: event.target.value })}>
            <option value="">All types ({types.length})</option>
            {types.map(([type, count]) => (
              <option key={type} value={type}>
                {type} ({count})
              </option>
            ))}
          </select>
        </label>
        <input
          type="search"
          aria-label="Search in messages"
          placeholder="Search in messages"
          value={filter.text}
          onChange={(event) => change({ text: event.target.value })}
        />
      </div>
      {problem !== undefined && <p role="alert">{problem}</p>}
      <p className="panel-note">
        {plural(found.length, "message")}
        {found.length > shown.length && `, the last ${shown.length} are shown`}
        {counts.unknown > 0 && ` · ${plural(counts.unknown, "message")} of an unknown type`}
        {counts.noise > 0 &&
          ` · ${plural(counts.noise, "line")} that ${counts.noise === 1 ? "is" : "are"} not JSON`}{" "}
        <CopyButton label="Copy as fixture" text={() => fixtureOf(found)} />
      </p>
      {first > 0 && (
        <p className="panel-note">
          <Button small tone="quiet" onClick={older}>
            Load older messages
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
  const [first, setFirst] = useState<number>();
  const [problem, setProblem] = useState<string>();
  const [wanted, setWanted] = useState(PAGE);
  useEffect(() => {
    let isGone = false;
    const load = async (): Promise<void> => {
      const { lastSeq } = await client.call("session/events", { session: view.id, after: 0, limit: 1 });
      const start = Math.max(0, lastSeq - wanted);
      const events = [];
      for (let after = start; ;) {
        const page = await client.call("session/events", { session: view.id, after, limit: PAGE });
        events.push(...page.events);
        after = page.events.at(-1)?.seq ?? page.lastSeq;
        if (page.events.length === 0 || after >= page.lastSeq) break;
      }
      if (isGone) return;
      setLines(events.map(wireLineOf));
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
  return { lines, first: first ?? 0, problem, older: () => setWanted(wanted + PAGE) };
};
const SETTLE_MS = 300;

const MARKS = { in: ["→", "to the CLI"], out: ["←", "from the CLI"], host: ["·", "fact of the host"] } as const;

const Line = ({ line: { seq, at, dir, type, value } }: { readonly line: WireLine }) => {
  const [isOpen, setOpen] = useState(false);
  const [mark, words] = MARKS[dir];
  return (
    <li className={`wire-line wire-${dir}`}>
      <TextButton expanded={isOpen} onClick={() => setOpen(!isOpen)} label={`${type}, ${words}, number ${seq}`}>
        <span className="num wire-seq">{seq}</span> <span aria-hidden="true">{mark}</span> <code>{type}</code>{" "}
        <span className="wire-start">{JSON.stringify(value).slice(0, 160)}</span>{" "}
        <span className="num wire-at">{new Date(at).toLocaleTimeString()}</span>
      </TextButton>
      {isOpen && <JsonView value={value} name={`wire/${seq}`} />}
    </li>
  );
};
