// The rules of a folder: a test box, all rules of all scopes, and changes with the file's diff before they are saved.

import type { ResultOf } from "@quarterdeck/client";
import { useEffect, useMemo, useState, type ReactNode } from "react";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { Menu, type MenuItem } from "../parts/menu.tsx";
import { useClient, useServerInfo, useSessionList } from "../store/client.tsx";
import { may } from "../store/may.ts";
import { go, rulesHref, type RulesPlace } from "../store/route.ts";
import { shortPath } from "../words/format.ts";
import { sessionTitleOf } from "../words/session-words.ts";
import { Audit } from "./audit.tsx";
import { Policies } from "./policies.tsx";
import { RuleDialog, type ChangeKind, type RuleDialogProps } from "./rule-dialog.tsx";
import { ruleGroupsOf, isWritableScope, NO_FILTER, type Filter, type ListedRule, type Rules } from "./rule-list.ts";
import { Filters } from "./rule-filters.tsx";
import { RuleTable, type RuleAction } from "./rule-table.tsx";
import { Empty, Failed, SavedNote, Skeleton, TrustNote, type Saved } from "./rules-notes.tsx";
import { Tester } from "./tester.tsx";
import { useRules } from "./use-rules.ts";
import { WORDS } from "./words.ts";
import "./rules.css";

export interface RulesPageProps {
  readonly where: RulesPlace;
  /** Shows who decided about earlier calls, in place of the rules. */
  readonly audit: boolean;
  /** On a phone, the way to the sessions. */
  readonly menu: ReactNode;
}

const MOST_FOLDERS = 15;

export const RulesPage = ({ where, audit, menu }: RulesPageProps) => {
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
  const { rules, problem, loading, reload } = useRules(client, audit ? undefined : place);
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
    if (!isWritableScope(scope)) return;
    const from = { scope, behavior, rule };
    setChange({ kind: action, from, begin: { ...from, rule: instead ?? rule } });
  };
  const items: readonly MenuItem[] = [
    ...(session === undefined
      ? []
      : [
          {
            id: session.id,
            label: sessionTitleOf(session),
            detail: WORDS.thisSession,
            checked: true,
            run: () => undefined,
          },
        ]),
    ...folders.slice(0, MOST_FOLDERS).map((cwd) => ({
      id: cwd,
      label: shortPath(cwd, home),
      checked: session === undefined && cwd === shownFolder,
      run: () => go(rulesHref({ cwd }, audit)),
    })),
  ];

  return (
    <>
      <header className="head rules-head">
        {menu}
        <h1>{audit ? WORDS.auditLog : WORDS.rules}</h1>
        {shownFolder !== undefined && (
          <Menu
            className="pill rules-folder"
            label={WORDS.folderIs(shortPath(shownFolder, home))}
            heading={WORDS.folder}
            items={items}
          >
            <Icon name="folder" size={14} />
            <span>{shortPath(shownFolder, home)}</span>
            <Icon name="down" size={13} />
          </Menu>
        )}
        <div className="head-end">
          {may(client, "audit/list") && (
            <a className="btn btn-small" href={rulesHref(where, !audit)}>
              {audit ? WORDS.rules : WORDS.auditLog}
            </a>
          )}
          {mayChange && !audit && rules !== undefined && (
            <Button
              small
              tone="main"
              onClick={() => setChange({ kind: "add", begin: { scope: "localSettings", behavior: "allow", rule: "" } })}
            >
              {WORDS.add}
            </Button>
          )}
        </div>
      </header>
      <div className="rules-page">
        <div className="rules-body">
          {audit ? (
            <Audit place={place} />
          ) : place === undefined ? (
            <Empty title={status === "loading" ? WORDS.loading : WORDS.noFolder}>
              {status === "loading" ? "" : WORDS.noFolderHow}
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
              {rules.rules.length > 0 && <Filters rules={rules} filter={filter} onChange={setFilter} />}
              <List
                rules={rules}
                filter={filter}
                home={home}
                mayChange={mayChange}
                loading={loading}
                onAct={act}
                onClear={() => setFilter(NO_FILTER)}
              />
              <Policies folder={rules.folder} place={place} />
              {!mayChange && <p className="rules-note">{WORDS.readOnlyDevice}</p>}
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
  const groups = useMemo(() => ruleGroupsOf(rules, filter), [rules, filter]);
  if (groups.length === 0 && rules.rules.length === 0) return <Empty title={WORDS.none}>{WORDS.noneHow}</Empty>;
  if (groups.length === 0)
    return (
      <Empty title={WORDS.noMatch}>
        <Button small onClick={onClear}>
          {WORDS.clear}
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
