// What the search is limited to: kinds, a project, a time.

import type { SearchKind, SessionSummary } from "@quarterdeck/client";
import { useMemo } from "react";
import { baseName } from "../words/format.ts";
import { NAMED_KINDS, type SearchPlace } from "./search-place.ts";
import { WORDS } from "./words.ts";

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
  const toggle = (kind: SearchKind): void =>
    onChange({ kinds: NAMED_KINDS.filter((one) => place.kinds.includes(one) !== (one === kind)) });
  return (
    <div className="search-filters">
      <fieldset>
        <legend className="sr-only">{WORDS.kinds}</legend>
        {NAMED_KINDS.map((kind) => (
          <label key={kind} className="search-kind">
            <input type="checkbox" checked={place.kinds.includes(kind)} onChange={() => toggle(kind)} />
            {WORDS.many[kind]}
          </label>
        ))}
      </fieldset>
      <select
        className="input"
        aria-label={WORDS.project}
        value={place.project}
        onChange={(event) => onChange({ project: event.target.value })}
      >
        <option value="">{WORDS.allProjects}</option>
        {projects.map((project) => (
          <option key={project} value={project} title={project}>
            {baseName(project)}
          </option>
        ))}
      </select>
      <select
        className="input"
        aria-label={WORDS.time}
        value={place.since}
        onChange={(event) => onChange({ since: event.target.value })}
      >
        {Object.entries(WORDS.times).map(([since, words]) => (
          <option key={since} value={since}>
            {words}
          </option>
        ))}
        {!(place.since in WORDS.times) && <option value={place.since}>{WORDS.since(place.since)}</option>}
      </select>
    </div>
  );
};
