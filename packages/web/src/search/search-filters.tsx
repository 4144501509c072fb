// What the search is limited to: kinds, a project, a time.

import type { SessionSummary } from "@quarterdeck/client";
import { useMemo } from "react";
import { baseName } from "../words/format.ts";
import { KIND_WORDS, KINDS, type Kind, type SearchPlace } from "./search-place.ts";

const TIMES: Readonly<Record<string, string>> = {
  "": "Any time",
  "1d": "Last day",
  "7d": "Last 7 days",
  "30d": "Last 30 days",
  "365d": "Last year",
};

export const SearchFilters = ({
  place,
  sessions,
  onChange,
}: {
  readonly place: SearchPlace;
  readonly sessions: readonly SessionSummary[];
  readonly onChange: (part: Partial<SearchPlace>) => void;
}) => {
  const projects = useMemo(() => {
    const all = new Set(sessions.map(({ project }) => project));
    if (place.project !== "") all.add(place.project);
    return [...all].toSorted((a, b) => baseName(a).localeCompare(baseName(b)));
  }, [sessions, place.project]);
  const toggle = (kind: Kind): void =>
    onChange({ kinds: KINDS.filter((one) => place.kinds.includes(one) !== (one === kind)) });
  return (
    <div className="search-filters">
      <fieldset>
        <legend className="sr-only">Kinds</legend>
        {(Object.entries(KIND_WORDS) as [Kind, string][]).map(([kind, words]) => (
          <label key={kind} className="search-kind">
            <input type="checkbox" checked={place.kinds.includes(kind)} onChange={() => toggle(kind)} />
            {words}
          </label>
        ))}
      </fieldset>
      <select
        className="input"
        aria-label="Project"
        value={place.project}
        onChange={(event) => onChange({ project: event.target.value })}
      >
        <option value="">All projects</option>
        {projects.map((project) => (
          <option key={project} value={project} title={project}>
            {baseName(project)}
          </option>
        ))}
      </select>
      <select
        className="input"
        aria-label="Time"
        value={place.since}
        onChange={(event) => onChange({ since: event.target.value })}
      >
        {Object.entries(TIMES).map(([since, words]) => (
          <option key={since} value={since}>
            {words}
          </option>
        ))}
        {!(place.since in TIMES) && <option value={place.since}>Since {place.since}</option>}
      </select>
    </div>
  );
};
