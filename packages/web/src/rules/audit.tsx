// Who or what decided about each call: a list with filters, which can be exported as CSV or JSON.

import type { Client, ParamsOf, ResultOf } from "@quarterdeck/client";
import { isRecord, toolSubject, toolTitle } from "@quarterdeck/client/content";
import { useCallback, useDeferredValue, useEffect, useState } from "react";
import { TrueText } from "../content/text/true-text.tsx";
import { Button } from "../parts/button.tsx";
import { toastError } from "../parts/toast.tsx";
import { useClient, useServerInfo, useSessionList } from "../store/client.tsx";
import { may } from "../store/may.ts";
import { hrefOf, type RulesPlace } from "../store/route.ts";
import { shortPath } from "../words/format.ts";
import { modeName } from "../words/names.ts";
import { sessionTitleOf } from "../words/session-words.ts";
import { WORDS } from "./words.ts";
import { locale } from "../words/language.ts";
import "./audit.css";

type Filter = Omit<ParamsOf<"audit/list">, "cursor" | "limit">;
type Entry = ResultOf<"audit/list">["entries"][number];
type Decider = NonNullable<Filter["decider"]>;

const DAY = 86_400_000;
const TIMES: Readonly<Record<string, number>> = { day: DAY, week: 7 * DAY, month: 30 * DAY };

export const Audit = ({ place }: { readonly place: RulesPlace | undefined }) => {
  const client = useClient();
  const home = useServerInfo()?.machine.home;
  const [decider, setDecider] = useState("");
  const [behavior, setBehavior] = useState("");
  const [time, setTime] = useState("");
  const [everywhere, setEverywhere] = useState(false);
  const [typed, setTyped] = useState("");
  const text = useDeferredValue(typed.trim());
  const { sessions } = useSessionList();
  const filter = filterOf({ decider, behavior, time, text, place: everywhere ? undefined : place });
  const { entries, more, problem, loading, loadMore } = useAudit(client, filter);
  if (!may(client, "audit/list")) return <p className="rules-note">{WORDS.noAudit}</p>;
  const save = (format: "csv" | "json"): void =>
    void client
      .call("tickets/create", { kind: "audit", format, ...filter })
      .then(({ url }) => Object.assign(document.createElement("a"), { href: url, download: "" }).click(), toastError);
  return (
    <section className="audit" aria-label={WORDS.audit}>
      <search className="rules-filter">
        <input
          type="search"
          className="input"
          aria-label={WORDS.filterAudit}
          placeholder={WORDS.filterAuditHow}
          maxLength={200}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <select
          className="input"
          aria-label={WORDS.decidedBy}
          value={decider}
          onChange={(event) => setDecider(event.target.value)}
        >
          <option value="">{WORDS.anyone}</option>
          {Object.entries(WORDS.deciders).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
        <select
          className="input"
          aria-label={WORDS.decision}
          value={behavior}
          onChange={(event) => setBehavior(event.target.value)}
        >
          <option value="">{WORDS.both}</option>
          <option value="allow">{WORDS.allowed}</option>
          <option value="deny">{WORDS.denied}</option>
        </select>
        <select
          className="input"
          aria-label={WORDS.time}
          value={time}
          onChange={(event) => setTime(event.target.value)}
        >
          <option value="">{WORDS.anyTime}</option>
          <option value="day">{WORDS.day}</option>
          <option value="week">{WORDS.week}</option>
          <option value="month">{WORDS.month}</option>
        </select>
        <label className="audit-all">
          <input type="checkbox" checked={everywhere} onChange={(event) => setEverywhere(event.target.checked)} />
          {WORDS.allFolders}
        </label>
        <span className="audit-save">
          <Button small onClick={() => save("csv")}>
            {WORDS.csv}
          </Button>
          <Button small onClick={() => save("json")}>
            {WORDS.json}
          </Button>
        </span>
      </search>
      {problem !== undefined && (
        <p className="rules-failed" role="alert">
          {problem}
        </p>
      )}
      {entries.length === 0 && !loading && !more && problem === undefined ? (
        <p className="rules-note">{WORDS.noDecisions}</p>
      ) : (
        <ol className="audit-list" aria-busy={loading}>
          {entries.map((entry) => (
            <Decision
              key={`${entry.session}/${entry.rowId}`}
              entry={entry}
              title={sessionTitleOf({
                title: sessions.find(({ id }) => id === entry.session)?.title ?? entry.title,
                cwd: entry.folder,
              })}
              home={home}
            />
          ))}
        </ol>
      )}
      {more && (
        <Button small busy={loading} onClick={loadMore}>
          {WORDS.more}
        </Button>
      )}
    </section>
  );
};

interface DecisionProps {
  readonly entry: Entry;
  readonly title: string;
  readonly home: string | undefined;
}

const Decision = ({ entry, title, home }: DecisionProps) => {
  const { session, rowId, tool, input, cut, behavior, folder } = entry;
  const at = new Date(entry.at);
  const about = subjectOf(entry);
  return (
    <li className={`audit-entry audit-${behavior}`}>
      <b>{behavior === "allow" ? WORDS.allowed : WORDS.denied}</b>
      <a className="audit-what" href={hrefOf(session, rowId)}>
        {toolTitle(tool)}{" "}
        <code>
          <TrueText text={about === "" ? WORDS.noInput : about} />
        </code>
      </a>
      <time dateTime={at.toISOString()}>{at.toLocaleString(locale)}</time>
      <span className="audit-who">
        <TrueText text={whoOf(entry)} />
      </span>
      <span className="audit-where" title={folder}>
        <TrueText text={title} /> · {shortPath(folder, home)}
      </span>
      <details>
        <summary>{WORDS.input}</summary>
        <code className="audit-input">
          <TrueText text={cut === true ? `${input}…` : input} />
        </code>
      </details>
    </li>
  );
};

/** What the call is about, in one line. A long input is cut, and then is not JSON. */
const subjectOf = ({ tool, input, cut }: Entry): string => {
  if (cut === true) return `${input.slice(0, 200)}…`;
  const value: unknown = JSON.parse(input);
  return toolSubject(tool, isRecord(value) ? value : {})
    .replaceAll(/\s+/gu, " ")
    .slice(0, 300);
};

const whoOf = ({ decider, by, rule, place, policy, askedBy, mode, edited }: Entry): string => {
  switch (decider) {
    case "person":
      return WORDS.byPerson(by?.name ?? by?.id, edited === true, askedBy);
    case "policy":
      return WORDS.byPolicy(policy?.name, rule);
    case "rule":
      return WORDS.byRule(rule, place);
    case "mode":
      return WORDS.byMode(modeName(mode));
    case "read-only":
      return WORDS.onlyReads;
    case "hook":
      return WORDS.byHook;
    case "classifier":
      return WORDS.byAuto;
    case "unknown":
      return WORDS.unasked;
  }
};

const filterOf = (chosen: {
  readonly decider: string;
  readonly behavior: string;
  readonly time: string;
  readonly text: string;
  readonly place: RulesPlace | undefined;
}): Filter => {
  const span = TIMES[chosen.time];
  const { cwd, session } = chosen.place ?? {};
  // In whole minutes, so that the same choice is the same filter.
  const now = Math.ceil(Date.now() / 60_000) * 60_000;
  return {
    ...(chosen.decider !== "" && { decider: chosen.decider as Decider }),
    ...(chosen.behavior !== "" && { behavior: chosen.behavior as "allow" | "deny" }),
    ...(chosen.text !== "" && { text: chosen.text }),
    ...(span !== undefined && { from: now - span }),
    ...(session !== undefined ? { session } : cwd !== undefined && { folder: cwd }),
  };
};

interface Loaded {
  readonly entries: readonly Entry[];
  readonly cursor?: string | undefined;
  readonly problem?: string;
  readonly loading: boolean;
}

const useAudit = (client: Client, filter: Filter) => {
  const [loaded, setLoaded] = useState<Loaded>({ entries: [], loading: true });
  const key = JSON.stringify(filter);
  const load = useCallback(
    async (cursor: string | undefined, isCurrent: () => boolean): Promise<void> => {
      setLoaded((before) => (cursor === undefined ? { entries: [], loading: true } : { ...before, loading: true }));
      try {
        const page = await client.call("audit/list", {
          ...(JSON.parse(key) as Filter),
          ...(cursor !== undefined && { cursor }),
        });
        if (isCurrent())
          setLoaded((before) => ({
            entries: [...(cursor === undefined ? [] : before.entries), ...page.entries],
            cursor: page.nextCursor,
            loading: false,
          }));
      } catch (error) {
        const problem = error instanceof Error ? error.message : String(error);
        if (isCurrent()) setLoaded((before) => ({ ...before, problem, loading: false }));
      }
    },
    [client, key],
  );
  useEffect(() => {
    let gone = false;
    void load(undefined, () => !gone);
    return () => {
      gone = true;
    };
  }, [load]);
  const { cursor } = loaded;
  return { ...loaded, more: cursor !== undefined, loadMore: () => void load(cursor, () => true) };
};
