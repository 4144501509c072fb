// The rules, grouped by the file that has them, each with its recent decisions and its problems.

import { isMcpName, toolTitle } from "@quarterdeck/client/content";
import { TrueText } from "../content/text/true-text.tsx";
import { Icon } from "../parts/icon.tsx";
import { Menu, type MenuItem } from "../parts/menu.tsx";
import { useNow } from "../store/now.ts";
import { formatAgo } from "../words/format.ts";
import { scopeWords } from "../words/scopes.ts";
import { BEHAVIOR_WORDS, fileName, type RuleGroup, type ListedRule } from "./rule-list.ts";
import { WORDS } from "./words.ts";
import { sentence } from "../words/sentences.ts";

export type RuleAction = "edit" | "move" | "remove";

export interface RuleTableProps {
  readonly groups: readonly RuleGroup[];
  readonly folder: string;
  readonly home: string | undefined;
  /** How many of the latest calls were looked at. */
  readonly calls: number;
  readonly mayChange: boolean;
  readonly onAct: (action: RuleAction, rule: ListedRule, instead?: string) => void;
}

export const RuleTable = ({ groups, folder, home, calls, mayChange, onAct }: RuleTableProps) => {
  const now = useNow();
  return (
    <table className="rt">
      <thead>
        <tr>
          <th scope="col" className="c-eff">
            {WORDS.effect}
          </th>
          <th scope="col" className="c-rule">
            {WORDS.rule}
          </th>
          <th scope="col">{WORDS.note}</th>
          <th scope="col" className="c-line">
            {WORDS.line}
          </th>
          <th scope="col" className="c-used r">
            {calls === 0 ? WORDS.used : WORDS.usedLast(calls)}
          </th>
          <th scope="col" className="c-acts">
            <span className="sr-only">{WORDS.actions}</span>
          </th>
        </tr>
      </thead>
      {groups.map((group) => (
        <tbody key={group.key} aria-label={group.name}>
          <tr className="group">
            <th scope="rowgroup" colSpan={6}>
              <b>{group.name}</b>{" "}
              {group.path === undefined ? (
                <span>{scopeWords(group.scope).about}</span>
              ) : (
                <code title={group.path}>
                  <TrueText text={fileName(group.path, folder, home)} />
                </code>
              )}
              {!group.canWrite && (
                <span className="rt-lock">
                  <Icon name="lock" size={12} />
                  {WORDS.readOnly}
                </span>
              )}
              {group.problems.map((problem) => (
                <span key={problem} className="flag rt-problem">
                  <Icon name="warn" size={14} />
                  <span>{sentence(problem)}</span>
                </span>
              ))}
            </th>
          </tr>
          {group.rules.map((rule, at) => (
            <tr
              key={`${rule.behavior} ${rule.rule} ${String(rule.line ?? at)}`}
              className={group.isOff ? "rt-rule is-off" : "rt-rule"}
            >
              <td className={`eff eff-${rule.behavior}`}>{BEHAVIOR_WORDS[rule.behavior]}</td>
              <td className="rt-text">
                <code>
                  <TrueText text={rule.rule} />
                </code>
              </td>
              <td className="rt-note">
                {group.isOff && <span className="rt-why">{WORDS.off}</span>}
                <Notes
                  rule={rule}
                  onFix={mayChange && group.canWrite ? (text) => onAct("edit", rule, text) : undefined}
                />
              </td>
              <td className="rt-line num" data-label={WORDS.lineBefore}>
                {rule.line}
              </td>
              <td
                className="rt-used num r"
                data-label={WORDS.usedBefore}
                title={rule.lastAt === undefined ? undefined : WORDS.last(formatAgo(rule.lastAt, now))}
              >
                {rule.matched}
              </td>
              <td className="rt-acts r">{mayChange && group.canWrite && <Acts rule={rule} onAct={onAct} />}</td>
            </tr>
          ))}
        </tbody>
      ))}
    </table>
  );
};

/** What is risky, what is not in effect and why, and what a name of an MCP tool means. */
const Notes = ({
  rule: { rule, risk, problems },
  onFix,
}: {
  readonly rule: ListedRule;
  readonly onFix: ((text: string) => void) | undefined;
}) => {
  const title = isMcpName(rule) ? toolTitle(rule) : rule;
  return (
    <>
      {risk !== undefined && (
        <span className="flag">
          <Icon name="warn" size={14} />
          <span>
            <span className="bad">{WORDS.risky}</span> {sentence(risk.words)}
          </span>
        </span>
      )}
      {problems.map(({ words, instead }) => (
        <span key={words} className="rt-why">
          {sentence(words)}
          {instead !== undefined && onFix !== undefined && (
            <>
              {" "}
              <button type="button" className="text-button" onClick={() => onFix(instead)}>
                {WORDS.use(instead)}
              </button>
            </>
          )}
        </span>
      ))}
      {risk === undefined && problems.length === 0 && title !== rule && <span className="rt-why">{title}</span>}
    </>
  );
};

const ACTIONS = [
  ["edit", WORDS.edit],
  ["move", WORDS.move],
  ["remove", WORDS.remove],
] as const satisfies readonly (readonly [RuleAction, string])[];

const Acts = ({ rule, onAct }: { readonly rule: ListedRule; readonly onAct: RuleTableProps["onAct"] }) => {
  const items: readonly MenuItem[] = ACTIONS.map(([action, label]) => ({
    id: action,
    label: `${label}…`,
    ...(action === "remove" && { tone: "danger" }),
    run: () => onAct(action, rule),
  }));
  return (
    <>
      {/* Shortcuts for a mouse: the menu has the same. */}
      <span className="rt-quick" aria-hidden="true">
        {ACTIONS.map(([action, label]) => (
          <button key={action} type="button" tabIndex={-1} className="text-button" onClick={() => onAct(action, rule)}>
            {label}
          </button>
        ))}
      </span>
      <Menu className="icon-btn rt-more" label={WORDS.actOn(rule.rule)} items={items}>
        <Icon name="more" />
      </Menu>
    </>
  );
};
