// The rules of a folder: a test box, all rules of all scopes, and changes with the file's diff before they are saved.

import type { ResultOf } from "@quarterdeck/client";
import { useEffect, useMemo, useState, type ReactNode } from "react";
import { Button, IconButton } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { Menu, type MenuItem } from "../parts/menu.tsx";
import { useClient, useServerInfo, useSessionList } from "../store/client.tsx";
import { may } from "../store/may.ts";
import { go, rulesHref, type RulesPlace } from "../store/route.ts";
import { openSurface } from "../store/surfaces.ts";
import { plural, shortPath } from "../words/format.ts";
import { titleOf } from "../words/session-words.ts";
import { scopeWords } from "../words/scopes.ts";
import { RuleDialog, type ChangeKind, type RuleDialogProps } from "./rule-dialog.tsx";
import {
  fileName,
  groupsOf,
  isFileScope,
  isFlagged,
  NO_FILTER,
  toolsOf,
  type Filter,
  type Kind,
  type ListedRule,
  type Rules,
} from "./rule-list.ts";
import { RuleTable, type RuleAction } from "./rule-table.tsx";
import { Tester } from "./tester.tsx";
import { useRules } from "./use-rules.ts";
import "./rules.css";

export interface RulesPageProps {
  readonly where: RulesPlace;
  /** On a phone, the way to the sessions. */
  readonly menu: ReactNode;
}

const MOST_FOLDERS = 15;

export const RulesPage = ({ where, menu }: RulesPageProps) => {
  const client = useClient();
  const { status, sessions } = useSessionList();
  const home = useServerInfo()?.machine.home;
  const folders = useMemo(
    () => [...new Set(sessions.toSorted((a, b) => b.updatedAt - a.updatedAt).map(({ cwd }) => cwd))],
    [sessions],
  );
  const isChosen = where.cwd !== undefined || where.session !== undefined;
  const [first] = folders;
  const place = isChosen ? where : first === undefined ? undefined : { cwd: first };
  const { rules, problem, loading, reload } = useRules(client, place);
  const [filter, setFilter] = useState<Filter>(NO_FILTER);
  const [change, setChange] = useState<Pick<RuleDialogProps, "kind" | "from" | "begin">>();
  const [version, setVersion] = useState(0);
  const [saved, setSaved] = useState<Saved>();
  const mayChange = may(client, "rules/save");
  const session = sessions.find(({ id }) => id === where.session);
  const shownFolder = rules?.folder ?? where.cwd ?? session?.cwd ?? first;

  useEffect(() => {
    setFilter(NO_FILTER);
    setSaved(undefined);
  }, [where.cwd, where.session]);

  const onSaved = (result: ResultOf<"rules/save">, kind: ChangeKind | "undo"): void => {
    setChange(undefined);
    setSaved({ ...result, kind });
    setVersion((before) => before + 1);
    void reload();
  };
  const act = (action: RuleAction, { scope, behavior, rule }: ListedRule, instead?: string): void => {
    if (!isFileScope(scope)) return;
    const from = { scope, behavior, rule };
    setChange({ kind: action, from, begin: { ...from, rule: instead ?? rule } });
  };
  const items: readonly MenuItem[] = [
    ...(session === undefined
      ? []
      : [{ id: session.id, label: titleOf(session), detail: "This session", checked: true, run: () => undefined }]),
    ...folders.slice(0, MOST_FOLDERS).map((cwd) => ({
      id: cwd,
      label: shortPath(cwd, home),
      checked: session === undefined && cwd === shownFolder,
      run: () => go(rulesHref({ cwd })),
    })),
  ];

  return (
    <>
      <header className="head rules-head">
        {menu}
        <h1>Rules</h1>
        {shownFolder !== undefined && (
          <Menu
            className="pill rules-folder"
            label={`Folder: ${shortPath(shownFolder, home)}`}
            heading="Folder"
            items={items}
          >
            <Icon name="folder" size={14} />
            <span>{shortPath(shownFolder, home)}</span>
            <Icon name="down" size={13} />
          </Menu>
        )}
        <div className="head-end">
          {mayChange && rules !== undefined && (
            <Button
              small
              tone="main"
              onClick={() => setChange({ kind: "add", begin: { scope: "localSettings", behavior: "allow", rule: "" } })}
            >
              Add rule
            </Button>
          )}
        </div>
      </header>
      <div className="rules-page">
        <div className="rules">
          {place === undefined ? (
            <Empty title={status === "loading" ? "Loading…" : "No folder yet"}>
              {status === "loading" ? "" : "Start a session in a folder. Its rules appear here."}
            </Empty>
          ) : rules === undefined ? (
            problem === undefined ? (
              <Skeleton />
            ) : (
              <Failed problem={problem} onRetry={() => void reload()} />
            )
          ) : (
            <>
              <Tester key={rules.folder} place={place} folder={rules.folder} mode={rules.mode} version={version} />
              {saved !== undefined && (
                <SavedNote
                  saved={saved}
                  folder={rules.folder}
                  home={home}
                  onDone={onSaved}
                  onClose={() => setSaved(undefined)}
                />
              )}
              {problem !== undefined && <Failed problem={problem} onRetry={() => void reload()} />}
              <TrustNote rules={rules} onTrusted={() => void reload()} />
              <Filters rules={rules} filter={filter} onChange={setFilter} />
              <List
                rules={rules}
                filter={filter}
                home={home}
                mayChange={mayChange}
                loading={loading}
                onAct={act}
                onClear={() => setFilter(NO_FILTER)}
              />
              {!mayChange && (
                <p className="rules-note">This device can read rules. Only an admin device can change them.</p>
              )}
            </>
          )}
        </div>
      </div>
      {change !== undefined && place !== undefined && rules !== undefined && (
        <RuleDialog
          {...change}
          place={{ ...place, cwd: rules.folder }}
          folder={rules.folder}
          home={home}
          onClose={() => setChange(undefined)}
          onSaved={onSaved}
        />
      )}
    </>
  );
};

interface ListProps {
  readonly rules: Rules;
  readonly filter: Filter;
  readonly home: string | undefined;
  readonly mayChange: boolean;
  readonly loading: boolean;
  readonly onAct: (action: RuleAction, rule: ListedRule, instead?: string) => void;
  readonly onClear: () => void;
}

const List = ({ rules, filter, home, mayChange, loading, onAct, onClear }: ListProps) => {
  const groups = useMemo(() => groupsOf(rules, filter), [rules, filter]);
  if (groups.length === 0 && rules.rules.length === 0)
    return (
      <Empty title="No rules yet">
        Claude Code decides by its mode alone. Add a rule here, or choose “Always” when Claude asks.
      </Empty>
    );
  if (groups.length === 0)
    return (
      <Empty title="No matching rules">
        <Button small onClick={onClear}>
          Clear filters
        </Button>
      </Empty>
    );
  return (
    <div className="rules-list" aria-busy={loading}>
      <RuleTable
        groups={groups}
        folder={rules.folder}
        home={home}
        calls={rules.looked.calls}
        mayChange={mayChange}
        onAct={onAct}
      />
    </div>
  );
};

const KINDS: Readonly<Record<Kind, string>> = {
  all: "All",
  allow: "Allow",
  ask: "Ask",
  deny: "Deny",
  flagged: "Flagged",
};

const Filters = ({
  rules,
  filter,
  onChange,
}: {
  readonly rules: Rules;
  readonly filter: Filter;
  readonly onChange: (filter: Filter) => void;
}) => {
  const flagged = rules.rules.filter(isFlagged).length;
  const scopes = [...new Set(rules.rules.map(({ scope }) => scope))];
  return (
    <search className="rules-filter">
      <fieldset>
        <legend className="sr-only">Show</legend>
        <div className="segments">
          {(Object.entries(KINDS) as [Kind, string][]).map(([kind, words]) => (
            <label key={kind}>
              <input
                type="radio"
                name="rules-kind"
                checked={filter.kind === kind}
                onChange={() => onChange({ ...filter, kind })}
              />
              {kind === "flagged" && flagged > 0 ? `${words} ${String(flagged)}` : words}
            </label>
          ))}
        </div>
      </fieldset>
      <input
        type="search"
        className="input"
        placeholder="Filter rules"
        aria-label="Filter rules"
        value={filter.text}
        onChange={(event) => onChange({ ...filter, text: event.target.value })}
      />
      <select
        className="input"
        aria-label="Tool"
        value={filter.tool}
        onChange={(event) => onChange({ ...filter, tool: event.target.value })}
      >
        <option value="">All tools</option>
        {toolsOf(rules).map((tool) => (
          <option key={tool}>{tool}</option>
        ))}
      </select>
      <select
        className="input"
        aria-label="Scope"
        value={filter.scope}
        onChange={(event) => onChange({ ...filter, scope: event.target.value })}
      >
        <option value="">All scopes</option>
        {scopes.map((scope) => (
          <option key={scope} value={scope}>
            {scopeWords(scope).name}
          </option>
        ))}
      </select>
    </search>
  );
};

/** A folder's own rules do not hold before somebody trusts it. */
const TrustNote = ({ rules, onTrusted }: { readonly rules: Rules; readonly onTrusted: () => void }) => {
  const own = rules.rules.filter(({ scope }) => scope === "localSettings" || scope === "projectSettings").length;
  if (rules.trust === "trusted" || own === 0) return null;
  return (
    <p className="rules-trust">
      <Icon name="shield" size={15} />
      <span>
        {rules.trust === "changed"
          ? "The settings of this folder changed since it was trusted. "
          : "This folder is not trusted. "}
        Claude Code starts without {plural(own, "rule")} of its own.
      </span>
      <Button small onClick={() => openSurface({ kind: "trust", cwd: rules.folder, then: onTrusted })}>
        Review
      </Button>
    </p>
  );
};

type Saved = ResultOf<"rules/save"> & { readonly kind: ChangeKind | "undo" };
const SAVED: Readonly<Record<Saved["kind"], string>> = {
  add: "Rule added to",
  edit: "Rule saved in",
  move: "Rule moved to",
  remove: "Rule removed from",
  undo: "Undone in",
};

const SavedNote = ({
  saved,
  folder,
  home,
  onDone,
  onClose,
}: {
  readonly saved: Saved;
  readonly folder: string;
  readonly home: string | undefined;
  readonly onDone: (result: ResultOf<"rules/save">, kind: "undo") => void;
  readonly onClose: () => void;
}) => {
  const client = useClient();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const undo = (): void => {
    setBusy(true);
    client.command("rules/save", { undo: saved.undo }).then(
      (result) => onDone(result, "undo"),
      (error: unknown) => {
        setBusy(false);
        setProblem(error instanceof Error ? error.message : String(error));
      },
    );
  };
  useEffect(() => {
    setBusy(false);
    setProblem(undefined);
  }, [saved]);
  const [file] = saved.files;
  return (
    <p className="rules-saved" role="status">
      <Icon name="check" size={15} />
      <span>
        {problem ?? `${SAVED[saved.kind]} ${file === undefined ? "the settings" : fileName(file.path, folder, home)}.`}
      </span>
      <Button small busy={busy} onClick={undo}>
        {saved.kind === "undo" ? "Redo" : "Undo"}
      </Button>
      <IconButton icon="close" label="Dismiss" onClick={onClose} />
    </p>
  );
};

const Empty = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <div className="rules-empty">
    <h2>{title}</h2>
    {typeof children === "string" ? <p>{children}</p> : children}
  </div>
);

const Failed = ({ problem, onRetry }: { readonly problem: string; readonly onRetry: () => void }) => (
  <p className="rules-failed" role="alert">
    <Icon name="warn" size={15} />
    <span>{problem}</span>
    <Button small onClick={onRetry}>
      Try again
    </Button>
  </p>
);

const Skeleton = () => (
  <div className="rules-skeleton" role="status" aria-label="Loading rules">
    {[96, 40, 62, 54, 70].map((width) => (
      <i key={width} style={{ width: `${String(width)}%` }} />
    ))}
  </div>
);
